//! Finds the skills of a repository and chooses among them.

use bstr::{BStr, ByteSlice};
use canonry_model::canon::inventory::Inventory;
use canonry_model::canon::{Layout, TreeEntry};
use canonry_text::path::is_device;
use canonry_text::{RepoPath, frontmatter};
use std::collections::BTreeMap;

/// Characters of a name, as the specification has it.
const MAX_NAME: usize = 64;

/// A skill in a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscoveredSkill {
    /// The name under which it is added.
    pub name: String,
    /// Its folder in the repository.
    pub path: RepoPath,
}

/// Which skills of a repository are meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SkillChoice {
    /// The only one.
    #[default]
    Only,
    /// Those with these names.
    Named(Vec<String>),
    /// All of them.
    All,
}

/// Whether a folder of the canon can have this name.
pub fn is_usable_name(name: &str) -> bool {
    let is_character = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let starts_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    let ends_well = !name.ends_with('.') && !is_device(BStr::new(name));
    starts_well && ends_well && name.len() <= MAX_NAME && name.chars().all(is_character)
}

/// The skills in or below a folder, sorted by path. A skill inside another one belongs to it, unless the outer one is the
/// whole folder. `document` reads a file; `fallback` names a skill that is the whole repository.
pub fn find_skills(
    entries: &[TreeEntry],
    folder: &RepoPath,
    fallback: &str,
    document: impl Fn(&RepoPath) -> Option<Vec<u8>>,
) -> Vec<DiscoveredSkill> {
    let within: Vec<TreeEntry> = entries.iter().filter(|entry| entry.path.is_within(folder)).cloned().collect();
    let skills = Inventory::from_entries(&within, &Layout::default()).skills;
    let is_own = |outer: &Option<RepoPath>| outer.as_ref().is_none_or(|outer| outer == folder);
    let found = skills.iter().filter(|skill| is_own(&skill.nested_in) && skill.document.path.file_name() == "SKILL.md");
    let name = |path: &RepoPath, text: Option<Vec<u8>>| {
        let directory = if path.is_empty() { fallback.to_owned() } else { path.file_name_lossy() };
        text.and_then(|text| stated_name(&text)).unwrap_or(directory)
    };
    found
        .map(|skill| DiscoveredSkill {
            name: name(&skill.path, document(&skill.document.path)),
            path: skill.path.clone(),
        })
        .filter(|skill| is_usable_name(&skill.name))
        .collect()
}

/// The name in the frontmatter of a `SKILL.md`, if it can be the name of a folder.
fn stated_name(text: &[u8]) -> Option<String> {
    stated_field(text, "name").filter(|name| is_usable_name(name))
}

/// A field of a frontmatter whose value is on the same line.
pub(super) fn stated_field(text: &[u8], field: &str) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?;
    let parts = frontmatter::split(text).ok()?;
    let yaml = text.get(..parts.body.offset)?;
    let value = yaml.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?.trim();
    let quoted = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
    let is_plain = !value.is_empty() && !value.starts_with(['|', '>', '&', '*', '!', '[', '{']);
    is_plain.then(|| value.to_owned())
}

/// The chosen skills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChosenSkills {
    pub skills: Vec<DiscoveredSkill>,
    /// Names that several skills have, with the reason why none of them is chosen; only if all are wanted.
    pub ambiguous: Vec<(String, String)>,
}

/// Chooses among skills. The error names the problem and, where it helps, the skills.
///
/// # Errors
/// There is none, a name is missing, or several skills have one name.
pub fn choose(found: &[DiscoveredSkill], choice: &SkillChoice, folder: &RepoPath) -> Result<ChosenSkills, String> {
    // A person who names the folder of a skill means that skill, not those inside it.
    if let (SkillChoice::Only, Some(skill)) = (choice, found.iter().find(|skill| skill.path == *folder)) {
        return Ok(ChosenSkills { skills: vec![skill.clone()], ambiguous: Vec::new() });
    }
    let mut by_name: BTreeMap<&str, Vec<&DiscoveredSkill>> = BTreeMap::new();
    found.iter().for_each(|skill| by_name.entry(&skill.name).or_default().push(skill));
    let names = || {
        let mut names: Vec<&str> = by_name.keys().take(20).copied().collect();
        if by_name.len() > names.len() {
            names.push("…");
        }
        names.join(", ")
    };
    let wanted: Vec<&str> = match choice {
        _ if found.is_empty() => return Err("there is no skill, that is, no folder with a SKILL.md".to_owned()),
        SkillChoice::Only if by_name.len() == 1 => by_name.keys().copied().collect(),
        SkillChoice::Only => return Err(format!("there are {} skills: {}", by_name.len(), names())),
        SkillChoice::All => by_name.keys().copied().collect(),
        SkillChoice::Named(names) => names.iter().map(String::as_str).collect(),
    };
    let mut chosen = ChosenSkills::default();
    for name in wanted {
        let same = by_name.get(name).ok_or_else(|| format!("there is no skill `{name}`, only {}", names()))?;
        match preferred(same) {
            Some(skill) if chosen.skills.contains(skill) => {}
            Some(skill) => chosen.skills.push(skill.clone()),
            None => {
                let paths: Vec<String> = same.iter().map(|skill| skill.path.to_display()).collect();
                let reason = format!("several skills are named `{name}`: {}", paths.join(", "));
                if *choice != SkillChoice::All {
                    return Err(reason);
                }
                chosen.ambiguous.push((name.to_owned(), format!("{reason}; add one of them by its folder")));
            }
        }
    }
    Ok(chosen)
}

/// Of several skills with one name, the one that is not in the folder of a tool, such as `.claude/skills`.
fn preferred<'a>(same: &[&'a DiscoveredSkill]) -> Option<&'a DiscoveredSkill> {
    let is_visible = |skill: &&&DiscoveredSkill| !skill.path.components().any(|part| part.starts_with_str("."));
    let visible: Vec<&&DiscoveredSkill> = same.iter().filter(is_visible).collect();
    match (visible.as_slice(), same) {
        ([one], _) => Some(one),
        ([], [one]) => Some(one),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::FileMode;

    fn found(paths: &[&str], folder: &str) -> Vec<(String, String)> {
        let mut paths: Vec<&str> = paths.to_vec();
        paths.sort_unstable();
        let entry = |path: &&str| TreeEntry { path: RepoPath::from(*path), mode: FileMode::File };
        let entries: Vec<TreeEntry> = paths.iter().map(entry).collect();
        let skills = find_skills(&entries, &RepoPath::from(folder), "repo", |_| None);
        skills.into_iter().map(|skill| (skill.name, skill.path.to_display())).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, path)| ((*name).to_owned(), (*path).to_owned())).collect()
    }

    #[test]
    fn skills_are_folders_with_a_document() {
        let paths = ["skills/a/SKILL.md", "skills/a/x/SKILL.md", "skills/b/SKILL.md", "c/readme.md", ".d/-e/SKILL.md"];
        assert_eq!(found(&paths, ""), pairs(&[("a", "skills/a"), ("b", "skills/b")]));
        assert_eq!(found(&paths, "skills/a"), pairs(&[("a", "skills/a"), ("x", "skills/a/x")]));
        assert_eq!(found(&["SKILL.md", "a/SKILL.md"], ""), pairs(&[("repo", ""), ("a", "a")]));
        assert_eq!(found(&paths, "nowhere"), pairs(&[]));
    }

    #[test]
    fn the_stated_name_wins_if_it_is_usable() {
        let entries = [TreeEntry { path: RepoPath::from("a/SKILL.md"), mode: FileMode::File }];
        let name = |text: &str| {
            let text = text.as_bytes().to_vec();
            find_skills(&entries, &RepoPath::default(), "r", |_| Some(text.clone())).remove(0).name
        };
        assert_eq!(name("---\nname: better\ndescription: d\n---\n"), "better");
        assert_eq!(name("---\nname: \"better\"\n---\n"), "better");
        assert_eq!(name("---\nname: ../../x\n---\n"), "a");
        assert_eq!(name("no frontmatter\nname: x\n"), "a");
    }

    #[test]
    fn a_choice_is_never_a_guess() {
        let skill = |name: &str, path: &str| DiscoveredSkill { name: name.to_owned(), path: RepoPath::from(path) };
        let top = RepoPath::default();
        let several = [skill("a", "skills/a"), skill("a", ".claude/skills/a"), skill("b", "b")];
        assert!(choose(&several, &SkillChoice::Only, &top).is_err());
        let chosen = |found: &[DiscoveredSkill], choice: &SkillChoice, folder: &RepoPath| {
            choose(found, choice, folder).unwrap().skills
        };
        assert_eq!(chosen(&several, &SkillChoice::All, &top), [several[0].clone(), several[2].clone()]);
        let named = |name: &str| SkillChoice::Named(vec![name.to_owned()]);
        assert_eq!(chosen(&several, &named("a"), &top), [several[0].clone()]);
        assert!(choose(&several, &named("c"), &top).unwrap_err().contains("only a, b"));
        let twins = [skill("a", "x/a"), skill("a", "y/a")];
        assert!(choose(&twins, &named("a"), &top).unwrap_err().contains("x/a, y/a"));
        assert_eq!(chosen(&twins, &SkillChoice::Only, &RepoPath::from("y/a")), [twins[1].clone()]);
        let all = choose(&twins, &SkillChoice::All, &top).unwrap();
        assert_eq!((all.skills.len(), all.ambiguous.len()), (0, 1));
        assert!(choose(&[], &SkillChoice::All, &top).is_err());
    }

    #[test]
    fn names_are_single_folders() {
        for name in ["a", "pdf-tools", "My_Skill.v2", "0"] {
            assert!(is_usable_name(name), "{name}");
        }
        for name in ["", ".", "..", ".git", "-x", "_index", "a/b", "a\\b", "con", "a.", "a b", "é", &"x".repeat(65)] {
            assert!(!is_usable_name(name), "{name}");
        }
    }
}
