//! `canonry check`

mod args;
mod baseline;
mod mend;

use super::context::Context;
use super::env::{Env, Out};
use super::error::CliError;
use super::judge::{self, Judged};
use super::scope::{self, Scope};
use super::status::Status;
use crate::finding::{Baseline, Severity};
use crate::render::{Report, github, human, json, sarif};
use crate::rules::{self, Extent, Profile, Settled, Terms};
use crate::syntax::RepoPath;
use crate::view::{Basis, Kind};
pub use args::Args;
use args::FormatArg;
use std::sync::atomic::Ordering;

/// Runs the command.
///
/// # Errors
/// See [`CliError`].
pub fn run(args: &Args, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    let basis = args.basis();
    let mut context = Context::open(env, &basis)?;
    if args.staged && args.paths.is_empty() && context.view.kind(context.layout.root()) == Kind::Nothing {
        return Ok(nothing_staged(args, &context, out));
    }
    let scope = scope::of(&context, &args.paths, &basis)?;
    for path in &scope.passed_over {
        out.remark(&format!("{path}: neither a skill, a plan, a report, a schema nor memory; not judged\n"));
    }
    let known = baseline::read(args, &context)?;
    let check = Check { args, basis: &basis, known: known.as_ref() };
    let mut done = check.judge(&context, &scope)?;
    let mut fixed = 0;
    if let Some(most) = args.fix {
        let mended = mend::mend(&check, &mut context, scope, &done.settled, most.into())?;
        if args.dry_run {
            return Ok(mended.foreseen(&context, out));
        }
        fixed = mended.write(&context, out)?;
        if fixed > 0 {
            done = check.judge(&context, &scope::of(&context, &args.paths, &basis)?)?;
        }
    }
    if args.write_baseline {
        let written = baseline::write(args, &context, &done.settled, out)?;
        let check = Check { args, basis: &basis, known: Some(&written) };
        done = check.judge(&context, &scope::of(&context, &args.paths, &basis)?)?;
    }
    Ok(report(args, &context, &Report { fixed, ..done.report() }, out))
}

/// What is asked for.
struct Check<'a> {
    args: &'a Args,
    basis: &'a Basis,
    known: Option<&'a Baseline>,
}

/// What came of it.
struct Done {
    settled: Settled,
    judged: Judged,
}

impl Done {
    fn report(&self) -> Report<'_> {
        Report { settled: &self.settled, files: self.judged.files, skills: self.judged.skills, fixed: 0 }
    }
}

impl Check<'_> {
    /// Judges what is in scope.
    fn judge(&self, context: &Context<'_>, scope: &Scope) -> Result<Done, CliError> {
        let (mut drafts, mut judged) = judge::judge(context, scope)?;
        if context.env.cancel.load(Ordering::Relaxed) {
            return Err(CliError::new(Status::Interrupted, "interrupted; nothing was changed"));
        }
        for (_, draft) in &mut drafts {
            // What is not the canon's own is not ours to change, and a link has nothing of its own to change.
            let path = &draft.place.path;
            let is_ours =
                |path: &RepoPath| path.is_within(context.layout.root()) && context.view.link_text(path).is_none();
            if draft.fix.is_some() && !is_ours(path) {
                draft.fix = None;
            }
        }
        let profile = Profile::from(self.args.profile);
        let terms = Terms {
            severity: &|rule, path| context.severity(rule, path, profile),
            allowances: std::mem::take(&mut judged.allowances),
            baseline: self.known,
            extent: match scope.whole.is_some() && *self.basis != Basis::Index {
                true => Extent::Whole,
                false => Extent::Part,
            },
        };
        Ok(Done { settled: rules::settle(drafts, terms), judged })
    }
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
