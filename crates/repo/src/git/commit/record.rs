//! Writes the tree and the commit, and moves HEAD or a branch.

use gix::ObjectId;
use gix::bstr::{BString, ByteSlice};
use gix::objs::WriteTo as _;
use gix::refs::FullName;
use gix::refs::transaction::{PreviousValue, RefEdit};

use super::head::CommitBase;
use super::own_locks::move_reference;
use super::plan::CommitPlan;
use super::preflight::Signatures;
use super::worktree::PathOutcome;
use super::{ChangeKind, CommitError};
use crate::fs::failpoint;

/// Writes the base tree with the changes of `plan`. Reads and writes only folders with changes.
pub(in crate::git) fn write_tree(
    repo: &gix::Repository,
    base: &CommitBase<'_>,
    plan: &CommitPlan,
) -> Result<ObjectId, CommitError> {
    let fail = CommitError::git("write the tree");
    // gix's editor without its own checks, which would look up every entry of each written folder.
    let mut editor = base.tree_object()?.edit().map_err(&fail)?.detach();
    // Deletions first, because a deleted file may have become a folder.
    for (path, change) in &plan.changes {
        if *change == ChangeKind::Deleted {
            editor.remove_leaf(path.split_str("/").map(ByteSlice::as_bstr)).map_err(&fail)?;
        }
    }
    for path in plan.changes.keys() {
        if let Some(PathOutcome::Put(new)) = plan.outcomes.get(path) {
            let names = path.split_str("/").map(ByteSlice::as_bstr);
            editor.upsert(names, new.kind, new.id).map_err(&fail)?;
        }
    }
    let write = |tree: &_| {
        failpoint::reach("object").map_err(gix::Error::from_error)?;
        repo.write_object(tree).map(|id| id.detach())
    };
    editor.write(write).map_err(fail)
}

/// The parts of a new commit.
pub(in crate::git) struct CommitDraft<'a> {
    pub tree: ObjectId,
    /// The tip that the commit builds upon, and for a merge the merged commit.
    pub parents: Vec<ObjectId>,
    pub people: &'a Signatures<'a>,
    pub message: &'a str,
}

impl CommitDraft<'_> {
    /// Writes the commit object, signed if configured. Nothing refers to it yet.
    pub fn write(&self, repo: &gix::Repository) -> Result<ObjectId, CommitError> {
        let fail = CommitError::git("write the commit");
        let mut commit = gix::objs::Commit {
            tree: self.tree,
            parents: self.parents.iter().copied().collect(),
            author: self.people.author.to_owned().map_err(&fail)?,
            committer: self.people.committer.to_owned().map_err(&fail)?,
            encoding: None,
            message: self.message.into(),
            extra_headers: Vec::new(),
        };
        let sign = |source| CommitError::Sign { source };
        if let Some(options) = repo.commit_signing_options_if_enabled().map_err(sign)? {
            commit = signed(repo, &commit, options).map_err(sign)?;
        }
        failpoint::reach("object").map_err(CommitError::git_io("write the commit"))?;
        repo.write_object(&commit).map(|id| id.detach()).map_err(fail)
    }

    /// Moves HEAD and its branch from the parent to `commit`, unless it moved in the meantime.
    pub fn advance_head(&self, repo: &gix::Repository, commit: ObjectId) -> Result<(), CommitError> {
        self.advance(repo, head_name()?, commit)
    }

    /// Moves a reference, given by its full name, from the parent to `commit`.
    pub fn advance(&self, repo: &gix::Repository, name: FullName, commit: ObjectId) -> Result<(), CommitError> {
        let log = gix::reference::log::message("commit", self.message.into(), self.parents.len());
        let moved = RefMove { name, from: self.parents.first().copied(), to: commit, log };
        moved.apply(repo, self.people)
    }
}

pub(in crate::git) fn head_name() -> Result<FullName, CommitError> {
    let fail = |error| CommitError::Git { doing: "name HEAD", source: gix::Error::from_error(error) };
    FullName::try_from("HEAD").map_err(fail)
}

/// The move of a reference from one commit to another. `from` is `None` on an unborn branch.
pub(in crate::git) struct RefMove {
    pub name: FullName,
    pub from: Option<ObjectId>,
    pub to: ObjectId,
    pub log: BString,
}

impl RefMove {
    /// Moves the reference, unless it moved in the meantime.
    pub fn apply(self, repo: &gix::Repository, people: &Signatures<'_>) -> Result<(), CommitError> {
        let expected = match self.from {
            Some(parent) => PreviousValue::MustExistAndMatch(parent.into()),
            None => PreviousValue::MustNotExist,
        };
        let shown = self.name.shorten().to_owned();
        let edit = RefEdit::update(self.name.clone(), self.to, expected, self.log).with_deref(true);
        let edit = || {
            failpoint::reach("reference").map_err(CommitError::git_io("move the branch"))?;
            Ok(repo.edit_references_as(Some(edit), Some(people.committer)))
        };
        match move_reference(repo, self.name.as_ref(), self.to, edit)?? {
            Ok(_) => Ok(()),
            Err(source) if source.is_retryable() => Err(CommitError::RefLocked { source }),
            Err(source) if source.is_conflict() || source.is_not_found() => {
                Err(CommitError::Moved { name: shown, source })
            }
            Err(source) => Err(CommitError::Git { doing: "move the branch", source }),
        }
    }
}

fn signed(
    repo: &gix::Repository,
    commit: &gix::objs::Commit,
    options: gix::objs::signature::sign::Options,
) -> gix::Result<gix::objs::Commit> {
    let mut raw = Vec::new();
    commit.write_to(&mut raw).map_err(gix::Error::from_error)?;
    gix::objs::CommitRef::from_bytes(&raw, repo.object_hash())?.sign(options)
}
