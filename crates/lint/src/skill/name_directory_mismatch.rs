//! See `name_directory_mismatch.md`.

use super::names::{self, SkillNameField};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Severity;
use canonry_text::RepoPath;

pub(super) static RULE: Rule = Rule {
    id: "name-directory-mismatch",
    summary: "skill name does not match its directory",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("name_directory_mismatch.md"),
    check: Check::Skill(check),
};

/// A folder for skills. A `SKILL.md` directly in it is an index, or the input of a build.
const CONTAINER: &str = "skills";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let (Some(name), Some(directory)) = (SkillNameField::from_skill(&RULE, skill), skill.directory_name()) else {
        return;
    };
    // The rules on the form of a name suggest the directory's name.
    // Claude Code calls such a skill by the name in its frontmatter.
    if skill.surroundings.is_listed_in_manifest
        || directory == CONTAINER
        || name.is_malformed()
        || names::comparable(name.text) == names::comparable(&directory)
    {
        return;
    }
    let message = format!("the name is `{}`, but the directory is `{directory}`", name.text);
    let finding = name.finding(message).help(help(name.text, &directory));
    findings.push(if is_joined(name.text, &skill.folder.path) {
        // One convention of the repository: a maintainer decides once.
        finding.caused_by("joined", ("name joined from the folders", "names joined from the folders"))
    } else {
        finding.fix(name.valid_directory().and_then(|directory| name.rename(directory)))
    });
}

/// Whether a name consists of the names of the folder and of folders above it: `db-mysql-8x` in `db/mysql/8.x`.
fn is_joined(name: &str, folder: &RepoPath) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase();
    let wanted = letters(name);
    let mut joined = String::new();
    std::iter::successors(Some(folder.clone()), RepoPath::parent)
        .take_while(|folder| !folder.is_empty())
        .enumerate()
        .any(|(above, folder)| {
            joined.insert_str(0, &letters(&folder.file_name_lossy()));
            above > 0 && joined == wanted
        })
}

/// Suggests only names that are valid.
fn help(name: &str, directory: &str) -> String {
    let better = names::suggestion(name).unwrap_or_default();
    let keeps_directory = names::suggestion(directory).is_some_and(|valid| valid == directory);
    match (keeps_directory, better.is_empty() || better == directory) {
        (true, true) => format!("write `name: {directory}`"),
        (true, false) => format!("write `name: {directory}`, or rename the directory to `{better}`"),
        (false, false) if better == name => format!("rename the directory to `{better}`"),
        (false, false) => format!("rename the directory to `{better}` and write `name: {better}`"),
        (false, true) => "give the skill and its directory the same valid name".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_joined_from_folders_are_recognised() {
        for (name, folder, want) in [
            ("db-mysql-8x", "skills/db/mysql/8.x", true),
            ("mysql-8x", "skills/db/mysql/8.x", true),
            ("db-8x", "skills/db/mysql/8.x", false),
            ("8x", "skills/db/mysql/8.x", false),
            ("notes", "skills/other", false),
        ] {
            assert_eq!(is_joined(name, &RepoPath::from(folder)), want, "{name}");
        }
    }
}
