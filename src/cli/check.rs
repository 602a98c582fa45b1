//! `canonry check`

use super::format::Format;
use super::output::Out;
use super::repositories::{self, RepositoryResult};
use super::status::Status;
use crate::render::check::Detail;
use crate::render::repositories::{AllCommand, RunSummary};
use crate::render::{check as render, concise, github, json, sarif};
use canonry_app::check::{self, CheckNotice, CheckReport, CheckRequest, FixRequest};
use canonry_app::{Environment, Error, ErrorKind, Quiet};
use canonry_lint::Profile;
use canonry_model::finding::{Applicability, Severity};
use canonry_repo::view::Basis;
use std::path::PathBuf;

/// Check the files that agents read
#[derive(Clone, Debug, clap::Args)]
pub struct CheckArgs {
    /// Files or directories to check [default: the repository]; with --all, repositories
    pub paths: Vec<PathBuf>,
    /// Check the staged files
    #[arg(long, conflicts_with = "rev")]
    pub staged: bool,
    /// Check a commit, such as HEAD
    #[arg(long, value_name = "REV")]
    pub rev: Option<String>,
    /// Compare versions with the merge base of REV, such as origin/main
    #[arg(long, value_name = "REV")]
    pub base: Option<String>,
    /// Check several repositories: PATHS, `-` for stdin [default: `repositories` in your user config]
    #[arg(long, conflicts_with_all = ["fix", "baseline", "write_baseline"])]
    pub all: bool,
    /// Severities of the rules
    #[arg(long, value_enum, default_value_t = Profile::Team)]
    pub profile: Profile,
    /// Exclude paths: a pattern as in .gitignore (repeatable)
    #[arg(long, value_name = "PATTERN")]
    pub exclude: Vec<String>,
    /// Include ignored and excluded files, and folders such as node_modules
    #[arg(long)]
    pub no_exclude: bool,
    /// Rules to report: ids, patterns (`name-*`) or families (`security`) (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Rules not to report; overrides --select (repeatable)
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Lowest severity to report
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub min_severity: Option<Severity>,
    /// Fix findings and report the rest; outside a canon, only safe fixes
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "safe")]
    #[arg(conflicts_with_all = ["staged", "rev"])]
    pub fix: Option<Applicability>,
    /// With --fix: print the fixes as a diff, and write nothing
    #[arg(long, visible_alias = "diff", requires = "fix")]
    pub dry_run: bool,
    /// Baseline of known findings [default: baseline.json in the canon]
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the current findings to the baseline
    #[arg(long, conflicts_with_all = ["paths", "staged", "rev", "fix", "select", "ignore", "min_severity", "exclude"])]
    pub write_baseline: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = CheckFormat::Human)]
    pub format: CheckFormat,
    /// Print the number of findings per rule
    #[arg(long, conflicts_with_all = ["full", "all"])]
    pub statistics: bool,
    /// Print every finding, infos included [default: at most 50]
    #[arg(long)]
    pub full: bool,
}

/// An output format of `check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum CheckFormat {
    /// Text for people
    Human,
    /// One line per finding: `path:line:column: severity[rule] message`
    Concise,
    /// One JSON document
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub Actions annotations
    Github,
}

/// Runs the command.
///
/// # Errors
/// See [`check::run`].
pub fn run(args: &CheckArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    if args.all {
        return run_in_all(args, env, out);
    }
    if args.statistics && matches!(args.format, CheckFormat::Sarif | CheckFormat::Github) {
        return Err(Error::new(ErrorKind::Usage, "`--statistics` supports only the formats human, concise and json"));
    }
    let report = check::run(env, &args.request(), out)?;
    for notice in &report.notices {
        out.remark(&render::notice(notice, out.style));
    }
    if report.previews.is_empty() {
        print_report(&report, args, out);
    } else {
        out.result(&render::preview_patch(&report.previews));
        for preview in &report.previews {
            out.remark(&render::preview_summary(preview));
        }
    }
    Ok(status(&report))
}

fn print_report(report: &CheckReport, args: &CheckArgs, out: &Out<'_>) {
    let detail = match (args.full, args.min_severity) {
        (true, _) => Detail::Full,
        (false, Some(Severity::Info)) => Detail::WithInfos,
        (false, _) => Detail::Default,
    };
    // Most commits of a repository have nothing to check.
    let is_idle = args.staged && report.files == 0 && report.findings.is_empty();
    match (args.format, args.statistics) {
        (CheckFormat::Human, false) if is_idle => {}
        (CheckFormat::Human, false) => out.result(&render::text(report, detail, out.style)),
        (CheckFormat::Human | CheckFormat::Concise, true) => out.result(&render::statistics(report)),
        (CheckFormat::Json, true) => out.result(&json::findings_with_statistics(report)),
        (format, _) => print_findings(report, format, out),
    }
}

/// Prints the findings.
pub(super) fn print_findings(report: &CheckReport, format: CheckFormat, out: &Out<'_>) {
    out.result(&match format {
        CheckFormat::Human => render::text(report, Detail::Default, out.style),
        CheckFormat::Concise => {
            out.result(&concise::findings(report));
            // Nothing but findings on stdout, so that its lines can be counted.
            return out.remark(&render::summary(report));
        }
        CheckFormat::Json => json::findings(report),
        CheckFormat::Sarif => sarif::findings(report),
        CheckFormat::Github => github::findings(report),
    });
}

pub(super) fn status(report: &CheckReport) -> Status {
    let failed = |notice: &CheckNotice| match notice {
        CheckNotice::CanonFailed(error) => Some(Status::from(error.kind)),
        _ => None,
    };
    let has_findings = report.count(Severity::Error) > 0 || report.previews.iter().any(|preview| preview.fixes > 0);
    let found = if has_findings { Status::Findings } else { Status::Done };
    report.notices.iter().filter_map(failed).fold(found, Status::and)
}

fn run_in_all(args: &CheckArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let format = match args.format {
        CheckFormat::Human => Format::Human,
        CheckFormat::Json => Format::Json,
        CheckFormat::Concise | CheckFormat::Sarif | CheckFormat::Github => {
            return Err(Error::new(ErrorKind::Usage, "`--all` supports only the formats human and json")
                .help("for SARIF or GitHub annotations, run `canonry check` in each repository"));
        }
    };
    let request = CheckRequest { paths: Vec::new(), ..args.request() };
    repositories::run(&args.paths, AllCommand::Check, format, env, out, &|env| {
        let report = check::run(env, &request, &Quiet)?;
        let [errors, warnings, infos] =
            [Severity::Error, Severity::Warning, Severity::Info].map(|severity| report.count(severity));
        Ok(RepositoryResult {
            status: status(&report),
            document: Some(json::findings(&report)),
            summary: RunSummary::Check { skills: report.skills, errors, warnings, infos },
            error: None,
        })
    })
}

impl CheckArgs {
    fn request(&self) -> CheckRequest {
        let fix = |applicability: Applicability| FixRequest { applicability, dry_run: self.dry_run };
        CheckRequest {
            paths: self.paths.clone(),
            basis: match (&self.rev, self.staged) {
                (Some(rev), _) => Basis::Commit(rev.clone()),
                (None, true) => Basis::Index,
                (None, false) => Basis::WorkTree,
            },
            base: self.base.clone(),
            profile: self.profile,
            exclude: self.exclude.clone(),
            no_exclude: self.no_exclude,
            select: self.select.clone(),
            ignore: self.ignore.clone(),
            min_severity: self.min_severity,
            baseline: self.baseline.clone(),
            write_baseline: self.write_baseline,
            fix: self.fix.map(fix),
        }
    }
}
