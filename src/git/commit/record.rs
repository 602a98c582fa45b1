//! Writes the tree and the commit, and moves HEAD or a branch.

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::WriteTo as _;
use gix::refs::FullName;
use gix::refs::transaction::{PreviousValue, RefEdit};

use super::head::CommitBase;
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
    pub parent: Option<ObjectId>,
    pub people: &'a Signatures<'a>,
    pub message: &'a str,
}

impl CommitDraft<'_> {
    /// Writes the commit object, signed if configured. Nothing refers to it yet.
    pub fn write(&self, repo: &gix::Repository) -> Result<ObjectId, CommitError> {
        let fail = CommitError::git("write the commit");
        let mut commit = gix::objs::Commit {
            tree: self.tree,
            parents: self.parent.into_iter().collect(),
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
        let head = "HEAD"
            .try_into()
            .map_err(|error| CommitError::Git { doing: "name HEAD", source: gix::Error::from_error(error) })?;
        self.advance(repo, head, commit)
    }

    /// Moves a reference, given by its full name, from the parent to `commit`.
    pub fn advance(&self, repo: &gix::Repository, name: FullName, commit: ObjectId) -> Result<(), CommitError> {
        let parents = usize::from(self.parent.is_some());
        let expected = match self.parent {
            Some(parent) => PreviousValue::MustExistAndMatch(parent.into()),
            None => PreviousValue::MustNotExist,
        };
        let shown = name.shorten().to_owned();
        let log = gix::reference::log::message("commit", self.message.into(), parents);
        let edit = RefEdit::update(name, commit, expected, log).with_deref(true);
        failpoint::reach("reference").map_err(CommitError::git_io("move the branch"))?;
        match repo.edit_references_as(Some(edit), Some(self.people.committer)) {
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
