//! `--adopt`: a mirror's files into the canon.

use super::apply::lock_change;
use super::args::Args;
use super::seen::Seen;
use crate::apply::{Applied, Plan, Session};
use crate::canon::Mode;
use crate::cli::context::Context;
use crate::cli::env::Out;
use crate::cli::error::CliError;
use crate::cli::status::Status;
use crate::mirror::adopt::{self, Cause, adopt, claim_all};
use crate::syntax::RepoPath;
use crate::view::{Basis, View};

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
    context: &Context<'_>,
    session: &mut Session,
    seen: &Seen,
    out: &mut Out<'_>,
) -> Result<Option<Adopted>, CliError> {
    let survey = &seen.survey;
    let lock = survey.lock.clone().unwrap_or_default();
    let now = adopt::Seen { desired: &survey.desired, actual: &survey.actual, lock: &lock };
    let link_text = |path: &RepoPath| {
        let is_link = survey.actual.state(path).is_some_and(|state| state.mode == Mode::Link);
        is_link.then(|| context.view.link_text(path)).flatten()
    };
    let Some(given) = &args.adopt else { return Ok(None) };
    let paths = given.iter().map(|given| context.inside(given)).collect::<Result<Vec<RepoPath>, CliError>>()?;
    let adoption = if args.all { claim_all(&now) } else { adopt(&paths, &now, &context.layout.skills(), link_text) };
    if let Some(refused) = adoption.refused.first() {
        return Err(error(&refused.0, &refused.1));
    }
    let cancel = &context.env.cancel;
    let plan = Plan { edits: &adoption.edits, keep_aside: &[], last: None };
    // Without edits the journal stays as it is until the lock is written.
    let applied =
        if adoption.edits.is_empty() { Applied::default() } else { session.apply(&context.view, &plan, cancel)? };
    if let Some(path) = applied.overtaken.first() {
        let message =
            format!("{path}: something else stands there by now; nothing is lost, look at it and run this again");
        return Err(CliError::new(Status::Refused, message));
    }
    // Only what is in the canon by now is ours.
    let last = lock_change(context, &adoption.lock, adoption.lock.is_empty());
    session.apply(&context.view, &Plan { edits: &[], keep_aside: &[], last }, cancel)?;
    if adoption.edits.is_empty() {
        let claimed = adoption.lock.entries().len() - lock.entries().len();
        out.remark(&format!("claimed   {claimed} files that equal the canon\n"));
    }
    Ok(Some(Adopted { view: View::open(&context.repo, &Basis::WorkTree)?, files: applied.written }))
}

fn error(path: &RepoPath, cause: &Cause) -> CliError {
    CliError::new(Status::Refused, format!("{path}: {cause}")).help(cause.help())
}
