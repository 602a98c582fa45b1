//! Options for committing what a command wrote.

use canonry_app::Environment;

/// Options of commands that commit by default.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct CommitArgs {
    /// Do not commit
    #[arg(long)]
    pub no_commit: bool,
    /// Skip git's pre-commit and commit-msg hooks
    #[arg(long)]
    no_verify: bool,
}

/// Options of commands that commit if asked.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct OptionalCommitArgs {
    /// Commit the change, and mirrors that were in sync
    #[arg(long)]
    pub commit: bool,
    /// Skip git's pre-commit and commit-msg hooks
    #[arg(long, requires = "commit")]
    pub no_verify: bool,
}

impl CommitArgs {
    /// The environment in which git's hooks run as asked.
    pub fn environment(self, env: &Environment) -> Environment {
        env.no_verify(self.no_verify)
    }
}
