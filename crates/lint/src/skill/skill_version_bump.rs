//! See `skill_version_bump.md`.

use super::skill_changelog_behind;
use crate::{Check, Defaults, Finding, Rule};
use bstr::ByteSlice;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::RepoPath;

pub(super) static RULE: Rule = Rule {
    id: "skill-version-bump",
    summary: "skill changed, but its version or changelog did not",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("skill_version_bump.md"),
    check: Check::Each(&[
        Check::Skill(check),
        Check::At(Defaults::both(Severity::Info), &Check::Skill(skill_changelog_behind::check)),
    ]),
};

/// Folders of a skill that no agent reads.
const UNUSED_FOLDERS: [&str; 5] = ["test", "tests", "eval", "evals", "__tests__"];

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let (Some(source), Some(change), Some((version, span))) = (skill.source(), &skill.change, skill.version()) else {
        return;
    };
    let used: Vec<&RepoPath> = change.files.iter().filter(|path| is_used(skill, path)).collect();
    if change.earlier_version != version || used.is_empty() {
        return;
    }
    let files = match used.as_slice() {
        [one] => format!("`{one}` changed"),
        [first, _] => format!("`{first}` and another file changed"),
        [first, more @ ..] => format!("`{first}` and {} other files changed", more.len()),
        [] => return,
    };
    let message = format!("{files}, but the version of the skill is still {version}");
    let help = if skill.folder.files.iter().any(|entry| is_changelog(skill, &entry.path)) {
        "increase the version, and add a line to the skill's CHANGELOG.md"
    } else {
        "increase the version, so that whoever uses the skill sees that it changed"
    };
    findings.push(RULE.at(Location::at(source, span), message).help(help));
}

fn is_changelog(skill: &Skill, path: &RepoPath) -> bool {
    path.below(&skill.folder.path).is_some_and(|below| below.eq_ignore_ascii_case(b"CHANGELOG.md"))
}

/// Whether agents read the file.
fn is_used(skill: &Skill, path: &RepoPath) -> bool {
    let Some(below) = path.below(&skill.folder.path).map(RepoPath::new) else { return false };
    let first = below.components().next().map(|part| part.to_str_lossy().into_owned()).unwrap_or_default();
    let is_in_folder = below.components().count() > 1;
    let is_unused = is_in_folder && UNUSED_FOLDERS.contains(&first.as_str());
    !is_unused && !is_changelog(skill, path)
}
