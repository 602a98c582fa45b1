//! `canonry completions`

use super::output::Out;
use super::status::Status;
use crate::app::Error;
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
// Lines that begin with white space stay lines in the manual.
#[command(after_help = "Install the script:\n  \
                  canonry completions bash > ~/.local/share/bash-completion/completions/canonry\n  \
                  canonry completions zsh > ~/.zfunc/_canonry    (~/.zfunc must be in fpath)\n  \
                  canonry completions fish > ~/.config/fish/completions/canonry.fish")]
pub struct Args {
    /// Shell to complete for
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Runs the command; `program` is what the completions are of.
///
/// # Errors
/// None; the signature is that of every command.
pub fn run(args: &Args, mut program: clap::Command, out: &Out<'_>) -> Result<Status, Error> {
    // Into memory first: the generator takes a reader that goes away for a bug.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "canonry", &mut script);
    out.result(&String::from_utf8_lossy(&script));
    Ok(Status::Done)
}
