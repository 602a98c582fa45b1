//! `canonry check`

mod args;
mod asked;
mod baseline;
mod mend;

use super::all::{self, Asked, Command};
use super::context::Context;
use super::env::{Env, Out};
use super::error::CliError;
use super::format::Format;
use super::scope;
use super::status::Status;
use crate::finding::Severity;
use crate::render::{Report, github, human, json, sarif};
use crate::rules::Settled;
use crate::view::Kind;
pub use args::Args;
use args::FormatArg;
use asked::Check;
use std::mem::ManuallyDrop;
use std::path::PathBuf;

/// Runs the command.
///
/// # Errors
/// See [`CliError`].
pub fn run(args: &Args, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    if args.all {
        return many(args, env, out);
    }
    let basis = args.basis();
    // What a large canon takes in memory is left to the system to take back: a hook has better use for the time.
    let mut context = ManuallyDrop::new(Context::open(env, &basis)?);
    if args.staged && args.paths.is_empty() && context.view.kind(context.layout.root()) == Kind::Nothing {
        return Ok(nothing_staged(args, &context, out));
    }
    let scope = ManuallyDrop::new(scope::of(&context, &args.paths, &basis)?);
    for path in &scope.passed_over {
        out.remark(&format!(
            "{path}: neither a skill, a plan, a workflow, a report, a schema nor memory; not judged\n"
        ));
    }
    let known = baseline::read(args, &context)?;
    let check = Check { args, basis: &basis, known: known.as_ref() };
    let mut done = check.judge(&context, &scope)?;
    let mut fixed = 0;
    if let Some(most) = args.fix {
        let mended = mend::mend(&check, &mut context, ManuallyDrop::into_inner(scope), &done.settled, most.into())?;
        if args.dry_run {
            return Ok(mended.foreseen(&context, out));
        }
        let made = mended.write(&context, out)?;
        made.remark(&context, out);
        fixed = made.count;
        if fixed > 0 {
            let paths: Vec<PathBuf> = args.paths.iter().map(|path| made.follow(&context, path)).collect();
            done = check.judge(&context, &scope::of(&context, &paths, &basis)?)?;
        }
    }
    if args.write_baseline {
        let written = baseline::write(args, &context, &done.settled, out)?;
        let check = Check { args, basis: &basis, known: Some(&written) };
        done = check.judge(&context, &scope::of(&context, &args.paths, &basis)?)?;
    }
    Ok(report(args, &context, &Report { fixed, ..done.report() }, out))
}

fn many(args: &Args, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    let format = match args.format {
        FormatArg::Human => Format::Human,
        FormatArg::Json => Format::Json,
        FormatArg::Sarif | FormatArg::Github => {
            return Err(CliError::new(Status::Usage, "`--all` has a summary for people, or as JSON")
                .help("SARIF and GitHub's annotations are of one repository: run `canonry check` in it"));
        }
    };
    let of_one = args.for_one();
    let asked = Asked { given: &args.paths, command: Command::Check, format };
    all::run(&asked, &|env, out| run(&of_one, env, out), env, out)
}

fn report(args: &Args, context: &Context<'_>, report: &Report<'_>, out: &mut Out<'_>) -> Status {
    out.result(&match args.format {
        FormatArg::Human => human::findings(report, context.env.style),
        FormatArg::Json => json::findings(report),
        FormatArg::Sarif => sarif::findings(report),
        FormatArg::Github => github::findings(report),
    });
    if report.count(Severity::Error) > 0 { Status::Findings } else { Status::Done }
}

/// A hook holds for every branch, and is not to stop commits on one that has no canon.
fn nothing_staged(args: &Args, context: &Context<'_>, out: &mut Out<'_>) -> Status {
    let root = context.layout.root();
    if args.format == FormatArg::Human {
        out.result(&format!("There is no canon in what is staged, no folder `{root}`: nothing to judge.\n"));
        return Status::Done;
    }
    report(args, context, &Report { settled: &Settled::default(), files: 0, skills: 0, fixed: 0 }, out)
}
