//! What a check judges: the whole canon, what is staged, or the paths that are named.

use super::context::Context;
use super::error::CliError;
use super::status::Status;
use crate::canon::inventory::{Inventory, SkillFolder, is_plan, is_skill_document, is_workflow, may_be_workflow};
use crate::canon::workflow::is_workflow_text;
use crate::canon::{Entry, Mode};
use crate::syntax::RepoPath;
use crate::view::survey::mirrored;
use crate::view::{Basis, Ignored, Kind, Listed, load};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What is judged.
#[derive(Debug, Default)]
pub struct Scope {
    /// Skills, plans, workflows and schema files that are judged one by one.
    pub judged: Inventory,
    /// Where their bytes come from.
    pub basis: Basis,
    /// The canon as a whole, where rules about all of it and about its mirrors apply.
    pub whole: Option<Whole>,
    /// Pipes, sockets and devices.
    pub odd: Vec<RepoPath>,
    /// Folders that could not be listed.
    pub unreadable: Vec<(RepoPath, String)>,
    /// Files that were named and are nothing that is judged.
    pub passed_over: Vec<RepoPath>,
}

/// The canon as a whole.
#[derive(Debug)]
pub struct Whole {
    /// Its files.
    pub listed: Vec<Listed>,
    /// What is mirrored of them.
    pub inventory: Inventory,
}

/// Finds out what is judged.
///
/// # Errors
/// There is no canon, or a path that is named does not exist.
pub fn of(context: &Context<'_>, paths: &[PathBuf], basis: &Basis) -> Result<Scope, CliError> {
    if !paths.is_empty() {
        return Ok(Scope { basis: basis.clone(), ..named(context, paths)? });
    }
    context.require_canon()?;
    let listing = context.view.list(context.layout.root(), Ignored::LeftOut)?;
    let entries = listing.entries();
    let mut judged = Inventory::of(&entries, &context.layout);
    if *basis == Basis::Index
        && let Some(changed) = context.view.staged_changes(&context.repo)
    {
        keep_changed(&mut judged, &changed);
    }
    // Mirrored are the skills below `skills/`: a SKILL.md elsewhere in the canon is only judged by itself.
    let inventory = mirrored(&entries, &context.layout);
    let whole = Some(Whole { listed: listing.files, inventory });
    let (odd, unreadable) = (listing.odd, listing.unreadable);
    Ok(Scope { judged, basis: basis.clone(), whole, odd, unreadable, passed_over: Vec::new() })
}

/// Whether a folder is that of a skill which is not part of another one.
pub fn is_outermost(inventory: &Inventory, folder: &RepoPath) -> bool {
    let at = inventory.skills.binary_search_by(|s| s.path.cmp(folder));
    at.is_ok_and(|at| inventory.skills[at].nested_in.is_none())
}

/// A skill is judged again where any of its files changed; a schema that changed judges everything again.
fn keep_changed(judged: &mut Inventory, changed: &BTreeSet<RepoPath>) {
    if judged.schemas.iter().any(|e| changed.contains(&e.path)) {
        return;
    }
    let touched = |skill: &SkillFolder| {
        let inside = changed.range(skill.path.clone()..).take_while(|p| p.as_bstr().starts_with(skill.path.as_bstr()));
        inside.into_iter().any(|path| path.is_within(&skill.path))
    };
    judged.skills.retain(touched);
    judged.plans.retain(|e| changed.contains(&e.path));
    judged.workflows.retain(|e| changed.contains(&e.path));
    judged.schemas.retain(|e| changed.contains(&e.path));
}

fn named(context: &Context<'_>, paths: &[PathBuf]) -> Result<Scope, CliError> {
    let mut scope = Scope::default();
    for given in paths {
        let path = context.inside(given)?;
        match context.view.kind(&path) {
            Kind::Nothing => {
                let message = format!("{} does not exist", given.display());
                return Err(
                    CliError::new(Status::Unreadable, message).help("name a file or a folder of this repository")
                );
            }
            Kind::Folder => add_folder(context, &path, &mut scope)?,
            Kind::File => add_file(context, &path, &mut scope)?,
        }
    }
    let judged = &mut scope.judged;
    judged.skills.sort_by(|a, b| a.path.cmp(&b.path));
    judged.skills.dedup();
    for list in [&mut judged.linked_skills, &mut judged.plans, &mut judged.workflows, &mut judged.schemas] {
        list.sort();
        list.dedup();
    }
    Ok(scope)
}

fn add_folder(context: &Context<'_>, path: &RepoPath, scope: &mut Scope) -> Result<(), CliError> {
    let listing = context.view.list(path, Ignored::LeftOut)?;
    let entries = listing.entries();
    let found = Inventory::of(&entries, &context.layout);
    let may_be = |entry: &&Entry| entry.mode.is_file() && !is_plan(&entry.path) && may_be_workflow(&entry.path);
    let by_keys = entries.iter().filter(may_be).filter(|entry| reads_as_workflow(context, &entry.path)).cloned();
    scope.judged.workflows.extend(found.workflows.into_iter().chain(by_keys));
    scope.judged.skills.extend(found.skills);
    scope.judged.linked_skills.extend(found.linked_skills);
    scope.judged.plans.extend(found.plans);
    scope.judged.schemas.extend(found.schemas);
    scope.odd.extend(listing.odd);
    scope.unreadable.extend(listing.unreadable);
    Ok(())
}

/// A file that is named: a document, a plan, a schema, or a file of a skill, which is then judged.
fn add_file(context: &Context<'_>, path: &RepoPath, scope: &mut Scope) -> Result<(), CliError> {
    let entry = Entry { path: path.clone(), mode: Mode::File };
    let name = path.file_name();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending.as_bytes()));
    if path.is_within(&context.layout.schemas()) && ends(&[".json"]) {
        scope.judged.schemas.push(entry);
    } else if let Some(skill) = skill_of(context, path)? {
        scope.judged.skills.push(skill);
    } else if is_workflow(path, &context.layout) || !is_plan(path) && reads_as_workflow(context, path) {
        scope.judged.workflows.push(entry);
    } else if ends(&[".yaml", ".yml", ".json"]) {
        scope.judged.plans.push(entry);
    } else {
        scope.passed_over.push(path.clone());
    }
    Ok(())
}

/// Whether a file is a workflow by its keys.
fn reads_as_workflow(context: &Context<'_>, path: &RepoPath) -> bool {
    let source = load::source(&context.view, path);
    source.is_some_and(|source| is_workflow_text(source.text()))
}

/// The innermost skill whose folder holds a path.
fn skill_of(context: &Context<'_>, path: &RepoPath) -> Result<Option<SkillFolder>, CliError> {
    for folder in std::iter::successors(path.parent(), RepoPath::parent) {
        let is_document = |name: &&str| context.view.kind(&folder.join(name)) == Kind::File;
        let named = is_skill_document(path) && path.parent().as_ref() == Some(&folder);
        if !named && !["SKILL.md", "skill.md"].iter().any(is_document) {
            continue;
        }
        // At the top of a repository only the document itself is taken to name a skill.
        if folder.is_empty() && !named {
            break;
        }
        let listing = context.view.list(&folder, Ignored::LeftOut)?;
        let mut entries = listing.entries();
        if named && entries.binary_search_by(|e| e.path.cmp(path)).is_err() {
            entries.push(Entry { path: path.clone(), mode: Mode::File });
            entries.sort();
        }
        let skills = Inventory::of(&entries, &context.layout).skills;
        return Ok(skills.into_iter().find(|skill| skill.path == folder));
    }
    Ok(None)
}
