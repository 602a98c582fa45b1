//! `canonry init`

mod decide;
pub(super) mod ground;
mod report;
mod tools;

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::app::Environment;
use crate::app::Error;
use crate::app::Workspace;
use crate::app::diffs::FileDiff;
use crate::app::sync::state::SyncState;
use crate::app::sync::write::write_adoption;
use crate::apply::{Session, unfinished};
use crate::canon::FileState;
use crate::render::diff;
use crate::scaffold::ScaffoldSize;
use crate::syntax::RepoPath;
use crate::view::load;
use crate::view::survey::Asked;
use decide::{Decided, decide};
use report::Outcome;

/// Create a canon, and adopt the skills that tools already have
///
/// A new canon contains seven skills, the workflow, permissions, schemas, an empty memory and an example plan. `init` never overwrites a file; a second run adds what is missing. It moves no skill: skills in the directories of tools (.claude/skills, .gemini/skills, .agents/skills and others) are copied to the canon unchanged.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Add only AGENTS.md and the config, for teams that only want their skills mirrored
    #[arg(long)]
    pub minimal: bool,
    /// Write nothing; print the new files as a unified diff
    #[arg(long)]
    pub dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

impl Args {
    fn extent(&self) -> ScaffoldSize {
        if self.minimal { ScaffoldSize::Minimal } else { ScaffoldSize::Full }
    }
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let mut context = ground::open(env)?;
    let found = tools::find(&context)?;
    context.config.targets = found.targets.clone();
    let outcome = if args.dry_run { look(args, &context, &found, out)? } else { write(args, &context, &found)? };
    match args.format {
        Format::Json => out.result(&outcome.to_json()),
        Format::Human if args.dry_run => out.remark(&outcome.in_words()),
        Format::Human => out.result(&outcome.in_words()),
    }
    Ok(outcome.status())
}

fn look(args: &Args, context: &Workspace, found: &tools::Found, out: &Out<'_>) -> Result<Outcome, Error> {
    let seen = see(context, unfinished(&context.git_dir()?))?;
    let decided = decide(context, &seen, found, args.extent())?;
    if args.format == Format::Human {
        let edits = decided.over.adoption.edits.iter().chain(&decided.scaffold.edits);
        out.result(&diff::patch(&edits.map(|edit| FileDiff::from_edit(&context.view, edit)).collect::<Vec<_>>()));
    }
    Ok(Outcome::foreseen(context, decided))
}

fn write(args: &Args, context: &Workspace, found: &tools::Found) -> Result<Outcome, Error> {
    let mut session = Session::begin(&context.git_dir()?)?;
    session.sweep(&context.view);
    let seen = see(context, session.pending())?;
    let decided = decide(context, &seen, found, args.extent())?;
    if decided.writes() && decided.never_synced {
        let lock = &decided.over.adoption.lock;
        let text = (!lock.is_empty()).then(|| lock.to_text());
        session.expect_first_sync(text.as_deref())?;
    }
    let applied = write_adoption(context, &mut session, &decided.over.adoption, &decided.scaffold.edits)?;
    Ok(Outcome::happened(context, decided, &applied))
}

/// A skill that no tool can read is taken over like the others: nothing of it is to be lost.
fn see(context: &Workspace, pending: Vec<(RepoPath, FileState)>) -> Result<SyncState, Error> {
    let view = &context.view;
    SyncState::load_with(context, view, pending, &|folder, _| load::looks(view, folder, Asked::Marks))
}

impl Decided {
    fn writes(&self) -> bool {
        !self.scaffold.edits.is_empty() || !self.over.skills.is_empty()
    }
}
