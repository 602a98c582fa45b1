//! What the rules on the name of a skill's document share.

use crate::canon::inventory::is_skill_document;
use crate::canon::skill::Skill;
use crate::finding::{Applicability, Fix};
use crate::syntax::RepoPath;

/// The name that the specification gives to a skill's document.
pub(super) const RIGHT: &str = "SKILL.md";

/// The right name for the document; none where it may be no document: beside another spelling, or inside another skill,
/// whose text it may be.
pub(super) fn renamed(skill: &Skill) -> Option<Fix> {
    let path = skill.path();
    let is_rival = |other: &RepoPath| other != path && other.parent() == path.parent() && is_skill_document(other);
    let is_doubtful = skill.folder.nested_in.is_some() || skill.folder.files.iter().any(|entry| is_rival(&entry.path));
    (!is_doubtful).then(|| {
        let is_plain = skill.document.as_ref().is_ok_and(|document| document.front.is_ok()) && !is_named(skill);
        Fix::renaming(RIGHT, if is_plain { Applicability::Safe } else { Applicability::Unsafe })
    })
}

/// Whether a text of the skill names the document as it is called now: then a link may break.
fn is_named(skill: &Skill) -> bool {
    let name = skill.path().file_name_lossy();
    skill.all_texts().any(|(source, _)| source.text().contains(&name))
}
