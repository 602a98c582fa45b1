//! `canonry memory review`: a list, or one question after the other in a terminal.

use super::format::Format;
use super::output::Out;
use super::status::Status;
use crate::render;
use canonry_app::memory::interactive::{self, InteractiveReviewRequest, ReviewAnswer, ReviewQuestion, Reviewer};
use canonry_app::memory::{
    decide,
    review::{self, ReviewQueueRequest},
};
use canonry_app::{Environment, Error, ErrorKind, Workspace};
use canonry_repo::exec::keyboard::{END, Key, read_key};
use std::io::{self, IsTerminal as _};

/// The reason of decisions for which the person gives none.
const DEFAULT_REASON: &str = "reviewed in the terminal";

/// The arguments of `canonry memory review`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A terminal asks about each candidate and commits once at the end. Exits with 3 if candidates wait."
)]
pub struct ReviewArgs {
    /// Candidate to show: an id or a prefix
    candidate: Option<String>,
    /// Include decided candidates
    #[arg(long)]
    all: bool,
    /// List the candidates, also in a terminal
    #[arg(long)]
    list: bool,
    /// Ask about each candidate; requires a terminal
    #[arg(short, long, conflicts_with_all = ["candidate", "all", "list", "format"])]
    interactive: bool,
    /// Reason [default: reviewed in the terminal]
    #[arg(short, long, value_name = "WHY", conflicts_with_all = ["candidate", "all", "list", "format"])]
    reason: Option<String>,
    /// Do not commit
    #[arg(long, conflicts_with_all = ["candidate", "all", "list", "format"])]
    no_commit: bool,
    /// Skip git's pre-commit and commit-msg hooks
    #[arg(long, conflicts_with_all = ["candidate", "all", "list", "format"])]
    no_verify: bool,
    /// Output format [default: human]
    #[arg(long, value_enum)]
    format: Option<Format>,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &ReviewArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let is_list = args.list || args.all || args.candidate.is_some() || args.format.is_some();
    match (is_list, is_person(env)) {
        (false, true) => ask(args, env, out),
        (false, false) if args.interactive => {
            Err(Error::new(ErrorKind::Usage, "`--interactive` needs a terminal with a person, for input and output")
                .help("run `canonry memory review` to list the candidates, then `canonry memory accept` or `reject`"))
        }
        _ => list(args, env, out),
    }
}

/// Whether a person can answer: an agent's tool may have a terminal, too.
fn is_person(env: &Environment) -> bool {
    env.agent.is_none() && io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal()
}

fn list(args: &ReviewArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let request = ReviewQueueRequest { candidate: args.candidate.clone(), all: args.all };
    let outcome = review::run(&Workspace::open_canon(env)?, &request, out)?;
    match args.format.unwrap_or(Format::Human) {
        Format::Json => out.result(&render::memory::review::to_json(&outcome)),
        Format::Human => {
            out.result(&render::memory::review::to_text(&outcome, args.candidate.is_some()));
            out.remark(&render::memory::review::invalid_lines(&outcome));
        }
    }
    Ok(if outcome.pending == 0 { Status::Done } else { Status::Person })
}

fn ask(args: &ReviewArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let reason = args.reason.clone().unwrap_or_else(|| DEFAULT_REASON.to_owned());
    decide::check_reason(&reason)?;
    let workspace = Workspace::open_canon(&env.no_verify(args.no_verify))?;
    let mut terminal = ReviewTerminal { workspace: &workspace, out };
    let request = InteractiveReviewRequest { reason, no_commit: args.no_commit };
    let outcome = interactive::run(&workspace, &request, &mut terminal, out)?;
    out.result(&render::memory::decisions::interactive_to_text(&outcome));
    let status = if outcome.pending == 0 { Status::Done } else { Status::Person };
    Ok(if outcome.interrupted { Status::Interrupted } else { status })
}

/// The terminal of the person who reviews.
struct ReviewTerminal<'a, 'o> {
    workspace: &'a Workspace,
    out: &'a Out<'o>,
}

impl Reviewer for ReviewTerminal<'_, '_> {
    fn ask(&mut self, question: &ReviewQuestion<'_>) -> Result<ReviewAnswer, Error> {
        self.out.result(&render::memory::decisions::question_to_text(question));
        loop {
            let key = read_key()
                .map_err(|e| Error::new(ErrorKind::Internal, format!("cannot read a key from the terminal: {e}")))?;
            let answer = match key {
                Key::CtrlC => ReviewAnswer::Interrupt,
                END | Key::Char('q' | 'Q') => ReviewAnswer::Quit,
                Key::Char('a' | 'A') => ReviewAnswer::Accept,
                Key::Char('e' | 'E') => ReviewAnswer::Edit,
                Key::Char('r' | 'R') => ReviewAnswer::Reject,
                Key::Char('s' | 'S' | ' ') => ReviewAnswer::Skip,
                _ => {
                    self.out.result(&render::memory::decisions::key_help());
                    continue;
                }
            };
            self.out.result("\n");
            return Ok(answer);
        }
    }

    fn edit(&mut self, text: &str) -> Result<Option<String>, Error> {
        interactive::edit_text(self.workspace, text)
    }

    fn decided(&mut self, candidates: &[decide::DecidedCandidate]) {
        self.out.result(&render::memory::decisions::decided_to_text(candidates));
    }

    fn refused(&mut self, error: &Error) {
        self.out.result(&render::memory::decisions::refusal_to_text(error));
    }
}
