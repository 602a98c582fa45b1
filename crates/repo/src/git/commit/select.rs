//! Selects the paths that a commit may change.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use gix::bstr::{BStr, BString, ByteSlice, ByteVec};
use gix::dir::entry::{Kind, Status};
use gix::validate::path::component;
use gix::worktree::stack::state::attributes::Source;

use super::head::CommitBase;
use super::{CommitError, CommitSelection};

/// The paths of `selection` in byte order. Later steps decide whether they changed.
pub(super) fn candidates(
    repo: &gix::Repository,
    index: &gix::index::File,
    base: &CommitBase<'_>,
    selection: CommitSelection<'_>,
) -> Result<BTreeSet<BString>, CommitError> {
    match selection {
        CommitSelection::Literal(paths) => literal(repo, paths),
        CommitSelection::Edited { paths, edit } => {
            let mut found = literal(repo, paths)?;
            found.extend(literal(repo, std::slice::from_ref(edit.path))?);
            Ok(found)
        }
        // In git, no pathspec would mean everything.
        CommitSelection::Pathspecs([]) => Ok(BTreeSet::new()),
        CommitSelection::Pathspecs(patterns) => PathSearch { repo, index, patterns }.run(base),
    }
}

fn literal(repo: &gix::Repository, paths: &[BString]) -> Result<BTreeSet<BString>, CommitError> {
    let config = repo.config_snapshot();
    let options = component::Options {
        protect_windows: cfg!(windows),
        protect_hfs: config.boolean("core.protectHFS").unwrap_or(cfg!(target_os = "macos")),
        protect_ntfs: config.boolean("core.protectNTFS").unwrap_or(true),
    };
    for path in paths {
        for name in path.split_str("/") {
            gix::validate::path::component(name.as_bstr(), None, options)
                .map_err(|source| CommitError::InvalidPath { path: path.clone(), source })?;
        }
    }
    Ok(paths.iter().cloned().collect())
}

struct PathSearch<'a> {
    repo: &'a gix::Repository,
    index: &'a gix::index::File,
    patterns: &'a [BString],
}

impl PathSearch<'_> {
    fn run(&self, base: &CommitBase<'_>) -> Result<BTreeSet<BString>, CommitError> {
        let mut found = BTreeSet::new();
        let mut pathspec = self
            .repo
            .pathspec(false, self.patterns, true, self.index, Source::WorktreeThenIdMapping)
            .map_err(|source| CommitError::Pathspec { source })?;
        self.tracked(&mut pathspec, &mut found);
        self.only_in_head(&mut pathspec, base, &mut found)?;
        self.untracked(&mut found)?;
        Ok(found)
    }

    fn tracked(&self, pathspec: &mut gix::Pathspec<'_>, found: &mut BTreeSet<BString>) {
        for entry in self.index.entries() {
            let path = entry.path(self.index);
            if pathspec.is_included(path, Some(entry.mode.is_submodule())) {
                found.insert(path.to_owned());
            }
        }
    }

    /// Paths that the user removed from the index are still compared with the work tree, as in git. Reads only the
    /// common folder of all pathspecs.
    fn only_in_head(
        &self,
        pathspec: &mut gix::Pathspec<'_>,
        base: &CommitBase<'_>,
        found: &mut BTreeSet<BString>,
    ) -> Result<(), CommitError> {
        let fail = CommitError::git("read the tree of HEAD");
        let shared = pathspec.search().common_prefix().to_owned();
        let folder = shared.trim_end_with(|c| c == '/').as_bstr();
        let Some(tree) = folder_of(base.tree_object()?, folder).map_err(&fail)? else {
            return Ok(());
        };
        let files = tree.traverse().breadthfirst.files().map_err(|error| fail(gix::Error::from_error(error)))?;
        for file in files.iter().filter(|file| !file.mode.is_tree()) {
            let path = joined(folder, file.filepath.as_bstr());
            if pathspec.is_included(path.as_bstr(), Some(file.mode.is_commit()))
                && self.index.entry_index_by_path(path.as_bstr()).is_err()
            {
                found.insert(path);
            }
        }
        Ok(())
    }

    fn untracked(&self, found: &mut BTreeSet<BString>) -> Result<(), CommitError> {
        let fail = CommitError::git("list the untracked files");
        let options = self
            .repo
            .dirwalk_options()
            .map_err(&fail)?
            .emit_untracked(gix::dir::walk::EmissionMode::Matching)
            .emit_tracked(false)
            .emit_ignored(None);
        let mut collected = gix::dir::walk::delegate::Collect::default();
        let never = AtomicBool::new(false);
        self.repo.dirwalk(self.index, self.patterns, &never, options, &mut collected).map_err(&fail)?;
        for (entry, _) in collected.into_entries_by_path() {
            if entry.status == Status::Untracked && matches!(entry.disk_kind, Some(Kind::File | Kind::Symlink)) {
                found.insert(entry.rela_path);
            }
        }
        Ok(())
    }
}

fn folder_of<'repo>(root: gix::Tree<'repo>, folder: &BStr) -> gix::Result<Option<gix::Tree<'repo>>> {
    if folder.is_empty() {
        return Ok(Some(root));
    }
    let entry = root.lookup_entry(folder.split_str("/"))?;
    match entry.filter(|entry| entry.mode().is_tree()) {
        Some(entry) => Ok(Some(entry.object()?.into_tree())),
        None => Ok(None),
    }
}

fn joined(folder: &BStr, name: &BStr) -> BString {
    let mut path = folder.to_owned();
    if !path.is_empty() {
        path.push_byte(b'/');
    }
    path.push_str(name);
    path
}
