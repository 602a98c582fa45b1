//! The arguments of `canonry sync`.

use crate::cli::format::Format;
use crate::edit::OverwriteMode;
use std::path::PathBuf;

/// Update the mirrors and tool files of the canon
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// With --all: repositories or directory patterns, or `-` to read them from stdin, one per line [default: `repositories`
    /// in your user config]
    #[arg(value_name = "REPO", requires = "all", conflicts_with_all = ["adopt", "user"])]
    pub repositories: Vec<PathBuf>,
    /// Write nothing; exit with 1 if a mirror differs from the canon
    #[arg(long, group = "mode")]
    pub check: bool,
    /// Write nothing; print the changes as a unified diff
    #[arg(long, group = "mode")]
    pub dry_run: bool,
    /// Print differences as a unified diff, including edits of mirrors; alone, write nothing
    #[arg(long)]
    pub diff: bool,
    /// Mirror the staged files, and stage the mirrors and the lock, for a pre-commit hook
    #[arg(long, conflicts_with_all = ["commit", "adopt", "force"])]
    pub staged: bool,
    /// Sync now and after each change of the canon, until Ctrl-C
    #[arg(long, conflicts_with_all = ["mode", "diff", "commit", "adopt", "force", "staged", "format"])]
    pub watch: bool,
    /// Commit the skills, their mirrors and the lock, and nothing else
    #[arg(long, conflicts_with = "mode")]
    pub commit: bool,
    /// Commit message
    #[arg(short, long, value_name = "TEXT", requires = "commit")]
    pub message: Option<String>,
    /// Merge this edited mirror file or directory into the canon first (repeatable)
    #[arg(long, value_name = "PATH", num_args = 0..=1, conflicts_with = "mode")]
    pub adopt: Option<Vec<PathBuf>>,
    /// Sync several repositories and print one summary; with --adopt and no path: claim every mirror file that equals the
    /// canon, such as after a lost lock
    #[arg(long, conflicts_with_all = ["staged", "diff", "watch"])]
    pub all: bool,
    /// Sync your user canon, ~/.config/canonry, to the directories in your home that tools read in every project
    #[arg(long, conflicts_with_all = ["commit", "staged", "watch"])]
    pub user: bool,
    /// Replace edited and foreign files in mirrors; back them up first
    #[arg(long)]
    pub force: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
}

impl Args {
    /// Whether many repositories are meant.
    pub fn is_for_many(&self) -> bool {
        self.all && self.adopt.is_none()
    }

    /// The same for one of many, told by its document.
    pub fn for_one(&self) -> Self {
        Self { repositories: Vec::new(), all: false, format: Format::Json, ..self.clone() }
    }

    /// Whether a run writes.
    pub fn writes(&self) -> bool {
        !self.check && !self.dry_run && (!self.diff || self.commit || self.adopt.is_some())
    }

    /// What a run may do beyond writing what is ours.
    pub fn consent(&self) -> OverwriteMode {
        if self.force { OverwriteMode::Force } else { OverwriteMode::OwnedOnly }
    }
}
