//! `canonry memory report`

use super::look::Look;
use crate::app::Environment;
use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::apply::standalone_file::{self, PathContent, Use};
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::cli::when;
use crate::render::memory::{GENERATOR, page};
use crate::view::Basis;
use gix::bstr::ByteSlice as _;
use std::path::{Path, PathBuf};

/// The arguments of `canonry memory report`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Output file [default: stdout]; an existing file is replaced only if it is such a page
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Use this time as the current time: RFC 3339, UTC if it has no zone
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
    /// Number of patterns and rows to list
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let now = when::now(args.now.as_deref())?;
    let place = args.output.as_ref().map(|path| env.cwd.join(path));
    place.as_deref().map_or(Ok(()), free)?;
    let context = Workspace::open(env, &Basis::WorkTree)?;
    let page = page(&Look::at(&context, now)?.overview(args.top)?);
    match (place, &args.output) {
        (Some(path), Some(given)) => {
            standalone_file::replace(&path, page.as_bytes(), Use::Text)?;
            out.result(&format!("wrote     {}\n", given.display()));
        }
        _ => out.result(&page),
    }
    Ok(Status::Done)
}

/// Nothing stands there, or a page of ours.
fn free(path: &Path) -> Result<(), Error> {
    let ours = |bytes: &[u8]| bytes.contains_str(GENERATOR);
    match standalone_file::read_path(path)? {
        PathContent::Nothing => Ok(()),
        PathContent::File { bytes, .. } if bytes.is_empty() || ours(&bytes) => Ok(()),
        _ => Err(Error::new(ErrorKind::Refused, format!("{} is there, and is no page of canonry's", path.display()))
            .help("name another file, or move that one away")),
    }
}
