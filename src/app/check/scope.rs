//! What a check judges: the whole canon, what is staged, or the paths that are named.

use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::canon::context_file;
use crate::canon::context_file::CONTEXT_PATHS;
use crate::canon::file_kind::may_be_workflow;
use crate::canon::file_kind::{FileKind, is_plan};
use crate::canon::inventory::{Inventory, SkillFolder, is_skill_document};
use crate::canon::io_diagnosis::IoDiagnosis;
use crate::canon::workflow::is_workflow_text;
use crate::canon::{FileMode, TreeEntry};
use crate::syntax::RepoPath;
use crate::view::survey::mirrored;
use crate::view::{Basis, IgnoreMode, ListedFile, PathKind, ViewError, load};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What is judged.
#[derive(Debug, Default)]
pub struct Scope {
    /// Skills and other files that are judged one by one.
    pub judged: Inventory,
    /// Where their bytes come from.
    pub basis: Basis,
    /// The canon as a whole, where rules about all of it and about its mirrors apply.
    pub whole: Option<Whole>,
    /// Pipes, sockets and devices.
    pub odd: Vec<RepoPath>,
    /// Folders that could not be listed.
    pub unreadable: Vec<(RepoPath, IoDiagnosis)>,
    /// Files that were named and are nothing that is judged.
    pub passed_over: Vec<RepoPath>,
}

/// The canon as a whole.
#[derive(Debug)]
pub struct Whole {
    /// Its files.
    pub listed: Vec<ListedFile>,
    /// What is mirrored of them.
    pub inventory: Inventory,
}

/// Finds out what is judged.
///
/// # Errors
/// There is no canon, or a path that is named does not exist.
pub fn of(context: &Workspace, paths: &[PathBuf], basis: &Basis) -> Result<Scope, Error> {
    if !paths.is_empty() {
        return Ok(Scope { basis: basis.clone(), ..named(context, paths)? });
    }
    context.require_canon()?;
    let (view, layout) = (&context.view, &context.layout);
    let sort_out = || -> Result<_, ViewError> {
        let listing = view.list(layout.root(), IgnoreMode::Exclude)?;
        let entries = listing.entries();
        let all = Inventory::from_entries(&entries, layout);
        Ok((listing, entries, all))
    };
    let staged = || (*basis == Basis::Index).then(|| view.staged_changes()).flatten();
    let (sorted_out, changed) = rayon::join(sort_out, staged);
    let (listing, entries, mut all) = sorted_out?;
    add_log_folder(context, context.layout.root(), &mut all);
    add_contexts(context, &mut all)?;
    let judged = match &changed {
        Some(changed) => of_changed(context, &all, changed),
        None => all.clone(),
    };
    // Mirrored are the skills below `skills/`: a SKILL.md elsewhere in the canon is only judged by itself.
    let inventory = mirrored(&entries, all, &context.layout);
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
fn of_changed(context: &Workspace, all: &Inventory, changed: &BTreeSet<RepoPath>) -> Inventory {
    if all.files(FileKind::Schema).iter().any(|e| changed.contains(&e.path)) {
        return all.clone();
    }
    let touched = |skill: &&SkillFolder| {
        let inside = changed.range(skill.path.clone()..).take_while(|p| p.as_bstr().starts_with(skill.path.as_bstr()));
        inside.into_iter().any(|path| path.is_within(&skill.path))
    };
    let skills = all.skills.iter().filter(touched).cloned().collect();
    let mut judged = Inventory::default();
    judged.skills = skills;
    judged.linked_skills.clone_from(&all.linked_skills);
    for (kept, list) in judged.file_lists_mut().into_iter().zip(all.file_lists()) {
        kept.extend(list.iter().filter(|e| changed.contains(&e.path)).cloned());
    }
    // A plan may contradict a report that is new or gone.
    let is_reported = |plan: &TreeEntry| {
        let reports = context.layout.reports_on(&plan.path);
        reports.is_some_and(|reports| changed.iter().any(|path| path.is_within(&reports)))
    };
    *judged.files_mut(FileKind::Plan) =
        all.files(FileKind::Plan).iter().filter(|e| changed.contains(&e.path) || is_reported(e)).cloned().collect();
    // What a context file imports may be what was taken out.
    let is_gone = |path: &RepoPath| path.as_bstr().ends_with(b".md") && context.view.kind(path) == PathKind::Nothing;
    // And what Codex reads of an `AGENTS.md` depends on those above it.
    let is_in_chain = |path: &RepoPath| context_file::AGENTS_FILE_NAMES.iter().any(|name| path.file_name() == *name);
    if changed.iter().any(|path| is_gone(path) || is_in_chain(path)) {
        judged.files_mut(FileKind::Context).clear();
        judged.files_mut(FileKind::Context).extend_from_slice(all.files(FileKind::Context));
    }
    judged
}

fn named(context: &Workspace, paths: &[PathBuf]) -> Result<Scope, Error> {
    let mut scope = Scope::default();
    for given in paths {
        let path = context.inside(given)?;
        match context.view.kind(&path) {
            PathKind::Nothing => {
                let message = format!("{} does not exist", given.display());
                return Err(
                    Error::new(ErrorKind::Unreadable, message).help("name a file or a folder of this repository")
                );
            }
            PathKind::Folder => add_folder(context, &path, &mut scope)?,
            PathKind::File => add_file(context, &path, &mut scope)?,
        }
    }
    let judged = &mut scope.judged;
    judged.skills.sort_by(|a, b| a.path.cmp(&b.path));
    judged.skills.dedup();
    judged.linked_skills.sort();
    judged.linked_skills.dedup();
    for list in judged.file_lists_mut() {
        list.sort();
        list.dedup();
    }
    Ok(scope)
}

fn add_folder(context: &Workspace, path: &RepoPath, scope: &mut Scope) -> Result<(), Error> {
    let listing = context.view.list(path, IgnoreMode::Exclude)?;
    let entries = listing.entries();
    let mut found = Inventory::from_entries(&entries, &context.layout);
    add_log_folder(context, path, &mut found);
    add_workflows(context, &entries, &mut found);
    for (list, more) in scope.judged.file_lists_mut().into_iter().zip(found.file_lists_mut()) {
        list.append(more);
    }
    scope.judged.skills.extend(found.skills);
    scope.judged.linked_skills.extend(found.linked_skills);
    scope.odd.extend(listing.odd);
    scope.unreadable.extend(listing.unreadable);
    Ok(())
}

/// A folder in the place of the log holds no file of the log's name, but nothing can be logged there either.
fn add_log_folder(context: &Workspace, folder: &RepoPath, judged: &mut Inventory) {
    let path = context.layout.log();
    if path.is_within(folder) && context.view.kind(&path) == PathKind::Folder {
        judged.files_mut(FileKind::Log).push(TreeEntry { path, mode: FileMode::File });
    }
}

/// The context files that every session in the repository reads. They lie outside the canon; those of other folders are
/// judged where they are named.
fn add_contexts(context: &Workspace, judged: &mut Inventory) -> Result<(), Error> {
    for place in CONTEXT_PATHS.map(RepoPath::from) {
        if context.view.kind(&place) == PathKind::Nothing || place.is_within(context.layout.root()) {
            continue;
        }
        let listing = context.view.list(&place, IgnoreMode::Exclude)?;
        judged
            .files_mut(FileKind::Context)
            .append(Inventory::from_entries(&listing.entries(), &context.layout).files_mut(FileKind::Context));
    }
    judged.files_mut(FileKind::Context).sort();
    judged.files_mut(FileKind::Context).dedup();
    Ok(())
}

/// Workflows outside the canon's folder for them, which only their keys tell.
fn add_workflows(context: &Workspace, entries: &[TreeEntry], judged: &mut Inventory) {
    let is_unknown =
        |entry: &&TreeEntry| entry.mode.is_file() && FileKind::from_path(&entry.path, &context.layout).is_none();
    let candidates = entries.iter().filter(is_unknown).filter(|entry| may_be_workflow(&entry.path));
    judged
        .files_mut(FileKind::Workflow)
        .extend(candidates.filter(|entry| reads_as_workflow(context, &entry.path)).cloned());
}

/// Whether a file is a workflow by its keys.
fn reads_as_workflow(context: &Workspace, path: &RepoPath) -> bool {
    let source = load::source(&context.view, path);
    source.is_some_and(|source| is_workflow_text(source.text()))
}

/// A file that is named: a document, a plan or another file that is judged, or a file of a skill, which is then judged.
fn add_file(context: &Workspace, path: &RepoPath, scope: &mut Scope) -> Result<(), Error> {
    let entry = TreeEntry { path: path.clone(), mode: FileMode::File };
    let name = path.file_name();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending.as_bytes()));
    let kind = FileKind::from_path(path, &context.layout).filter(|kind| *kind != FileKind::Plan);
    if let Some(kind) = kind {
        scope.judged.files_mut(kind).push(entry);
    } else if let Some(skill) = skill_of(context, path)? {
        scope.judged.skills.push(skill);
    } else if !is_plan(path) && ends(&[".yaml", ".yml"]) && reads_as_workflow(context, path) {
        scope.judged.files_mut(FileKind::Workflow).push(entry);
    } else if ends(&[".yaml", ".yml", ".json"]) {
        scope.judged.files_mut(FileKind::Plan).push(entry);
    } else {
        scope.passed_over.push(path.clone());
    }
    Ok(())
}

/// The innermost skill whose folder holds a path.
fn skill_of(context: &Workspace, path: &RepoPath) -> Result<Option<SkillFolder>, Error> {
    for folder in std::iter::successors(path.parent(), RepoPath::parent) {
        let is_document = |name: &&str| context.view.kind(&folder.join(name)) == PathKind::File;
        let named = is_skill_document(path) && path.parent().as_ref() == Some(&folder);
        if !named && !["SKILL.md", "skill.md"].iter().any(is_document) {
            continue;
        }
        // At the top of a repository only the document itself is taken to name a skill.
        if folder.is_empty() && !named {
            break;
        }
        let listing = context.view.list(&folder, IgnoreMode::Exclude)?;
        let mut entries = listing.entries();
        if named && entries.binary_search_by(|e| e.path.cmp(path)).is_err() {
            entries.push(TreeEntry { path: path.clone(), mode: FileMode::File });
            entries.sort();
        }
        let skills = Inventory::from_entries(&entries, &context.layout).skills;
        return Ok(skills.into_iter().find(|skill| skill.path == folder));
    }
    Ok(None)
}
