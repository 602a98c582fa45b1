//! `canonry check`

use super::context::Context;
use super::env::{Env, Out};
use super::error::CliError;
use super::scope;
use super::status::Status;
use super::{Format, judge};
use crate::finding::{Severity, settle};
use crate::render::{Report, human, json};
use crate::rules::Profile;
use crate::view::{Basis, Kind};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Judges the canon, or the paths that are named.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Skill folders, SKILL.md, plans, reports, schemas or files of the memory, or folders to search; by default the whole
    /// canon and its mirrors
    pub paths: Vec<PathBuf>,
    /// Judge what is staged instead of what lies in the work tree
    #[arg(long, conflicts_with = "rev")]
    pub staged: bool,
    /// Judge a commit, such as HEAD
    #[arg(long, value_name = "REV")]
    pub rev: Option<String>,
    /// Which severities apply by default
    #[arg(long, value_enum, default_value_t = ProfileArg::Team)]
    pub profile: ProfileArg,
    /// How the findings are written
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

/// The profiles by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ProfileArg {
    /// Errors for what is broken, warnings for what a tool would drop
    Team,
    /// The specification to the letter, for skills that are to be published
    Spec,
}

impl From<ProfileArg> for Profile {
    fn from(arg: ProfileArg) -> Self {
        match arg {
            ProfileArg::Team => Self::Team,
            ProfileArg::Spec => Self::Spec,
        }
    }
}

/// Runs the command.
///
/// # Errors
/// See [`CliError`].
pub fn run(args: &Args, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    let basis = match (&args.rev, args.staged) {
        (Some(rev), _) => Basis::Commit(rev.clone()),
        (None, true) => Basis::Index,
        (None, false) => Basis::WorkTree,
    };
    let context = Context::open(env, &basis)?;
    if args.staged && args.paths.is_empty() && context.view.kind(context.layout.root()) == Kind::Nothing {
        return Ok(nothing_staged(args, &context, out));
    }
    let scope = scope::of(&context, &args.paths, &basis)?;
    for path in &scope.passed_over {
        out.remark(&format!("{path}: neither a skill, a plan, a report, a schema nor memory; not judged\n"));
    }
    let (drafts, judged) = judge::judge(&context, &scope)?;
    if env.cancel.load(Ordering::Relaxed) {
        return Err(CliError::new(Status::Interrupted, "interrupted; nothing was changed"));
    }
    let profile = Profile::from(args.profile);
    let findings = settle(drafts, |rule, path| context.severity(rule, path, profile));
    let report = Report { findings: &findings, files: judged.files, skills: judged.skills };
    match args.format {
        Format::Human => out.result(&human::findings(&report, env.style)),
        Format::Json => out.result(&json::findings(&report)),
    }
    let failed = report.count(Severity::Error) > 0;
    Ok(if failed { Status::Findings } else { Status::Done })
}

/// A hook holds for every branch, and is not to stop commits on one that has no canon.
fn nothing_staged(args: &Args, context: &Context<'_>, out: &mut Out<'_>) -> Status {
    let root = context.layout.root();
    match args.format {
        Format::Human => {
            out.result(&format!("There is no canon in what is staged, no folder `{root}`: nothing to judge.\n"))
        }
        Format::Json => out.result(&json::findings(&Report { findings: &[], files: 0, skills: 0 })),
    }
    Status::Done
}
