//! `canonry workflow report`

use crate::cli::format::ReportFormat;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::workflow::report;
use canonry_app::{Environment, Error, Workspace, generated_file};
use canonry_repo::view::Basis;
use std::path::PathBuf;

/// Report the path, inputs, answers and decisions of a run
#[derive(Debug, clap::Args)]
pub struct WorkflowReportArgs {
    /// Run
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Output format [default: by the extension of --output, otherwise human]
    #[arg(long, value_enum)]
    format: Option<ReportFormat>,
    /// Output file [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// The text by which a file is recognised as a report.
fn marker(format: ReportFormat) -> &'static str {
    match format {
        ReportFormat::Human | ReportFormat::Markdown => render::workflow::report::MARKER,
        ReportFormat::Json => "\"canonry/workflow-report/v1\"",
        ReportFormat::Html => render::workflow::report_page::GENERATOR,
    }
}

/// Runs the command.
///
/// # Errors
/// See [`report::run`] and [`ReportFormat::choose`].
pub fn run(args: &WorkflowReportArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let format = ReportFormat::choose(args.format, args.output.as_deref())?;
    let target = args.output.as_ref().map(|path| env.cwd.join(path));
    if let Some(target) = &target {
        generated_file::check_target(target, marker(format))?;
    }
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let report = report::run(&workspace, args.run.as_deref())?;
    let text = match format {
        ReportFormat::Human => render::workflow::report::to_text(&report),
        ReportFormat::Json => render::workflow::report::to_json(&report),
        ReportFormat::Markdown => render::workflow::report::to_markdown(&report),
        ReportFormat::Html => render::workflow::report_page::page(&report),
    };
    match (target, &args.output) {
        (Some(target), Some(given)) => {
            generated_file::write(&target, text.as_bytes())?;
            out.result(&format!("wrote     {}\n", given.display()));
        }
        _ => out.result(&text),
    }
    Ok(Status::Done)
}
