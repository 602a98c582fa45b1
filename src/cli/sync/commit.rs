//! `--commit`: the canon's files that were mirrored, the mirrors that are ours, and the lock.

use super::{Args, Seen};
use crate::cli::context::Context;
use crate::cli::env::Out;
use crate::cli::error::CliError;
use crate::git::commit::{Request, Selection, commit};
use crate::mirror::Decision;
use crate::render::counted;
use crate::syntax::RepoPath;
use gix::bstr::BString;
use std::collections::BTreeSet;

/// What the sync saw and decided.
pub struct Done<'a> {
    /// What it saw.
    pub seen: &'a Seen,
    /// What it decided.
    pub decision: &'a Decision,
}

/// Commits.
///
/// # Errors
/// See [`crate::git::commit::CommitError`].
pub fn run(args: &Args, context: &Context<'_>, done: &Done<'_>, out: &mut Out<'_>) -> Result<(), CliError> {
    let paths: Vec<BString> = paths(context, done).iter().map(|path| path.as_bstr().to_owned()).collect();
    let default = "Sync skills to their mirrors".to_owned();
    let message = args.message.clone().unwrap_or(default);
    let request = Request { selection: Selection::Literal(&paths), message: &message };
    match commit(&context.repo, &request)? {
        None => out.remark("Nothing to commit.\n"),
        Some(made) => {
            let short = made.id.to_hex_with_len(10);
            out.remark(&format!("Committed {} as {short}.\n", counted(made.changes.len(), "file")));
        }
    }
    Ok(())
}

/// Literal paths: the canonical files that are mirrored, those that are gone from the canon, the mirrors that are or
/// were ours, and the lock. So a commit never holds a canon and mirrors that disagree.
fn paths(context: &Context<'_>, done: &Done<'_>) -> BTreeSet<RepoPath> {
    let survey = &done.seen.survey;
    let mut paths: BTreeSet<RepoPath> = survey.desired.wants.iter().map(|want| want.canon.clone()).collect();
    let gone = |path: &RepoPath| {
        let on_disk = context.view.on_disk(path);
        on_disk.is_some_and(|path| std::fs::symlink_metadata(path).is_err())
    };
    paths.extend(context.view.tracked(&context.layout.skills()).filter(gone));
    paths.extend(done.decision.lock.entries().iter().map(|(path, _)| path.clone()));
    let refused: BTreeSet<&RepoPath> = done.decision.refused.iter().map(|refusal| &refusal.path).collect();
    let before = survey.lock.iter().flat_map(|lock| lock.entries()).map(|(path, _)| path.clone());
    paths.extend(before);
    // What a person edited in a mirror stays out: it would be committed as if it were the canon's.
    paths.retain(|path| !refused.contains(path));
    paths.insert(context.layout.lock());
    paths
}
