//! Skills: byte for byte, with the smallest changes that make a valid one.

use super::basket::{File, ImportPlan, Piece};
use super::front::{Change, Front, NoFront, quoted};
use crate::canon::FileMode;
use crate::canon::inventory::is_skill_document;
use crate::syntax::RepoPath;
use std::collections::BTreeSet;

/// Characters of a name.
const NAME: usize = 64;
/// Characters of a description that is made here.
const DESCRIPTION: usize = 200;

/// What of a frontmatter is the origin's own, so that it says nothing to a tool.
pub(super) type IsOwn<'a> = &'a dyn Fn(&str) -> bool;

/// Takes the skills below a folder. Gives the folders they were taken from.
pub(super) fn take(basket: &mut ImportPlan<'_>, root: &str, is_own: IsOwn<'_>) -> Vec<RepoPath> {
    let all: Vec<(RepoPath, FileMode)> = basket.ground.below(root).collect();
    let root = RepoPath::from(root);
    let documents = all.iter().filter(|(path, _)| is_skill_document(path));
    let folders: BTreeSet<RepoPath> = documents.filter_map(|(path, _)| path.parent()).filter(|f| *f != root).collect();
    // What lies in another skill's folder is a part of it.
    let is_inner = |folder: &RepoPath| folders.iter().any(|other| other != folder && folder.is_within(other));
    let outer: Vec<RepoPath> = folders.iter().filter(|folder| !is_inner(folder)).cloned().collect();
    for folder in &outer {
        let below = folder.below(&root).unwrap_or_default().to_string();
        let files: Vec<(RepoPath, FileMode)> = all.iter().filter(|(path, _)| path.is_within(folder)).cloned().collect();
        match place(&below) {
            Some(place) => skill(basket, folder, &place, (&files, is_own)),
            None => basket.leave(folder, "its folder is hidden: it is the tool's own", ""),
        }
    }
    let beside: BTreeSet<RepoPath> = all
        .iter()
        .filter(|(path, _)| !outer.iter().any(|o| path.is_within(o)))
        .filter_map(|(p, _)| top(p, &root))
        .collect();
    for path in beside {
        // A link to a skill's folder is common, and the folder itself is mostly looked at too.
        if basket.ground.files.get(&path).is_none_or(|state| state.mode.is_file()) {
            basket.leave(&path, "it is no part of a skill: no SKILL.md is beside it", "move it by hand if you need it");
        } else {
            basket.is_file(&path);
        }
    }
    outer
}

/// The component behind the root.
fn top(path: &RepoPath, root: &RepoPath) -> Option<RepoPath> {
    let below = RepoPath::new(path.below(root)?);
    below.components().next().map(|first| root.join(first))
}

/// The path below `skills/`, with names that are valid; `None` for what is hidden. Skills that were fetched into a folder
/// `.curated` are like any other.
fn place(below: &str) -> Option<Vec<String>> {
    let parts: Vec<&str> = below.split('/').filter(|part| *part != ".curated").collect();
    if parts.iter().any(|part| part.starts_with('.')) {
        return None;
    }
    Some(parts.into_iter().map(valid_name).collect())
}

/// The nearest name that the specification allows.
pub(super) fn valid_name(name: &str) -> String {
    let lower = name.to_lowercase();
    let plain: String = lower.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let parts: Vec<&str> = plain.split('-').filter(|part| !part.is_empty()).collect();
    let name: String = parts.join("-").chars().take(NAME).collect();
    let name = name.trim_end_matches('-').to_owned();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

fn skill(basket: &mut ImportPlan<'_>, folder: &RepoPath, place: &[String], rest: (&[(RepoPath, FileMode)], IsOwn<'_>)) {
    let (files, is_own) = rest;
    let name = place.last().cloned().unwrap_or_default();
    let to = place.iter().fold(basket.ground.layout.skills(), |to, part| to.join(part));
    let mut changes = Vec::new();
    if folder.file_name() != name.as_str() {
        changes
            .push(format!("its folder is called `{name}`: a skill's name has lower-case letters, digits and hyphens"));
    }
    let mut taken: Vec<File> = Vec::new();
    for (path, _) in files {
        if !basket.is_file(path) {
            continue;
        }
        let at = to.join(path.below(folder).unwrap_or_default());
        let is_document = is_skill_document(path) && path.parent().as_ref() == Some(folder);
        let text = if is_document { basket.ground.text(path).ok() } else { None };
        let changed = text.and_then(|text| document(&text, &name, is_own, &mut changes));
        taken.extend(match changed {
            Some(text) => basket.file_with(text, at),
            None => basket.file_of(path, at),
        });
    }
    if !taken.iter().any(|file| is_skill_document(&file.path)) {
        return basket.leave(
            folder,
            "its SKILL.md is a link, and none is followed",
            "put what it leads to in its place",
        );
    }
    basket.pieces.push(Piece { from: folder.clone(), to, files: taken, changes, is_skill: true });
}

/// The text of a `SKILL.md` where it has to change.
fn document(text: &str, name: &str, is_own: IsOwn<'_>, told: &mut Vec<String>) -> Option<String> {
    let front = match Front::of(text) {
        Ok(front) => front,
        Err(NoFront::None) => {
            let description = quoted(&described(text, name));
            told.push("it had no frontmatter: `name` and a `description` from its first words were added; say in it when the skill is to be used".to_owned());
            return Some(format!(
                "---\nname: {name}\ndescription: {description}\n---\n\n{}",
                text.trim_start_matches('\u{feff}')
            ));
        }
        Err(NoFront::Broken(why)) => {
            told.push(format!("taken as it is, and no tool can read it: {why}; `canonry check` says how to mend it"));
            return None;
        }
    };
    let mut changes: Vec<Change> = Vec::new();
    let mut out: Vec<String> = Vec::new();
    for entry in front.entries().iter().filter(|entry| is_own(&entry.key)) {
        changes.extend(front.without(&entry.key));
        out.push(format!("`{}`", entry.key));
    }
    if !out.is_empty() {
        let for_one_tool = front.entries().iter().any(|entry| is_own(&entry.key) && entry.value.as_mapping().is_some());
        let advice = if for_one_tool { "; what is for one tool only fits into agent/overlays/TOOL/skills" } else { "" };
        told.push(format!("{} taken out of its frontmatter{advice}", out.join(", ")));
    }
    if front.field("name").as_deref() != Some(name) {
        let was = front.field("name").map_or("missing".to_owned(), |was| format!("`{was}`"));
        told.push(format!("`name` is `{name}`, as its folder; it was {was}"));
        changes.push(front.with("name", name));
    }
    if front.field("description").is_none() && front.get("description").is_none_or(|node| node.is_null()) {
        told.push("a `description` from its first words was added; say in it when the skill is to be used".to_owned());
        changes.push(front.with("description", &quoted(&described(front.body(), name))));
    }
    (!changes.is_empty()).then(|| front.changed(changes))
}

/// The first words of a text, without marks.
fn described(text: &str, name: &str) -> String {
    let lines = text.lines().map(|line| line.trim_start_matches('\u{feff}').trim_start_matches(['#', '>', ' ']).trim());
    let line = lines.into_iter().find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or(name);
    line.chars().take(DESCRIPTION).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_valid() {
        for (name, want) in [
            ("pdf", "pdf"),
            ("My Skill_2", "my-skill-2"),
            ("--a--b-", "a-b"),
            ("…", "unnamed"),
            ("Überblick", "überblick"),
        ] {
            assert_eq!(valid_name(name), want);
        }
    }

    #[test]
    fn a_document_changes_no_more_than_it_must() {
        let is_own = |key: &str| key == "targets";
        let changed = |text: &str| document(text, "a", &is_own, &mut Vec::new());
        assert_eq!(changed("---\nname: a\ndescription: D.\nother: 1\n---\n"), None);
        let want = Some("---\nname: a\ndescription: D.\n---\n".to_owned());
        assert_eq!(changed("---\nname: a\ntargets:\n  - x\ndescription: D.\n---\n"), want);
        assert_eq!(changed("---\nname: B\ndescription: D.\n---\n"), want);
        assert_eq!(changed("---\nname: : :\n---\n"), None, "what cannot be read stays as it is");
        let made = changed("# Say: hello\n\nMore.\n").unwrap();
        assert_eq!(made, "---\nname: a\ndescription: \"Say: hello\"\n---\n\n# Say: hello\n\nMore.\n");
    }
}
