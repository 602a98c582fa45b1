//! Writing what was decided, and the lock that says so.

use crate::app::Error;
use crate::app::Workspace;
use crate::app::sync::state::Seen;
use crate::apply::{Applied, Plan, Session};
use crate::canon::{Blob, FileState};
use crate::edit::Edit;
use crate::mirror::{Lock, SyncPlan};
use crate::syntax::RepoPath;
use crate::toolfiles::ManagedPart;
use crate::view::PathKind;
use gix::bstr::ByteSlice;

/// What is written, and the locks before and after.
pub struct Todo<'a> {
    /// The changes, in order.
    pub edits: &'a [Edit],
    /// Paths whose content must be kept aside first.
    pub keep_aside: &'a [RepoPath],
    /// What is ours before.
    pub before: &'a Lock,
    /// What is ours once all is written.
    pub after: &'a Lock,
    /// Whether no lock is to be made where there is none.
    pub nothing_to_own: bool,
}

/// Applies a decision and writes the lock.
///
/// # Errors
/// See [`crate::apply::ApplyError`].
pub fn apply(context: &Workspace, session: &mut Session, seen: &Seen, decision: &SyncPlan) -> Result<Applied, Error> {
    let todo = Todo {
        edits: &decision.edits,
        keep_aside: &decision.forced,
        before: &seen.survey.lock,
        after: &decision.lock,
        nothing_to_own: seen.survey.desired.files.is_empty() && decision.lock.is_empty(),
    };
    write(context, session, &todo)
}

/// Writes files and, after them, the lock. The journal names what will be ours of files that people write too.
///
/// # Errors
/// See [`crate::apply::ApplyError`].
pub fn write(context: &Workspace, session: &mut Session, todo: &Todo<'_>) -> Result<Applied, Error> {
    session.expect_parts(parts(todo.after));
    let last = lock_changes(context, todo.after, todo.nothing_to_own);
    let plan = Plan { edits: todo.edits, keep_aside: todo.keep_aside, last };
    let applied = session.apply(&context.view, &plan, &context.env.cancel)?;
    if !applied.overtaken.is_empty() {
        // What was not written is not owned, and what was not removed still is.
        let overtaken = with_parts(&applied.overtaken, [todo.before, todo.after]);
        let lock = todo.after.with_those_of(todo.before, &overtaken);
        let plan = Plan { edits: &[], keep_aside: &[], last: lock_changes(context, &lock, true) };
        session.apply(&context.view, &plan, &context.env.cancel)?;
    }
    Ok(applied)
}

/// Those of a lock's entries that name a part of a shared file.
fn parts(lock: &Lock) -> Vec<(RepoPath, FileState)> {
    lock.entries().iter().filter(|(path, _)| ManagedPart::from_lock_path(path).is_some()).cloned().collect()
}

/// The paths, and those that name parts of them.
fn with_parts(paths: &[RepoPath], locks: [&Lock; 2]) -> Vec<RepoPath> {
    let of_paths = |(path, _): &(RepoPath, FileState)| {
        ManagedPart::from_lock_path(path).filter(|(file, _)| paths.contains(file)).map(|_| path.clone())
    };
    let named = locks.into_iter().flat_map(|lock| lock.entries()).filter_map(of_paths);
    paths.iter().cloned().chain(named).collect()
}

/// The locks' new texts, where they say something new; `None` for one that is to go. An entry that goes from one lock to
/// the other is in both for a moment, and never in none.
pub fn lock_changes(context: &Workspace, lock: &Lock, nothing_to_own: bool) -> Vec<(RepoPath, Option<Vec<u8>>)> {
    let shared = shared_lock_change(context, lock, nothing_to_own).map(|(path, text)| (path, Some(text)));
    let path = context.layout.local_lock();
    let own = match context.config.files.git.ignore {
        true => changed(context, &path, &lock.in_mirrors(), nothing_to_own).map(Some),
        // What it said is in the other lock now.
        false => (context.view.kind(&path) == PathKind::File).then_some(None),
    };
    let own = own.map(|own| (path, own));
    match context.config.files.git.ignore {
        true => own.into_iter().chain(shared).collect(),
        false => shared.into_iter().chain(own).collect(),
    }
}

/// The new text of the lock that is committed, where it says something new.
pub fn shared_lock_change(context: &Workspace, lock: &Lock, nothing_to_own: bool) -> Option<(RepoPath, Vec<u8>)> {
    let path = context.layout.lock();
    let text = match context.config.files.git.ignore {
        // It is there, though it says nothing: a commit without it would look as if nobody had ever run a sync.
        true => changed(context, &path, &lock.beside_mirrors(), false),
        false => changed(context, &path, lock, nothing_to_own),
    };
    text.map(|text| (path, text))
}

/// A checkout with other line endings says nothing new.
fn changed(context: &Workspace, path: &RepoPath, lock: &Lock, nothing_to_own: bool) -> Option<Vec<u8>> {
    let text = lock.to_text();
    let same = match context.view.read(path, u64::MAX) {
        Blob::Bytes(before) => before.lines().eq(text.lines()),
        Blob::Missing(_) => nothing_to_own,
    };
    (!same).then_some(text)
}
