//! `canonry import`

mod report;
mod see;

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::app::Environment;
use crate::app::Workspace;
use crate::app::diffs::FileDiff;
use crate::app::{Error, ErrorKind};
use crate::apply::{Session, WritePlan};
use crate::import::{Import, Origin, import};
use crate::render::diff;
use crate::syntax::RepoPath;
use crate::view::tools::may_be_ours;
use report::{Mood, Outcome};
use see::Seen;

/// Import skills, rules and settings from other tools
///
/// Skills, rules, subagents, commands, MCP servers, permissions and memory become files in agent/. The import never overwrites a file, never changes or removes the source, and makes no commit. It reports what it imported, what it skipped, and why. Without --from, canonry detects the source; if there are several, choose one.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Source to import from
    #[arg(long, value_enum, value_name = "TOOL")]
    pub from: Option<From>,
    /// Write nothing; print the new files as a unified diff
    #[arg(long)]
    pub dry_run: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

/// The origins by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum From {
    /// .rulesync/
    Rulesync,
    /// .ruler/
    Ruler,
    /// .trellis/
    Trellis,
    /// .agent/ of agentic-stack
    AgenticStack,
    /// Directories and files of the tools themselves: .claude, .cursor, .gemini, .codex, .agents, AGENTS.md, .mcp.json and others
    Tools,
}

impl From {
    fn origin(self) -> Origin {
        match self {
            Self::Rulesync => Origin::Rulesync,
            Self::Ruler => Origin::Ruler,
            Self::Trellis => Origin::Trellis,
            Self::AgenticStack => Origin::AgenticStack,
            Self::Tools => Origin::Tools,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let context = super::init::ground::open(env)?;
    let session = if args.dry_run { None } else { Some(begin(&context)?) };
    let seen = Seen::of(&context)?;
    let Some(origin) = choose(args, &seen)? else {
        out.remark(
            "Nothing to import: neither rulesync, ruler, Trellis or agentic-stack nor a tool's own folder is here.\n",
        );
        if args.format == Format::Json {
            out.result(&Outcome::nothing().to_json());
        }
        return Ok(Status::Done);
    };
    let import = import(origin, &seen.ground());
    if args.dry_run && args.format == Format::Human {
        out.result(&diff::patch(
            &import.edits.iter().map(|edit| FileDiff::from_edit(&context.view, edit)).collect::<Vec<_>>(),
        ));
    }
    let outcome = match session {
        Some(mut session) => {
            let overtaken = write(&context, &mut session, &import)?;
            Outcome::new(origin, import, overtaken, Mood::Happened)
        }
        None => Outcome::new(origin, import, Vec::new(), Mood::Foreseen),
    };
    let outcome = outcome.beside(&seen.others(origin)).ignored(&context)?;
    match args.format {
        Format::Json => out.result(&outcome.to_json()),
        Format::Human if args.dry_run => out.remark(&outcome.in_words()),
        Format::Human => out.result(&outcome.in_words()),
    }
    Ok(outcome.status())
}

/// What to take from; `None` where there is nothing.
fn choose(args: &Args, seen: &Seen<'_>) -> Result<Option<Origin>, Error> {
    if let Some(origin) = args.from.map(From::origin) {
        if seen.found.contains(&origin) {
            return Ok(Some(origin));
        }
        let message = format!("there is nothing of {} here: looked for {}", origin.name(), origin.places().join(", "));
        return Err(Error::new(ErrorKind::Unreadable, message)
            .help("run this at the top of the repository that has it, or leave --from out"));
    }
    // What stands in the tools' own folders was mostly written by the other.
    let managers: Vec<Origin> = seen.found.iter().copied().filter(|origin| *origin != Origin::Tools).collect();
    match managers.as_slice() {
        [] => Ok(seen.found.first().copied()),
        [one] => Ok(Some(*one)),
        several => {
            let names: Vec<&str> = several.iter().map(|origin| origin.name()).collect();
            let message = format!("several are here: {}; nothing was written", names.join(", "));
            let help = format!(
                "name the one that counts first, such as `canonry import --from {}`; a second import adds what the first did not",
                names[0]
            );
            Err(Error::new(ErrorKind::Usage, message).help(help))
        }
    }
}

/// Takes the lock of all that write.
fn begin(context: &Workspace) -> Result<Session, Error> {
    let session = Session::begin(&context.git_dir()?)?;
    session.sweep(&context.view);
    // Its journal tells that run's own work from a person's; ours would take its place.
    if session.pending().iter().any(|(path, _)| may_be_ours(path)) {
        let error = Error::new(ErrorKind::Refused, "a sync was cut off and is to be finished first");
        return Err(error.help("run `canonry sync`, then this again"));
    }
    Ok(session)
}

/// Writes; gives what someone else wrote in the meantime.
fn write(context: &Workspace, session: &mut Session, import: &Import) -> Result<Vec<RepoPath>, Error> {
    let plan = WritePlan { edits: &import.edits, back_up: &[], locks: Vec::new() };
    Ok(session.apply(&context.view, &plan, &context.env.cancel)?.conflicts)
}
