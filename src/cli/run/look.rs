//! `canonry run show`, `status`, `log` and `report`

use super::{only_for, open};
use crate::cli::format::{Format, ReportFormat};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::cli::watch::{self, Look};
use crate::render::drawing;
use crate::render::drawing::svg::{SvgPlace, to_svg};
use crate::render::run as render;
use canonry_app::plan::show as show_plan;
use canonry_app::runs::report as run_report;
use canonry_app::runs::status::{self as run_status, RunStatus};
use canonry_app::runs::target::{PlanOrRun, RunTarget};
use canonry_app::workflow::graph;
use canonry_app::workflow::log::LogReader;
use canonry_app::{Environment, Error, Workspace, generated_file};
use canonry_repo::view::Basis;
use canonry_runs::report::{MARKER, REPORT_SCHEMA};
use std::path::PathBuf;
use std::time::Duration;

/// Pause between two looks of `log --follow`.
const PAUSE: Duration = Duration::from_millis(200);

/// Show steps and their order; of a run: the path that it took
#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    /// Plan, workflow or run
    #[arg(value_name = "TARGET")]
    target: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t = ShowFormat::Human)]
    format: ShowFormat,
}

/// The format of steps.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum ShowFormat {
    /// Text for people
    Human,
    /// JSON
    Json,
    /// Mermaid flowchart
    Mermaid,
    /// SVG drawing
    Svg,
}

/// # Errors
/// See [`show_plan::run`], [`graph::of_run`] and [`graph::of_workflow`].
pub fn show(args: &ShowArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = open(env)?;
    let workflow = match RunTarget::resolve(&workspace, args.target.as_deref())? {
        RunTarget::Plan(plan) => {
            let plan = show_plan::run(&workspace, Some(&plan))?;
            out.result(&match args.format {
                ShowFormat::Human => render::show::to_text(&plan, out.style),
                ShowFormat::Json => render::show::to_json(&plan),
                ShowFormat::Mermaid => drawing::to_mermaid(&render::graph::from_plan(&plan)),
                ShowFormat::Svg => to_svg(&render::graph::from_plan(&plan), SvgPlace::File),
            });
            return Ok(Status::Done);
        }
        RunTarget::Run(id) => graph::of_run(&workspace, &id)?,
        RunTarget::Workflow(name) => graph::of_workflow(&workspace, &name)?,
    };
    let drawing = || render::graph::from_diagram(&workflow.name, &workflow.diagram);
    out.result(&match args.format {
        ShowFormat::Human => render::show_workflow::to_text(&workflow, out.style),
        ShowFormat::Json => render::show_workflow::to_json(&workflow),
        ShowFormat::Mermaid => drawing::to_mermaid(&drawing()),
        ShowFormat::Svg => to_svg(&drawing(), SvgPlace::File),
    });
    Ok(Status::Done)
}

/// Show the state of a plan or run, or all that are open
#[derive(Debug, clap::Args)]
#[command(after_help = "Without TARGET: a line for each with its next command.")]
pub struct StatusArgs {
    /// Plan, workflow or run [default: all that are open]
    #[arg(value_name = "TARGET")]
    target: Option<String>,
    /// List those that are complete or aborted too
    #[arg(long, conflicts_with = "target")]
    all: bool,
    /// Repeat until everything is complete or aborted
    #[arg(long)]
    watch: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// # Errors
/// See [`run_status::run`] and [`run_status::list`].
pub fn status(args: &StatusArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = open(env)?;
    let named = args.target.as_deref().map(|target| RunTarget::resolve(&workspace, Some(target))).transpose()?;
    let target = named.map(|target| target.started(&workspace)).transpose()?;
    watch::show(args.watch, args.format, env, out, || {
        let workspace = Workspace::open(env, &Basis::WorkTree)?;
        let (runs, to_text): (_, fn(&[RunStatus]) -> String) = match &target {
            None => (run_status::list(&workspace, args.all)?, render::status::list_to_text),
            Some(target) => (vec![run_status::run(&workspace, target)?], render::status::details_to_text),
        };
        let text = args.format.render(runs.as_slice(), to_text, render::status::to_json);
        Ok(Look { text, is_final: runs.iter().all(RunStatus::is_ended) })
    })
}

/// Show the events of a run, or the attempts at a plan, oldest first
#[derive(Debug, clap::Args)]
pub struct LogArgs {
    /// Plan, workflow or run
    #[arg(value_name = "TARGET")]
    target: Option<String>,
    /// Of a run: wait for more until it ends
    #[arg(long)]
    follow: bool,
    /// Output format; `json` prints a document per event
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// # Errors
/// See [`run_report::run`] and [`LogReader::read`].
pub fn log(args: &LogArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = open(env)?;
    let run = match RunTarget::resolve(&workspace, args.target.as_deref())?.started(&workspace)? {
        PlanOrRun::Run(run) => run,
        PlanOrRun::Plan(plan) => {
            only_for("runs of workflows", &[("--follow", args.follow)])?;
            let outcome = run_report::run(&workspace, &PlanOrRun::Plan(plan), false)?;
            out.result(&args.format.render(
                &outcome.report,
                render::events::attempts_to_text,
                render::events::attempts_to_json,
            ));
            return Ok(Status::Done);
        }
    };
    let mut reader = LogReader::open(&workspace, Some(&run))?;
    loop {
        let entries = reader.read()?;
        if !entries.is_empty() {
            out.result(&args.format.render(entries, render::events::entries_to_text, render::events::entries_to_json));
        }
        if !args.follow || reader.is_ended() {
            return Ok(Status::Done);
        }
        if env.is_cancelled() {
            return Ok(Status::Interrupted);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Report every attempt, answer and decision
#[derive(Debug, clap::Args)]
#[command(after_help = "`--write` needs a verified plan with every step complete (status 5).")]
pub struct ReportArgs {
    /// Plan, workflow or run
    #[arg(value_name = "TARGET")]
    target: Option<String>,
    /// Output format [default: by the extension of --output, otherwise human]
    #[arg(long, value_enum)]
    format: Option<ReportFormat>,
    /// Output file [default: stdout]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Of a plan: write combined.json and report.md to agent/reports/PLAN
    #[arg(long)]
    write: bool,
}

/// The text by which a file is recognised as a report.
fn marker(format: ReportFormat) -> String {
    match format {
        ReportFormat::Human | ReportFormat::Markdown => MARKER.to_owned(),
        ReportFormat::Html => render::GENERATOR.to_owned(),
        ReportFormat::Json => format!("\"{REPORT_SCHEMA}\""),
    }
}

/// # Errors
/// See [`run_report::run`] and [`ReportFormat::choose`].
pub fn report(args: &ReportArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let format = ReportFormat::choose(args.format, args.output.as_deref())?;
    let workspace = open(env)?;
    let target = RunTarget::resolve(&workspace, args.target.as_deref())?.started(&workspace)?;
    let file = args.output.as_ref().map(|path| env.cwd.join(path));
    if let Some(file) = &file {
        generated_file::check_target(file, &marker(format))?;
    }
    if let PlanOrRun::Run(_) = target {
        only_for("plans", &[("--write", args.write)])?;
    }
    let outcome = run_report::run(&workspace, &target, args.write)?;
    if format != ReportFormat::Human {
        out.remark(&render::report::written(&outcome));
    }
    let text = match format {
        ReportFormat::Human => render::report::to_text(&outcome),
        ReportFormat::Json => outcome.report.to_json(),
        ReportFormat::Markdown => outcome.report.to_markdown(),
        ReportFormat::Html => render::report_page::page(&outcome.report),
    };
    match (file, &args.output) {
        (Some(file), Some(given)) => {
            generated_file::write(&file, text.as_bytes())?;
            out.result(&format!("wrote     {}\n", given.display()));
        }
        _ => out.result(&text),
    }
    Ok(Status::Done)
}
