//! Part of `skill-version-bump`: changelog of a skill does not mention its version.

use super::skill_version_bump::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Location;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let (Some(source), Some((version, span))) = (skill.source(), skill.version()) else { return };
    let is_changelog = |text: &&canonry_model::canon::skill::SkillText| {
        let below = text.source.path().below(&skill.folder.path);
        below.is_some_and(|below| below.eq_ignore_ascii_case(b"CHANGELOG.md"))
    };
    let Some(changelog) = skill.texts.iter().find(is_changelog) else { return };
    let version = version.trim_start_matches(['v', 'V']);
    if version.is_empty() || mentions(changelog.source.text(), version) {
        return;
    }
    let message = format!("{} does not mention version {version}", changelog.source.path());
    let help = "add a line that says what changed in this version";
    findings.push(RULE.at(Location::at(source, span), message).help(help));
}

/// Whether a text has a version as a whole: `1.2` is not in `1.2.1` or `11.2`.
fn mentions(text: &str, version: &str) -> bool {
    let continues = |c: char| c.is_ascii_digit();
    text.match_indices(version).any(|(at, _)| {
        let before = &text[..at];
        let after = &text[at + version.len()..];
        let is_longer = after.starts_with(continues) || after.starts_with('.') && after[1..].starts_with(continues);
        !is_longer && !before.ends_with(|c: char| continues(c) || c == '.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_version_counts() {
        for (text, want) in
            [("## 1.2", true), ("- v1.2: x", true), ("1.2.", true), ("1.2.1", false), ("11.2", false), ("0.1.2", false)]
        {
            assert_eq!(mentions(text, "1.2"), want, "{text}");
        }
    }
}
