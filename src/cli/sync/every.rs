//! A sync of every canon of a repository, one after the other, and one commit of them all.

use super::args::Args;
use super::ended::Ended;
use crate::app::Environment;
use crate::app::Workspace;
use crate::app::canons::innermost;
use crate::app::{Error, ErrorKind};
use crate::cli::format::Format;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::render::human::failure;
use crate::syntax::RepoPath;
use crate::view::Basis;
use std::path::PathBuf;

/// A sync of one canon.
pub type On = fn(&Args, &Workspace, &Out<'_>) -> Result<Option<Ended>, Error>;

/// Syncs the canons of these folders. One that fails does not stop the others.
///
/// # Errors
/// An interruption; a path to adopt that is outside the repository; and see [`Ended::finish`].
pub fn run(args: &Args, (context, bases): (&Workspace, &[RepoPath]), on: On, out: &Out<'_>) -> Result<Status, Error> {
    let mut all = Ended::default();
    for base in bases {
        let args = of(args, context, bases, base)?;
        let env = Environment { base: base.clone(), ..context.env.clone() };
        match one(&args, &env, on, out) {
            Ok(Some(ended)) => all.add(ended),
            Ok(None) => {}
            Err(error) if Status::from(error.kind) == Status::Interrupted => return Err(error),
            Err(error) => {
                all.failed(Status::from(error.kind));
                out.remark(&failure(&error.message, error.help.as_deref(), out.style));
            }
        }
    }
    all.finish(args, context, out)
}

fn one(args: &Args, env: &Environment, on: On, out: &Out<'_>) -> Result<Option<Ended>, Error> {
    let context = Workspace::open(env, if args.staged { &Basis::Index } else { &Basis::WorkTree });
    // Also where its config cannot be read it is told which canon that is.
    let root = match &context {
        Ok(context) => context.view.full(context.layout.root()),
        Err(_) => env.base.clone(),
    };
    let heading = format!("canon     {root}\n");
    match args.format {
        Format::Json => {}
        // A diff is for `git apply`.
        Format::Human if args.dry_run || args.diff => out.remark(&heading),
        Format::Human => out.result(&heading),
    }
    on(args, &context?, out)
}

/// The arguments for one of the canons: it adopts what is named of it, and nothing else.
fn of(args: &Args, context: &Workspace, bases: &[RepoPath], base: &RepoPath) -> Result<Args, Error> {
    let Some(given) = args.adopt.as_ref().filter(|given| !given.is_empty()) else { return Ok(args.clone()) };
    let mut own: Vec<PathBuf> = Vec::new();
    for path in given {
        let full = context.inside(path)?;
        match innermost(bases, &full) {
            Some(of) if of == base => own.push(path.clone()),
            Some(_) => {}
            None => {
                let message = format!("{full}: it is in no mirror of a canon of this repository");
                return Err(Error::new(ErrorKind::Refused, message).help("name a file or a skill's folder in a mirror"));
            }
        }
    }
    Ok(Args { adopt: Some(own).filter(|own| !own.is_empty()), ..args.clone() })
}
