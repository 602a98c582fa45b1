//! `canonry man`

use super::output::Out;
use super::status::Status;
use crate::render::counted;
use canonry_app::manual::{ManualPage, write_pages};
use canonry_app::{Environment, Error, ErrorKind};
use clap_mangen::Man;
use std::io;
use std::path::PathBuf;

/// Print the manual pages
#[derive(Debug, clap::Args)]
#[command(after_help = "To read the manual:  canonry man | man -l -")]
pub struct ManArgs {
    /// Directory for one page per command, such as ~/.local/share/man/man1
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

/// Runs the command; `program` is the definition of the command line.
///
/// # Errors
/// The directory is not writable.
pub fn run(
    args: &ManArgs,
    mut program: clap::Command,
    environment: &Environment,
    out: &Out<'_>,
) -> Result<Status, Error> {
    program.build();
    let mut pages = Vec::new();
    render(&program, &mut pages)
        .map_err(|e| Error::new(ErrorKind::Internal, format!("cannot generate the manual: {e}")))?;
    let Some(dir) = &args.dir else {
        let text: Vec<u8> = pages.into_iter().flat_map(|page| page.text).collect();
        out.result(&String::from_utf8_lossy(&text));
        return Ok(Status::Done);
    };
    write_pages(environment, dir, &pages)?;
    out.result(&format!("wrote {} to {}\n", counted(pages.len(), "page"), dir.display()));
    Ok(Status::Done)
}

/// Renders the page of a command and the pages of its subcommands.
fn render(command: &clap::Command, pages: &mut Vec<ManualPage>) -> io::Result<()> {
    let man = Man::new(command.clone()).source(concat!("canonry ", env!("CARGO_PKG_VERSION")));
    let mut text = Vec::new();
    man.render(&mut text)?;
    pages.push(ManualPage { name: man.get_filename(), text });
    command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set()).try_for_each(|sub| render(sub, pages))
}
