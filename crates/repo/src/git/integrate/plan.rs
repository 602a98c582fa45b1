//! Decides what a merge does to the index and the work tree, and finds the user's changes that are in the way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::{BStr, BString, ByteSlice};
use gix::index::entry::{Flags, Mode, Stage, Stat};
use gix::index::fs::Metadata;
use gix::objs::tree::{EntryKind, EntryMode};

use super::smudge::Smudger;
use super::temporary::is_temporary;
use crate::git::commit::CommitError;
use crate::git::commit::content::WorktreeContent;
use crate::git::commit::head::Leaf;
use crate::git::commit::index::follow;
use crate::git::commit::staging::is_unmerged;
use crate::git::commit::worktree::{PathOutcome, Staged, lstat};
use crate::git::diff::{TreeChanges, entry_at};
use crate::git::worktrees::exclude_sparse;
use canonry_text::RepoPath;

/// The move of the work tree from one tree to another.
pub(super) struct PlanInput<'a> {
    pub changes: &'a TreeChanges,
    /// The tree of an interrupted integration, whose files are ours to overwrite.
    pub written: Option<ObjectId>,
}

/// Change of one path.
pub(super) struct FileMove {
    pub path: BString,
    pub old: Option<Leaf>,
    pub new: Option<Leaf>,
    /// Whether a sparse checkout leaves the file out.
    pub skip: bool,
    /// The file on disk, if there is one.
    pub disk: Option<Stat>,
    /// Whether the file on disk is as in the new tree already.
    pub is_current: bool,
}

/// A checkout, and the obstacles to it.
pub(super) struct CheckoutPlan<'r> {
    pub repo: &'r gix::Repository,
    pub top: PathBuf,
    pub fs: gix::fs::Capabilities,
    pub moves: Vec<FileMove>,
    pub old_index: gix::index::State,
    pub new_index: gix::index::State,
    /// Paths with other changes. Any of them prevents the checkout.
    pub obstacles: Vec<RepoPath>,
}

impl<'r> CheckoutPlan<'r> {
    /// Compares index and work tree with both trees.
    pub fn make(
        repo: &'r gix::Repository,
        index: &gix::index::File,
        input: &PlanInput<'_>,
    ) -> Result<Self, CommitError> {
        let excluded = excluded_additions(repo, input.changes)?;
        let mut moves = Vec::new();
        let mut obstacles = BTreeSet::new();
        for (path, (old, new)) in &input.changes.leaves {
            obstacles.extend(index_obstacles(repo, index, input, path)?);
            let skip = is_skipped(index, path.as_bstr()) || excluded.contains(path);
            let path = path.clone();
            let old = *old;
            let new = *new;
            moves.push(FileMove { path, old, new, skip, disk: None, is_current: false });
        }
        let top = repo.workdir().ok_or(CommitError::Bare)?.to_owned();
        let fs = repo.filesystem_options().map_err(CommitError::git("read the configuration of the file system"))?;
        let old_index = gix::index::State::clone(index);
        let mut new_index = gix::index::State::clone(index);
        follow(&mut new_index, &moves.iter().map(|each| (each.path.clone(), each.outcome(Stat::default()))).collect());
        let mut plan = Self { repo, top, fs, moves, old_index, new_index, obstacles: Vec::new() };
        obstacles.extend(plan.inspect(index, input)?);
        plan.obstacles = obstacles.iter().map(RepoPath::new).collect();
        Ok(plan)
    }

    /// Looks at the files on disk. Returns what is in the way.
    fn inspect(&mut self, index: &gix::index::File, input: &PlanInput<'_>) -> Result<BTreeSet<BString>, CommitError> {
        let mut inspector = Inspector {
            repo: self.repo,
            input,
            top: &self.top,
            content: WorktreeContent::new(self.repo, index)?,
            old: Smudger::new(self.repo, &self.old_index)?,
            new: Smudger::new(self.repo, &self.new_index)?,
        };
        let mut obstacles = BTreeSet::new();
        for each in &mut self.moves {
            obstacles.extend(inspector.inspect(each)?);
        }
        Ok(obstacles)
    }

    /// The new index entries, after the files are written.
    pub fn outcomes(&self) -> Result<BTreeMap<BString, PathOutcome>, CommitError> {
        let mut outcomes = BTreeMap::new();
        for each in &self.moves {
            let disk = if each.skip || each.new.is_none() { None } else { lstat(self.absolute(each.path.as_bstr())?)? };
            // An empty stat never matches, so git reads the file.
            let stat = disk.and_then(|disk| Stat::from_fs(&disk).ok()).unwrap_or_default();
            outcomes.insert(each.path.clone(), each.outcome(stat));
        }
        Ok(outcomes)
    }

    pub fn absolute(&self, path: &BStr) -> Result<PathBuf, CommitError> {
        Ok(self.top.join(crate::git::commit::content::on_disk(path)?))
    }
}

impl FileMove {
    fn outcome(&self, stat: Stat) -> PathOutcome {
        let staged = |leaf: Leaf| Staged { skip_worktree: self.skip, ..Staged::new(leaf.id, leaf.kind, stat) };
        self.new.map_or(PathOutcome::Gone, |leaf| PathOutcome::Put(staged(leaf)))
    }
}

/// The state of a path in the index, without conflicts.
pub(super) fn staged(index: &gix::index::State, path: &BStr) -> Option<Leaf> {
    let entry = index.entry_by_path_and_stage(path, Stage::Unconflicted)?;
    let kind = entry.mode.to_tree_entry_mode().map(|mode| mode.kind())?;
    Some(Leaf { id: entry.id, kind })
}

/// Whether a sparse checkout leaves out a path in the index.
pub(super) fn is_skipped(index: &gix::index::State, path: &BStr) -> bool {
    let entry = index.entry_by_path_and_stage(path, Stage::Unconflicted);
    entry.is_some_and(|entry| entry.flags.contains(Flags::SKIP_WORKTREE))
}

/// New files that a sparse checkout leaves out.
pub(super) fn excluded_additions(
    repo: &gix::Repository,
    changes: &TreeChanges,
) -> Result<BTreeSet<BString>, CommitError> {
    let mut added = gix::index::State::new(repo.object_hash());
    for (path, change) in &changes.leaves {
        if let (None, Some(leaf)) = change {
            let mode: Mode = EntryMode::from(leaf.kind).into();
            added.dangerously_push_entry(Stat::default(), leaf.id, Flags::empty(), mode, path.as_bstr());
        }
    }
    added.sort_entries();
    exclude_sparse(repo, &mut added)?;
    let excluded = added.entries().iter().filter(|entry| entry.flags.contains(Flags::SKIP_WORKTREE));
    Ok(excluded.map(|entry| entry.path(&added).to_owned()).collect())
}

/// Entries of the index that are neither as in the old nor as in the new tree.
fn index_obstacles(
    repo: &gix::Repository,
    index: &gix::index::File,
    input: &PlanInput<'_>,
    path: &BString,
) -> Result<Vec<BString>, CommitError> {
    let Some((old, new)) = input.changes.leaves.get(path) else { return Ok(Vec::new()) };
    let entry = index.entry_by_path_and_stage(path.as_bstr(), Stage::Unconflicted);
    let intended = entry.is_some_and(|entry| entry.flags.contains(Flags::INTENT_TO_ADD));
    let staged = staged(index, path.as_bstr());
    let is_known = staged == *old || staged == *new || input.written.is_some() && staged == written(repo, input, path)?;
    if is_unmerged(index, path.as_bstr()) || intended || !is_known {
        return Ok(vec![path.clone()]);
    }
    if new.is_none() {
        return Ok(Vec::new());
    }
    // A new file cannot be beside staged files of a folder with its name, or below a staged file.
    let goes = |path: &BStr| input.changes.leaves.get(path).is_some_and(|(_, new)| new.is_none());
    let mut folder = path.clone();
    folder.push(b'/');
    let below = index.prefixed_entries(folder.as_bstr()).unwrap_or_default().iter().map(|entry| entry.path(index));
    let above = path.find_iter("/").map(|slash| path[..slash].as_bstr());
    let above = above.filter(|folder| index.entry_index_by_path(folder).is_ok());
    Ok(below.chain(above).filter(|path| !goes(path)).map(BStr::to_owned).collect())
}

/// The file that an interrupted integration wrote to a path, if there was one.
fn written(repo: &gix::Repository, input: &PlanInput<'_>, path: &BString) -> Result<Option<Leaf>, CommitError> {
    let Some(tree) = input.written else { return Ok(None) };
    let entry = entry_at(repo, tree, path.as_bstr())?.filter(|(_, mode)| !mode.is_tree());
    Ok(entry.map(|(id, mode)| Leaf { id, kind: mode.kind() }))
}

/// Compares the files on disk with both trees.
struct Inspector<'a> {
    repo: &'a gix::Repository,
    input: &'a PlanInput<'a>,
    top: &'a Path,
    content: WorktreeContent<'a>,
    old: Smudger<'a>,
    new: Smudger<'a>,
}

impl Inspector<'_> {
    /// Fills in the state of the file on disk. Returns the paths that are in the way.
    fn inspect(&mut self, each: &mut FileMove) -> Result<Vec<BString>, CommitError> {
        let path = each.path.clone();
        let disk = match self.above(path.as_bstr())? {
            Above::Folders => lstat(self.content.absolute(path.as_bstr())?)?,
            Above::Missing => None,
            Above::File(above) => {
                if self.input.changes.leaves.contains_key(&above) {
                    None
                } else {
                    return Ok(vec![above]);
                }
            }
        };
        let Some(disk) = disk else {
            // A file that the user deleted, and the branch changed.
            let is_deleted = each.old.is_some() && each.new.is_some() && !each.skip;
            return Ok(if is_deleted { vec![path] } else { Vec::new() });
        };
        if disk.is_dir() {
            let is_replaced = each.old.is_some() && each.new.is_some();
            let strangers = self.strangers(&self.content.absolute(path.as_bstr())?)?;
            return Ok(if strangers.is_empty() && is_replaced { vec![path] } else { strangers });
        }
        // A file that is there although a sparse checkout leaves it out.
        each.skip = false;
        each.disk = Some(Stat::from_fs(&disk).map_err(|error| CommitError::Git {
            doing: "store the time of a file",
            source: gix::Error::from_error(error),
        })?);
        let Some(is_current) = self.compare(each, &disk)? else { return Ok(vec![path]) };
        each.is_current = is_current;
        Ok(Vec::new())
    }

    /// Whether the file is as in the new tree, as opposed to the old one. `None` if it is as in neither.
    fn compare(&mut self, each: &FileMove, disk: &Metadata) -> Result<Option<bool>, CommitError> {
        let path = each.path.as_bstr();
        let written = written(self.repo, self.input, &each.path)?;
        let known = each.old.or(each.new).map(|leaf| leaf.kind);
        if self.content.kind(disk, known).is_none() {
            return Ok(None);
        }
        let id = self.content.hash(path, disk)?;
        let is = |this: &Self, leaf: Option<Leaf>| {
            leaf.filter(|leaf| this.content.kind(disk, Some(leaf.kind)) == Some(leaf.kind))
        };
        let old = is(self, each.old);
        let new = is(self, each.new);
        let written = is(self, written);
        let has = |leaf: Option<Leaf>| leaf.is_some_and(|leaf| leaf.id == id);
        if has(new) {
            return Ok(Some(true));
        }
        if has(old) || has(written) {
            return Ok(Some(false));
        }
        // The attributes may have changed with the merge. Then the bytes decide.
        if !disk.is_file() {
            return Ok(None);
        }
        let file = self.content.absolute(path)?;
        let bytes = crate::fs::read(&file).map_err(|source| CommitError::File { path: file, source })?;
        if equals(&mut self.new, path, new, &bytes)? {
            return Ok(Some(true));
        }
        Ok(equals(&mut self.old, path, old, &bytes)?.then_some(false))
    }

    /// The first thing above a path that is not a folder. Links are not followed.
    fn above(&self, path: &BStr) -> Result<Above, CommitError> {
        for slash in path.find_iter("/") {
            let folder = path[..slash].as_bstr();
            match lstat(self.content.absolute(folder)?)? {
                None => return Ok(Above::Missing),
                Some(disk) if !disk.is_dir() => return Ok(Above::File(folder.to_owned())),
                Some(_) => {}
            }
        }
        Ok(Above::Folders)
    }

    /// The files below a folder that neither tree knows.
    fn strangers(&self, folder: &Path) -> Result<Vec<BString>, CommitError> {
        let fail = CommitError::git("list a folder");
        let mut strangers = Vec::new();
        for entry in walkdir::WalkDir::new(folder) {
            let entry = entry.map_err(|error| fail(gix::Error::from_error(error)))?;
            if entry.file_type().is_dir() || is_temporary(entry.file_name()) {
                continue;
            }
            let relative = entry.path().strip_prefix(self.top).unwrap_or(entry.path());
            let path = gix::path::into_bstr(relative).map_err(&fail)?.into_owned();
            if !self.input.changes.leaves.contains_key(&path) {
                strangers.push(path);
            }
        }
        Ok(strangers)
    }
}

/// Parents of a path on disk.
enum Above {
    Folders,
    Missing,
    /// A file or a link.
    File(BString),
}

/// Whether a checkout of `leaf` writes these bytes.
fn equals(smudger: &mut Smudger<'_>, path: &BStr, leaf: Option<Leaf>, bytes: &[u8]) -> Result<bool, CommitError> {
    match leaf {
        Some(leaf) if leaf.kind != EntryKind::Link => Ok(smudger.file(path, leaf.id)? == bytes),
        _ => Ok(false),
    }
}
