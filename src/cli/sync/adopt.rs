//! `--adopt`: a mirror's files into the canon.

use super::apply::lock_changes;
use super::args::Args;
use super::reverse_merge::{is_settled, merged};
use crate::app::Workspace;
use crate::app::sync::state::Seen;
use crate::app::{Error, ErrorKind};
use crate::apply::{Applied, Plan, Session};
use crate::cli::output::Out;
use crate::edit::Edit;
use crate::mirror::adopt::{self, AdoptError, AdoptReader, Adoption, adopt, claim_all};
use crate::mirror::{DesiredFile, Lock};
use crate::syntax::RepoPath;
use crate::toolfiles::{self, ManagedPart};
use crate::view::{Basis, View};
use gix::ObjectId;

/// Lines of a file's conflicts that are shown.
const SHOWN: usize = 40;

/// What an adoption gave.
pub struct Adopted {
    /// The work tree as it is now.
    pub view: View,
    /// Files of the canon that were written.
    pub files: Vec<RepoPath>,
}

/// Adopts what the arguments name, and gives a new view of the work tree where something changed.
///
/// # Errors
/// A path that is in no mirror, or that cannot be taken without losing something of the canon.
pub fn run(
    args: &Args,
    context: &Workspace,
    session: &mut Session,
    seen: &Seen,
    out: &Out<'_>,
) -> Result<Option<Adopted>, Error> {
    let survey = &seen.survey;
    let lock = survey.lock.clone();
    let now = adopt::AdoptContext { desired: &survey.desired, actual: &survey.actual, lock: &lock };
    let link_text = |path: &RepoPath| seen.link_text(&context.view, path);
    let merge = |want: &DesiredFile, path: &RepoPath, base: ObjectId| merged((&context.view, seen), want, path, base);
    let is_settled = |path: &RepoPath, canon: &RepoPath| is_settled((&context.view, seen), path, canon);
    let reads = AdoptReader { link_text: &link_text, merge: &merge, is_settled: &is_settled };
    let Some(given) = &args.adopt else { return Ok(None) };
    let paths = given.iter().map(|given| context.inside(given)).collect::<Result<Vec<RepoPath>, Error>>()?;
    let adoption = if args.all {
        claim_everything(context, seen, &now)
    } else {
        adopt(&paths, &now, &context.layout.skills(), &reads)
    };
    if let Some(refused) = adoption.refused.first() {
        for (_, cause) in &adoption.refused {
            out.remark(&cause.lines().map(shortened).unwrap_or_default());
        }
        return Err(error(&context.view.full(&refused.0), &refused.1));
    }
    let applied = carry_out(context, session, &adoption, &[])?;
    if adoption.edits.is_empty() {
        let ours = |lock: &Lock, path: &RepoPath| lock.owns(path) || ManagedPart::from_lock_path(path).is_some();
        let claimed = adoption.lock.entries().iter().filter(|(path, _)| !ours(&lock, path)).count();
        out.remark(&format!("claimed   {claimed} files that equal the canon\n"));
    }
    Ok(Some(Adopted { view: context.look(&Basis::WorkTree)?, files: applied.written }))
}

/// Mirrored files, and parts of the tools' other files.
fn claim_everything(context: &Workspace, seen: &Seen, now: &adopt::AdoptContext<'_>) -> Adoption {
    let adoption = claim_all(now);
    let shared = &seen.survey.shared;
    let parts = toolfiles::claim_parts(&toolfiles::ToolFileContext {
        wanted: &shared.wanted,
        standing: &shared.standing,
        ours: &[],
        hash: context.view.object_hash(),
    });
    Adoption { lock: adoption.lock.with(parts), ..adoption }
}

/// Writes what an adoption changes in the canon, `beside` it other new files, and then the lock: only what is in the
/// canon by now is ours.
///
/// # Errors
/// Something else stands by now where a file of the canon was to be written, or the file system refused.
pub fn carry_out(
    context: &Workspace,
    session: &mut Session,
    adoption: &Adoption,
    beside: &[Edit],
) -> Result<Applied, Error> {
    let cancel = &context.env.cancel;
    let edits: Vec<Edit> = adoption.edits.iter().chain(beside).cloned().collect();
    let plan = Plan { edits: &edits, keep_aside: &[], last: Vec::new() };
    // Without edits the journal stays as it is until the lock is written.
    let applied = if edits.is_empty() { Applied::default() } else { session.apply(&context.view, &plan, cancel)? };
    let missed = |path: &&RepoPath| adoption.edits.iter().any(|edit| edit.path() == *path);
    if let Some(path) = applied.overtaken.iter().find(missed) {
        let message =
            format!("{path}: something else stands there by now; nothing is lost, look at it and run this again");
        return Err(Error::new(ErrorKind::Refused, message));
    }
    let last = lock_changes(context, &adoption.lock, adoption.lock.is_empty());
    session.apply(&context.view, &Plan { edits: &[], keep_aside: &[], last }, cancel)?;
    Ok(applied)
}

/// The first lines of a conflict, for a person to decide about.
fn shortened(lines: &str) -> String {
    let more = lines.lines().count().saturating_sub(SHOWN);
    let mut text: String = lines.split_inclusive('\n').take(SHOWN).collect();
    if more > 0 {
        text.push_str(&format!("… {more} more lines\n"));
    }
    text
}

fn error(path: &RepoPath, cause: &AdoptError) -> Error {
    Error::new(ErrorKind::Refused, format!("{path}: {cause}")).help(cause.help())
}
