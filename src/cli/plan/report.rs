//! `canonry plan report`

use crate::app::plan::report;
use crate::app::{Environment, Error, ErrorKind, Workspace, generated_file};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render;
use crate::view::Basis;
use std::path::PathBuf;

/// Combine the reports on all attempts: outcome, first failure, commands with their exit statuses
#[derive(Debug, clap::Args)]
#[command(
    after_help = "--write needs a plan with every step complete and a verification that holds and is not older than the last report; \
                  otherwise it is refused (status 5)."
)]
pub struct Args {
    /// Plan to report on
    #[arg(value_name = "PLAN")]
    plan: Option<String>,
    /// Output format [default: by the extension of --output, otherwise human]
    #[arg(long, value_enum)]
    format: Option<ReportFormat>,
    /// Output file [default: stdout]; an existing file is replaced only if it is such a report
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Store the report in agent/reports/PLAN as combined.json and report.md
    #[arg(long)]
    write: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ReportFormat {
    /// A few lines for people
    Human,
    /// One JSON document, described by a schema in schemas/
    Json,
    /// A Markdown page
    Markdown,
    /// One self-contained HTML page
    Html,
}

impl ReportFormat {
    /// The format that an output file's name says.
    fn from_extension(path: &std::path::Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "json" => Some(Self::Json),
            "md" => Some(Self::Markdown),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }

    /// The text by which a file is recognised as a report.
    fn marker(self) -> &'static str {
        match self {
            Self::Human | Self::Markdown => render::plan::report_marker(),
            Self::Json => "\"canonry/combined/v1\"",
            Self::Html => render::plan::report_page::GENERATOR,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// See [`report::run`]; [`ErrorKind::Usage`] if the format of the output file is unknown.
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let format = match (args.format, &args.output) {
        (Some(format), _) => format,
        (None, Some(path)) => ReportFormat::from_extension(path).ok_or_else(|| {
            Error::new(ErrorKind::Usage, format!("the format of {} is unknown", path.display()))
                .help("name a file that ends in .json, .md or .html, or add --format")
        })?,
        (None, None) => ReportFormat::Human,
    };
    if format == ReportFormat::Human && args.output.is_some() {
        return Err(Error::new(ErrorKind::Usage, "`--output` needs the format json, markdown or html"));
    }
    let target = args.output.as_ref().map(|path| env.cwd.join(path));
    if let Some(target) = &target {
        generated_file::check_target(target, format.marker())?;
    }
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    let outcome = report::run(&workspace, &report::Request { plan: args.plan.clone(), write: args.write })?;
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
