//! Writing what was decided, and the lock that says so.

use super::seen::Seen;
use crate::apply::{Applied, Plan, Session};
use crate::canon::{Blob, State};
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::mirror::{Decision, Lock};
use crate::syntax::RepoPath;
use crate::toolfiles::Part;
use gix::bstr::ByteSlice;

/// Applies a decision and writes the lock.
///
/// # Errors
/// See [`crate::apply::ApplyError`].
pub fn apply(
    context: &Context<'_>,
    session: &mut Session,
    seen: &Seen,
    decision: &Decision,
) -> Result<Applied, CliError> {
    let nothing_to_own = seen.survey.desired.wants.is_empty() && decision.lock.is_empty();
    session.expect_parts(parts(&decision.lock));
    let plan = Plan {
        edits: &decision.edits,
        keep_aside: &decision.forced,
        last: lock_change(context, &decision.lock, nothing_to_own),
    };
    let applied = session.apply(&context.view, &plan, &context.env.cancel)?;
    if !applied.overtaken.is_empty() {
        // What was not written is not owned, and what was not removed still is.
        let before = seen.survey.lock.clone().unwrap_or_default();
        let lock = decision.lock.with_those_of(&before, &with_parts(&applied.overtaken, [&before, &decision.lock]));
        let plan = Plan { edits: &[], keep_aside: &[], last: lock_change(context, &lock, true) };
        session.apply(&context.view, &plan, &context.env.cancel)?;
    }
    Ok(applied)
}

/// Those of a lock's entries that name a part of a shared file.
fn parts(lock: &Lock) -> Vec<(RepoPath, State)> {
    lock.entries().iter().filter(|(path, _)| Part::named(path).is_some()).cloned().collect()
}

/// The paths, and those that name parts of them.
fn with_parts(paths: &[RepoPath], locks: [&Lock; 2]) -> Vec<RepoPath> {
    let of_paths = |(path, _): &(RepoPath, State)| {
        Part::named(path).filter(|(file, _)| paths.contains(file)).map(|_| path.clone())
    };
    let named = locks.into_iter().flat_map(|lock| lock.entries()).filter_map(of_paths);
    paths.iter().cloned().chain(named).collect()
}

/// The lock's new text, where it says something new: a checkout with other line endings does not.
pub fn lock_change(context: &Context<'_>, lock: &Lock, nothing_to_own: bool) -> Option<(RepoPath, Vec<u8>)> {
    let path = context.layout.lock();
    let text = lock.to_text();
    let same = match context.view.read(&path, u64::MAX) {
        Blob::Bytes(before) => before.lines().eq(text.lines()),
        Blob::Missing(_) => nothing_to_own,
    };
    (!same).then_some((path, text))
}
