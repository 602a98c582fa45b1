//! `canonry memory merge-driver`

use crate::app::Environment;
use crate::app::{Error, ErrorKind};
use crate::apply::standalone_file::{self, PathContent, Use};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::memory::merge::{Kind, Sides, in_words};
use std::path::{Path, PathBuf};

/// The arguments of `canonry memory merge-driver`, in git's order.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Common ancestor (%O)
    base: PathBuf,
    /// Our version (%A); overwritten with the result
    ours: PathBuf,
    /// Their version (%B)
    theirs: PathBuf,
    /// Path in the repository (%P); it determines the file kind
    path: String,
}

/// Runs the command. As git wants it, 0 says that the outcome is complete, and 1 that there are conflicts in it.
///
/// # Errors
/// See [`Error`]. Git takes these for conflicts too, and leaves the file as it is here.
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let Some(kind) = Kind::of(&args.path) else {
        return Err(Error::new(ErrorKind::Usage, format!("{}: this is no file of the memory", args.path))
            .help("logs and snapshots (.jsonl), the quarantine (.txt) and lessons (.md) are merged"));
    };
    let ours = env.cwd.join(&args.ours);
    let [base, our, their] = [&env.cwd.join(&args.base), &ours, &env.cwd.join(&args.theirs)].map(|path| read(path));
    let merged = kind.merge(&Sides { base: &base?, ours: &our?, theirs: &their? });
    standalone_file::replace(&ours, &merged.bytes, Use::Text)?;
    out.remark(&in_words(&merged, &args.path));
    Ok(if merged.conflicts == 0 { Status::Done } else { Status::Findings })
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    match standalone_file::read_path(path)? {
        PathContent::File { bytes, .. } => Ok(bytes),
        _ => Err(Error::new(ErrorKind::Unreadable, format!("{}: there is no such file", path.display()))
            .help("git runs this by itself, with the files that it makes for it")),
    }
}
