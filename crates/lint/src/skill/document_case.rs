//! See `document_case.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Applicability, Fix, Location, Severity};
use canonry_text::RepoPath;

pub(super) static RULE: Rule = Rule {
    id: "document-case",
    summary: "`SKILL.md` in mixed case, such as `Skill.md`",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("document_case.md"),
    check: Check::Each(&[
        Check::Skill(check),
        Check::At(Defaults::both(Severity::Warning), &Check::Skill(check_lowercase)),
    ]),
};

/// The file name that the specification requires.
const FILE_NAME: &str = "SKILL.md";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let name = skill.path().file_name_lossy();
    if !matches!(name.as_str(), FILE_NAME | "skill.md") {
        let message = format!("the file is named `{name}`; case-sensitive file systems only find `{FILE_NAME}`");
        let finding = RULE.at(Location::file(skill.path()), message);
        findings.push(finding.help(rename_help(skill)).fix(rename_fix(skill)));
    }
}

/// Tools that look for `SKILL.md` alone miss `skill.md`; others read it.
fn check_lowercase(skill: &Skill, findings: &mut Vec<Finding>) {
    if skill.path().file_name() == "skill.md" {
        let message = "the file is named `skill.md`, but tools look for `SKILL.md`";
        let finding = RULE.at(Location::file(skill.path()), message);
        findings.push(finding.help(rename_help(skill)).fix(rename_fix(skill)));
    }
}

/// The command that renames the document, from the top of the repository.
fn rename_help(skill: &Skill) -> String {
    let new = skill.folder.path.join(FILE_NAME);
    format!("rename it: `git mv {} {}`", skill.path().shell_word(), new.shell_word())
}

/// A fix that renames the document. `None` if it may not be the document of a skill: another spelling is next to it, or it
/// is inside another skill and may be one of its texts.
fn rename_fix(skill: &Skill) -> Option<Fix> {
    let path = skill.path();
    let is_rival = |other: &RepoPath| other != path && other.parent() == path.parent() && is_skill_document(other);
    let is_doubtful = skill.folder.nested_in.is_some() || skill.folder.files.iter().any(|entry| is_rival(&entry.path));
    (!is_doubtful).then(|| {
        let is_safe = skill.document.as_ref().is_ok_and(|document| document.front.is_ok()) && !is_mentioned(skill);
        Fix::rename(FILE_NAME, if is_safe { Applicability::Safe } else { Applicability::Unsafe })
    })
}

/// Whether a text of the skill mentions the document under its current name, so that renaming may break a link.
fn is_mentioned(skill: &Skill) -> bool {
    let name = skill.path().file_name_lossy();
    skill.all_texts().any(|(source, _)| source.text().contains(&name))
}
