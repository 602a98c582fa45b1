//! `canonry man`

use super::output::Out;
use super::status::Status;
use crate::app::Environment;
use crate::app::{Error, ErrorKind};
use crate::apply::standalone_file::{self, Use};
use crate::render::counted;
use clap_mangen::Man;
use std::io;
use std::path::PathBuf;

/// Print the manual pages
#[derive(Debug, clap::Args)]
#[command(after_help = "To read the manual:  canonry man | man -l -")]
pub struct Args {
    /// Write one page per command into this directory, such as ~/.local/share/man/man1
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// A page under the name that `man` finds it by.
struct Page {
    name: String,
    text: Vec<u8>,
}

/// Runs the command; `program` is what the manual is of.
///
/// # Errors
/// The folder cannot be written.
pub fn run(args: &Args, program: clap::Command, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    // The pages name each other; a page on `help` would say what `--help` says.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let mut pages = Vec::new();
    render(&program, &mut pages).map_err(|e| Error::new(ErrorKind::Internal, format!("no manual can be made: {e}")))?;
    let Some(dir) = &args.dir else {
        let text: Vec<u8> = pages.into_iter().flat_map(|page| page.text).collect();
        out.result(&String::from_utf8_lossy(&text));
        return Ok(Status::Done);
    };
    let folder = env.cwd.join(dir);
    for page in &pages {
        standalone_file::replace(&folder.join(&page.name), &page.text, Use::Text)?;
    }
    out.result(&format!("wrote {} into {}\n", counted(pages.len(), "page"), dir.display()));
    Ok(Status::Done)
}

/// The page of a command, then those of the commands below it.
fn render(command: &clap::Command, pages: &mut Vec<Page>) -> io::Result<()> {
    let man = Man::new(command.clone()).source(concat!("canonry ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    man.render(&mut text)?;
    pages.push(Page { name: man.get_filename(), text });
    command.get_subcommands().filter(|below| !below.is_hide_set()).try_for_each(|below| render(below, pages))
}
