//! `canonry run show`, `status`, `log` and `report`

use super::only_for;
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
use canonry_runs::report::{MARKER, REPORT_SCHEMA, ReportedStatus};
use std::collections::HashSet;
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
    let workspace = Workspace::open_canon(env)?;
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
    let workspace = Workspace::open_canon(env)?;
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
    /// Wait for more until the run ends or the plan is complete
    #[arg(long)]
    follow: bool,
    /// Output format; `json` prints a document per event
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

/// # Errors
/// See [`run_report::run`] and [`LogReader::read`].
pub fn log(args: &LogArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open_canon(env)?;
    let target = RunTarget::resolve(&workspace, args.target.as_deref())?.started(&workspace)?;
    let mut next: Box<dyn FnMut() -> Result<LogPart, Error>> = match &target {
        PlanOrRun::Run(run) => {
            let mut reader = LogReader::open(&workspace, run)?;
            Box::new(move || {
                let entries = reader.read()?;
                let text =
                    args.format.render(entries, render::events::entries_to_text, render::events::entries_to_json);
                Ok(LogPart { text, is_last: reader.is_ended() })
            })
        }
        PlanOrRun::Plan(plan) => {
            let mut shown = HashSet::new();
            let target = &target;
            Box::new(move || {
                let report = run_report::run(&Workspace::open_canon(env)?, target, false)?.report;
                let mut attempts = render::events::by_time(&report);
                attempts.retain(|(step, attempt)| shown.insert((step.name.clone(), attempt.number)));
                let text = match args.format {
                    Format::Human => render::events::attempts_to_text(&attempts),
                    Format::Json => render::events::attempts_to_json(plan, &attempts),
                };
                let is_last = report.steps.iter().all(|step| step.status == ReportedStatus::Complete);
                Ok(LogPart { text, is_last })
            })
        }
    };
    let mut is_empty = true;
    loop {
        let part = next()?;
        is_empty &= part.text.is_empty();
        let is_read = out.try_result(&part.text).is_ok();
        if !args.follow || part.is_last || !is_read {
            if is_empty {
                let (PlanOrRun::Plan(name) | PlanOrRun::Run(name)) = &target;
                out.remark(&format!("{name}: nothing is reported yet\n"));
            }
            return Ok(Status::Done);
        }
        if env.is_cancelled() {
            return Ok(Status::Interrupted);
        }
        std::thread::sleep(PAUSE);
    }
}

/// The log since the last look.
struct LogPart {
    text: String,
    /// Whether nothing follows.
    is_last: bool,
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
    let workspace = Workspace::open_canon(env)?;
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
