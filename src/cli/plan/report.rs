//! `canonry plan report`

use crate::cli::format::ReportFormat;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use canonry_app::plan::report::{self, PlanReportRequest};
use canonry_app::{Environment, Error, Workspace, generated_file};
use canonry_repo::view::Basis;
use std::path::PathBuf;

/// Combine the reports on all attempts
#[derive(Debug, clap::Args)]
#[command(after_help = "`--write` needs a verified plan with every step complete (status 5).")]
pub struct PlanReportArgs {
    /// Plan
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Output format [default: by the extension of --output, otherwise human]
    #[arg(long, value_enum)]
    format: Option<ReportFormat>,
    /// Output file [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write combined.json and report.md to agent/reports/PLAN
    #[arg(long)]
    write: bool,
}

/// The text by which a file is recognised as a report.
fn marker(format: ReportFormat) -> &'static str {
    match format {
        ReportFormat::Human | ReportFormat::Markdown => render::plan::report_marker(),
        ReportFormat::Json => "\"canonry/combined/v1\"",
        ReportFormat::Html => render::plan::report_page::GENERATOR,
    }
}

/// Runs the command.
///
/// # Errors
/// See [`report::run`] and [`ReportFormat::choose`].
pub fn run(args: &PlanReportArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let format = ReportFormat::choose(args.format, args.output.as_deref())?;
    let target = args.output.as_ref().map(|path| env.cwd.join(path));
    if let Some(target) = &target {
        generated_file::check_target(target, marker(format))?;
    }
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let outcome = report::run(&workspace, &PlanReportRequest { plan: args.plan.clone(), write: args.write })?;
    let text = match format {
        ReportFormat::Human => render::plan::report::to_text(&outcome),
        ReportFormat::Json => outcome.report.to_json(),
        ReportFormat::Markdown => outcome.report.to_markdown(),
        ReportFormat::Html => render::plan::report_page::page(&outcome.report),
    };
    if format != ReportFormat::Human {
        out.remark(&render::plan::report::written(&outcome));
    }
    match (target, &args.output) {
        (Some(target), Some(given)) => {
            generated_file::write(&target, text.as_bytes())?;
            out.result(&format!("wrote     {}\n", given.display()));
        }
        _ => out.result(&text),
    }
    Ok(Status::Done)
}
