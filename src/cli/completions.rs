//! `canonry completions`

use super::output::Out;
use super::status::Status;
use canonry_app::Error;
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
// Indented lines keep their line breaks in the manual.
#[command(after_help = "Install the script:\n  \
                  canonry completions bash > ~/.local/share/bash-completion/completions/canonry\n  \
                  canonry completions zsh > ~/.zfunc/_canonry    (~/.zfunc must be in fpath)\n  \
                  canonry completions fish > ~/.config/fish/completions/canonry.fish")]
pub struct CompletionsArgs {
    /// Shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Runs the command; `program` is the definition of the command line.
///
/// # Errors
/// Never; the signature matches the other commands.
pub fn run(args: &CompletionsArgs, mut program: clap::Command, out: &Out<'_>) -> Result<Status, Error> {
    // Generate into memory first: the generator panics if stdout is a closed pipe.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "canonry", &mut script);
    out.result(&String::from_utf8_lossy(&script));
    Ok(Status::Done)
}
