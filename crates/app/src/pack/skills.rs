//! The skills of a plugin.

use super::settings::PackSettings;
use crate::skills::remote::pins::pinned_names;
use crate::{Error, ErrorKind, Workspace};
use canonry_exchange::pack::plan::PackFile;
use canonry_model::canon::inventory::{Inventory, SkillFolder};
use canonry_model::canon::{FileMode, FileState};
use canonry_model::config::pack::is_selected;
use canonry_model::edit::EditContent;
use canonry_repo::view::IgnoreMode;
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// Adds the files of the selected skills. Returns their names.
pub(super) fn add(
    workspace: &Workspace,
    settings: &PackSettings,
    files: &mut BTreeMap<RepoPath, PackFile>,
    notes: &mut Vec<String>,
) -> Result<Vec<String>, Error> {
    let listing = workspace.view.list(&workspace.layout.skills(), IgnoreMode::Exclude)?;
    let inventory = Inventory::from_entries(&listing.entries(), &workspace.layout);
    let states = workspace.view.states(&listing.files);
    let states: BTreeMap<&RepoPath, FileState> =
        listing.files.iter().zip(states).filter_map(|(file, state)| Some((&file.entry.path, state?))).collect();
    let selected = select(workspace, settings, &inventory, notes)?;
    let mut names = Vec::new();
    for skill in selected {
        let name = skill.path.file_name_lossy();
        add_skill(workspace, settings, skill, &states, files, notes)?;
        names.push(name);
    }
    for link in &inventory.linked_skills {
        notes.push(format!("{} is left out: it is a link to a skill", link.path));
    }
    names.sort();
    Ok(names)
}

/// The skills that the config names, or all that may go to everyone.
fn select<'i>(
    workspace: &Workspace,
    settings: &PackSettings,
    inventory: &'i Inventory,
    notes: &mut Vec<String>,
) -> Result<Vec<&'i SkillFolder>, Error> {
    let folders: Vec<&SkillFolder> = inventory.skills.iter().filter(|skill| skill.nested_in.is_none()).collect();
    let names: Vec<String> = folders.iter().map(|skill| skill.path.file_name_lossy()).collect();
    let pinned = pinned_names(workspace)?;
    let mut selected = Vec::new();
    for (skill, name) in folders.iter().zip(&names) {
        let setting = workspace.config.skills.get(name);
        let is_limited = setting.is_some_and(|setting| setting.targets.is_some());
        let is_in = match &settings.skills {
            Some(patterns) => patterns.iter().any(|pattern| is_selected(pattern, name)),
            None if pinned.contains(name) => {
                notes.push(format!(
                    "`{name}` is left out: it is from elsewhere; name it in `pack.skills` if its licence permits"
                ));
                false
            }
            None if is_limited => {
                notes.push(format!("`{name}` is left out: `skills` in the config limits it to some tools"));
                false
            }
            None => true,
        };
        if is_in {
            selected.push(*skill);
        }
    }
    if let Some(patterns) = &settings.skills {
        check_patterns(patterns, &names)?;
    }
    check_names(&selected)?;
    Ok(selected)
}

/// Every pattern must match a skill: a skill that was renamed would silently be missing.
fn check_patterns(patterns: &[String], names: &[String]) -> Result<(), Error> {
    let unmatched = patterns.iter().find(|pattern| !names.iter().any(|name| is_selected(pattern, name)));
    let Some(pattern) = unmatched else { return Ok(()) };
    let error = Error::new(ErrorKind::Unreadable, format!("`{pattern}` in `pack.skills` matches no skill"));
    Err(error.suggest(pattern, names.iter().map(String::as_str), "run `canonry skills list` to see all skills"))
}

/// A plugin has one folder for all skills, on file systems that may ignore case.
fn check_names(skills: &[&SkillFolder]) -> Result<(), Error> {
    let mut seen: BTreeMap<String, &RepoPath> = BTreeMap::new();
    for skill in skills {
        if let Some(other) = seen.insert(skill.path.file_name_lossy().to_lowercase(), &skill.path) {
            let message = format!("{other} and {} would be one folder of the plugin", skill.path);
            return Err(
                Error::new(ErrorKind::Refused, message).help("rename one of them, or leave it out by `pack.skills`")
            );
        }
    }
    Ok(())
}

fn add_skill(
    workspace: &Workspace,
    settings: &PackSettings,
    skill: &SkillFolder,
    states: &BTreeMap<&RepoPath, FileState>,
    files: &mut BTreeMap<RepoPath, PackFile>,
    notes: &mut Vec<String>,
) -> Result<(), Error> {
    let folder = settings.out.join("skills").join(skill.path.file_name());
    let own: BTreeSet<&RepoPath> = skill.files.iter().map(|entry| &entry.path).collect();
    for entry in &skill.files {
        let unreadable = || Error::new(ErrorKind::Unreadable, format!("{} cannot be read", entry.path));
        let state = states.get(&entry.path).copied().ok_or_else(unreadable)?;
        let content = match state.mode {
            FileMode::Submodule => {
                notes.push(format!("{} is left out: it is a submodule", entry.path));
                continue;
            }
            FileMode::Link => {
                let text = workspace.view.link_text(&entry.path).ok_or_else(unreadable)?;
                let target = entry.path.resolve_beside(&text);
                if !target.is_some_and(|target| own.iter().any(|path| **path == target || path.is_within(&target))) {
                    notes.push(format!("{} is left out: the link leads out of the skill", entry.path));
                    continue;
                }
                EditContent::Link(text)
            }
            FileMode::File | FileMode::Executable => EditContent::CopyOf(entry.path.clone()),
        };
        let below = if entry.path == skill.document.path {
            // Clients look for exactly this name.
            RepoPath::from("SKILL.md")
        } else {
            entry.path.below(&skill.path).map(RepoPath::new).unwrap_or_default()
        };
        files.insert(folder.join(below.as_bstr()), PackFile { content, state });
    }
    Ok(())
}
