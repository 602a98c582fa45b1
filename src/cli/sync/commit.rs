//! `--commit`: the canon's files that were mirrored, the mirrors that are ours, and the lock.

use super::args::Args;
use super::seen::Seen;
use crate::canon::Blob;
use crate::cli::context::{Context, Origin};
use crate::cli::error::CliError;
use crate::config::Files;
use crate::git::commit::{Committed, Request, Selection, commit};
use crate::mirror::{Decision, Lock};
use crate::render::counted;
use crate::syntax::RepoPath;
use crate::toolfiles::{self, Part};
use crate::view::tools::{may_be_ours, without_ours};
use crate::view::{Basis, View};
use gix::bstr::BString;
use std::collections::BTreeSet;

/// What the sync saw and decided.
pub struct Done<'a> {
    /// What it saw.
    pub seen: &'a Seen,
    /// What it decided.
    pub decision: &'a Decision,
}

/// Commits; `None` where there was nothing to commit.
///
/// # Errors
/// See [`crate::git::commit::CommitError`].
pub fn run(args: &Args, context: &Context<'_>, done: &Done<'_>) -> Result<Option<Committed>, CliError> {
    let paths: Vec<BString> = paths(context, done).iter().map(|path| path.as_bstr().to_owned()).collect();
    let default = "Sync skills to their mirrors".to_owned();
    let message = args.message.clone().unwrap_or(default);
    let request = Request { selection: Selection::Literal(&paths), message: &message };
    Ok(commit(&context.repo, &request)?)
}

/// What a commit run says.
pub fn in_words(made: Option<&Committed>) -> String {
    match made {
        None => "Nothing to commit.\n".to_owned(),
        Some(made) => {
            format!("Committed {} as {}.\n", counted(made.changes.len(), "file"), made.id.to_hex_with_len(10))
        }
    }
}

/// Literal paths: the canonical files that are mirrored, those that are gone from the canon, the mirrors that are or
/// were ours, and the lock. So a commit never holds a canon and mirrors that disagree.
fn paths(context: &Context<'_>, done: &Done<'_>) -> BTreeSet<RepoPath> {
    let survey = &done.seen.survey;
    let mut paths: BTreeSet<RepoPath> = survey.desired.sources().cloned().collect();
    let gone = |path: &RepoPath| {
        let on_disk = context.view.on_disk(path);
        on_disk.is_some_and(|path| std::fs::symlink_metadata(path).is_err())
    };
    paths.extend(survey.overlays.used.iter().cloned());
    for folder in [context.layout.skills(), context.layout.overlays()] {
        paths.extend(context.view.tracked(&folder).filter(gone));
    }
    paths.extend(done.decision.lock.entries().iter().map(|(path, _)| path.clone()));
    // Mirrors that an earlier run removed are still in HEAD; its lock names them.
    paths.extend(committed_lock(context).entries().iter().map(|(path, _)| path.clone()).filter(gone));
    let refused: BTreeSet<&RepoPath> = done.decision.refused.iter().map(|refusal| &refusal.path).collect();
    let before = survey.lock.iter().flat_map(|lock| lock.entries()).map(|(path, _)| path.clone());
    paths.extend(before);
    // Whatever a lock says: nothing but the canon and what sync writes is committed.
    let skills = context.layout.skills();
    let canon: BTreeSet<RepoPath> = survey.desired.wants.iter().map(|want| want.canon.clone()).collect();
    let overlays = context.layout.overlays();
    let is_canon = |path: &RepoPath| path.is_within(&skills) || path.is_within(&overlays) || canon.contains(path);
    paths.retain(|path| is_canon(path) || may_be_ours(path));
    let shared: BTreeSet<RepoPath> = paths.iter().filter_map(Part::named).map(|(file, _)| file).collect();
    paths.retain(|path| Part::named(path).is_none());
    paths.extend(shared.iter().filter(|file| !holds_others(context, done, file)).cloned());
    paths.extend(
        survey.shared.wanted.pieces.iter().map(|piece| piece.canon.clone()).filter(|path| !path.is_within(&skills)),
    );
    paths.extend(config(context));
    // What a person edited in a mirror stays out: it would be committed as if it were the canon's.
    paths.retain(|path| !refused.contains(path));
    paths.insert(context.layout.lock());
    paths
}

/// Shared files that a commit leaves out, since they hold changes of people's that are not committed.
pub fn left_out(context: &Context<'_>, done: &Done<'_>) -> Vec<RepoPath> {
    let ours = toolfiles::concerned(&done.seen.survey.shared.wanted, done.decision.lock.entries());
    ours.into_iter().filter(|file| holds_others(context, done, file)).collect()
}

/// Whether a shared file differs from HEAD's by more than what is ours.
fn holds_others(context: &Context<'_>, done: &Done<'_>, file: &RepoPath) -> bool {
    let here = without_ours(&context.view, file, &done.decision.lock);
    let Ok(head) = View::open(&context.repo, &Basis::Commit("HEAD".to_owned())) else {
        return here.is_some();
    };
    here != without_ours(&head, file, &committed_lock(context))
}

/// The config, where it is a part of the repository and says which of the tools' files are written.
fn config(context: &Context<'_>) -> Option<RepoPath> {
    if context.config.files == Files::default() {
        return None;
    }
    let top = RepoPath::from("canonry.yaml");
    let local = context.view.on_disk(&RepoPath::from("canonry.local.yaml")).is_some_and(|path| path.exists());
    match context.origin {
        Origin::Canon => Some(context.layout.config()),
        Origin::Top => Some(top).filter(|_| !local),
        Origin::Elsewhere => None,
    }
}

/// The lock as HEAD has it; an empty one where it has none that can be read.
fn committed_lock(context: &Context<'_>) -> Lock {
    let head = View::open(&context.repo, &Basis::Commit("HEAD".to_owned()));
    let blob = head.map(|head| head.read(&context.layout.lock(), u64::MAX));
    match blob {
        Ok(Blob::Bytes(bytes)) => Lock::parse(&bytes).unwrap_or_default(),
        _ => Lock::default(),
    }
}
