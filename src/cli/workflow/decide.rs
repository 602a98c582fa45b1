//! `canonry workflow decide`

use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::workflow::decide::{self, AnswerSource, DecideTaskRequest, LoopStatus};
use canonry_app::{Environment, Error, ErrorKind, Workspace};
use canonry_repo::view::Basis;
use std::io::{IsTerminal as _, Read as _};
use std::path::PathBuf;

/// Give the answer of a step, and print how the run continues
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Prints CONTINUE, STEP_COMPLETE, WORKFLOW_COMPLETE, ABORT or HUMAN_REQUIRED. The last line with a keyword decides, or JSON that meets the output schema. Exits with 0, 1 (ABORT), 3 (HUMAN_REQUIRED) or 4 (taken over)."
)]
pub struct WorkflowDecideArgs {
    /// Run
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Task of the answer, if several are open
    #[arg(long, value_name = "N")]
    task: Option<u64>,
    /// File with the answer [default: stdin]
    #[arg(long, value_name = "FILE", conflicts_with = "text")]
    report: Option<PathBuf>,
    /// Answer
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Reason of a failure
    #[arg(long, value_name = "REASON")]
    failed: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// Runs the command.
///
/// # Errors
/// See [`decide::run`].
pub fn run(args: &WorkflowDecideArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let answer = match (&args.text, &args.report) {
        (Some(text), _) => AnswerSource::Text(text.clone()),
        (None, Some(path)) if path.as_os_str() != "-" => AnswerSource::File(path.clone()),
        (None, None) if args.failed.is_some() => AnswerSource::Text(String::new()),
        _ => AnswerSource::Text(read_stdin()?),
    };
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let request = DecideTaskRequest { run: args.run.clone(), task: args.task, answer, failed: args.failed.clone() };
    let outcome = decide::run(&workspace, &request)?;
    out.result(&match args.format {
        Format::Human => render::workflow::decide::to_text(&outcome),
        Format::Json => render::workflow::decide::to_json(&outcome),
    });
    Ok(match outcome.status {
        LoopStatus::Continue | LoopStatus::StepComplete | LoopStatus::WorkflowComplete => Status::Done,
        LoopStatus::Abort => Status::Findings,
        LoopStatus::HumanRequired(_) => Status::Person,
    })
}

fn read_stdin() -> Result<String, Error> {
    if std::io::stdin().is_terminal() {
        return Err(Error::new(ErrorKind::Usage, "there is no answer")
            .help("pipe it in, or give `--text TEXT` or `--report FILE`"));
    }
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(decide::MAX_ANSWER + 1).read_to_end(&mut bytes);
    read.map_err(|e| Error::new(ErrorKind::Unreadable, format!("the answer cannot be read: {e}")))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
