//! `canonry check`

mod args;
mod asked;
mod baseline;
mod judged;
mod mend;

use super::format::Format;
use super::output::Out;
use super::repositories::{self, RepositoryResult};
use super::status::Status;
use crate::app::Environment;
use crate::app::Workspace;
use crate::app::canons::{self, Canons};
use crate::app::check::scope;
use crate::app::{Error, ErrorKind};
use crate::render::human;
use crate::render::repositories::{AllCommand, RunSummary};
use crate::syntax::RepoPath;
use crate::view::PathKind;
pub use args::Args;
use args::FormatArg;
use asked::Check;
use judged::Judged;
use std::mem::ManuallyDrop;
use std::path::PathBuf;

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    if args.all {
        return many(args, env, out);
    }
    let basis = args.basis();
    // What a large canon takes in memory is left to the system to take back: a hook has better use for the time.
    let context = ManuallyDrop::new(Workspace::open(env, &basis)?);
    let bases = match canons::meant(&context, out)? {
        Canons::Own => Vec::new(),
        // What is named may lie outside the folder around this one.
        Canons::Nested(base) if is_within(&args.paths, &context, &base) => vec![base],
        Canons::Every(bases) if args.paths.is_empty() => bases,
        Canons::Nested(_) | Canons::Every(_) => Vec::new(),
    };
    if bases.is_empty() {
        let judged = one(args, ManuallyDrop::into_inner(context), out)?;
        return Ok(judged.tell(args, out));
    }
    every(args, env, &bases, out)
}

fn is_within(paths: &[PathBuf], context: &Workspace, base: &RepoPath) -> bool {
    paths.iter().all(|path| context.inside(path).is_ok_and(|path| path.is_within(base)))
}

/// Judges the canons of these folders and tells of all of them at once. One that cannot be judged does not stop the others.
fn every(args: &Args, env: &Environment, bases: &[RepoPath], out: &Out<'_>) -> Result<Status, Error> {
    if args.baseline.is_some() {
        return Err(Error::new(ErrorKind::Usage, "`--baseline FILE` is of one canon, and this repository has several")
            .help("run it in the folder of one, or keep each canon's baseline.json"));
    }
    let (mut all, mut status) = (Judged::default(), Status::Done);
    for base in bases {
        let env = Environment { base: base.clone(), ..env.clone() };
        let judged = Workspace::open(&env, &args.basis()).and_then(|context| one(args, context, out));
        match judged {
            Ok(judged) => all.add(judged),
            Err(error) if Status::from(error.kind) == Status::Interrupted => return Err(error),
            Err(error) => {
                status = status.and(Status::from(error.kind));
                out.remark(&human::failure(&error.message, error.help.as_deref(), out.style));
            }
        }
    }
    Ok(status.and(all.tell(args, out)))
}

/// Judges one canon, and fixes it and puts off what is found where that is asked for.
fn one(args: &Args, context: Workspace, out: &Out<'_>) -> Result<Judged, Error> {
    let basis = args.basis();
    let mut context = ManuallyDrop::new(context);
    if args.staged && args.paths.is_empty() && context.view.kind(context.layout.root()) == PathKind::Nothing {
        return Ok(Judged::without_canon(context.layout.root()));
    }
    let scope = ManuallyDrop::new(scope::of(&context, &args.paths, &basis)?);
    for path in scope.passed_over.iter().map(|path| context.view.full(path)) {
        out.remark(&format!(
            "{path}: neither a skill, a plan, a workflow, a report, a schema nor memory; not judged\n"
        ));
    }
    let known = baseline::read(args, &context)?;
    let check = Check { args, basis: &basis, known: known.as_ref(), progress: out };
    let mut done = check.judge(&context, &scope)?;
    let mut fixed = 0;
    if let Some(most) = args.fix {
        let mended = mend::mend(&check, &mut context, ManuallyDrop::into_inner(scope), &done.settled, most.into())?;
        if args.dry_run {
            return Ok(Judged::foreseen(mended.foreseen(&context, out)));
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
        let check = Check { args, basis: &basis, known: Some(&written), progress: out };
        done = check.judge(&context, &scope::of(&context, &args.paths, &basis)?)?;
    }
    Ok(Judged::new(done, fixed, context.view.base()))
}

fn many(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let format = match args.format {
        FormatArg::Human => Format::Human,
        FormatArg::Json => Format::Json,
        FormatArg::Sarif | FormatArg::Github => {
            return Err(Error::new(ErrorKind::Usage, "`--all` has a summary for people, or as JSON")
                .help("SARIF and GitHub's annotations are of one repository: run `canonry check` in it"));
        }
    };
    let in_one = args.for_one();
    let style = out.style;
    repositories::run(&args.paths, AllCommand::Check, format, env, out, &|env| {
        let (mut results, mut remarks) = (Vec::new(), Vec::new());
        let status = run(&in_one, env, &Out::new(&mut results, &mut remarks, style))?;
        let document = String::from_utf8_lossy(&results).into_owned();
        let counts: serde_json::Value = serde_json::from_str(&document).unwrap_or_default();
        let count = |key: &str| counts["summary"][key].as_u64().unwrap_or_default() as usize;
        let [skills, errors, warnings, infos] = ["skills", "errors", "warnings", "infos"].map(count);
        let summary = RunSummary::Check { skills, errors, warnings, infos };
        Ok(RepositoryResult { status, document: Some(document), summary, error: None })
    })
}
