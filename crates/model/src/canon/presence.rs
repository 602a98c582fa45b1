//! Whether a folder is a canon. A folder that is merely called `agent` is not one.

use super::file_kind::{CanonFolders, FileKind, is_plan};
use super::inventory::is_skill_document;
use super::plan_form::{has_plan_steps, is_other_data};
use super::workflow::is_workflow_text;
use super::{FileSource, IgnoreMode, Layout, PathKind};
use canonry_text::{RepoPath, yaml};

/// The size up to which a file is read to see whether it is a plan or a workflow.
const READ_LIMIT: u64 = 4 << 20;

/// Whether the folder of a layout has a config, a lock, or a document that canonry knows, and belongs to this repository.
/// Reads files only if it has neither of them, nor skills, permissions or episodes. What cannot be read proves nothing.
pub fn is_canon(files: &dyn FileSource, layout: &Layout) -> bool {
    let root = layout.root();
    if !root.is_empty() && files.kind(&root.join(".git")) != PathKind::Nothing {
        return false;
    }
    let locks = [layout.lock(), layout.local_lock(), layout.skills_lock(), layout.pack_lock()];
    let named = locks.into_iter().chain([layout.config(), layout.permissions()]);
    named.into_iter().any(|path| files.kind(&path) == PathKind::File)
        || has_skill(files, &layout.skills())
        || has_episodes(files, layout)
        || has_run(files, layout)
}

/// Whether a new file at a path makes its folder a canon.
pub fn is_document(path: &RepoPath, layout: &Layout) -> bool {
    let is_known = || [layout.config(), layout.skills_lock(), layout.permissions(), layout.log()].contains(path);
    let is_skill = || path.is_within(&layout.skills()) && is_skill_document(path);
    let is_run = || matches!(FileKind::from_path(path, layout), Some(FileKind::Plan | FileKind::Workflow));
    path.is_within(layout.root()) && (is_known() || is_skill() || is_run())
}

/// Whether a folder has a skill, at any depth.
pub fn has_skill(files: &dyn FileSource, folder: &RepoPath) -> bool {
    let is_document = |name: &String| files.kind(&folder.join(name.as_str()).join("SKILL.md")) == PathKind::File;
    // Most skills are here, and listing thousands of them takes longer.
    if files.folders(folder).iter().any(is_document) {
        return true;
    }
    let listing = files.list(folder, IgnoreMode::Exclude).unwrap_or_default();
    listing.files.iter().any(|file| is_skill_document(&file.entry.path))
}

fn has_episodes(files: &dyn FileSource, layout: &Layout) -> bool {
    let Some(folder) = layout.log().parent() else { return false };
    let listing = files.list(&folder, IgnoreMode::Exclude).unwrap_or_default();
    let is_log = |path: &RepoPath| path.parent().as_ref() == Some(&folder) && path.file_name().ends_with(b".jsonl");
    listing.files.iter().any(|file| is_log(&file.entry.path))
}

/// Whether there is a plan or a workflow. Other programs have folders of these names, so the content decides.
fn has_run(files: &dyn FileSource, layout: &Layout) -> bool {
    let kinds = CanonFolders::new(layout);
    let folders = layout.plan_roots().iter().cloned().chain([layout.workflows()]);
    folders.filter(|folder| folder.is_within(layout.root())).any(|folder| {
        let listing = files.list(&folder, IgnoreMode::Exclude).unwrap_or_default();
        listing.files.iter().map(|file| &file.entry.path).any(|path| match kinds.kind(path) {
            Some(FileKind::Plan) => text(files, path).is_some_and(|text| is_plan_text(path, &text)),
            Some(FileKind::Workflow) => text(files, path).is_some_and(|text| is_workflow_text(&text)),
            _ => false,
        })
    })
}

fn text(files: &dyn FileSource, path: &RepoPath) -> Option<String> {
    files.read(path, READ_LIMIT).into_text()
}

/// Whether a file is a plan by its steps, or by its name unless its content is clearly something else.
fn is_plan_text(path: &RepoPath, text: &str) -> bool {
    let has_steps = || yaml::parse(text, 0).is_ok_and(|document| has_plan_steps(&document.root));
    is_plan(path) && !is_other_data(text) || text.contains("steps") && has_steps()
}
