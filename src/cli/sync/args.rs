//! The arguments of `canonry sync`.

use crate::cli::format::Format;
use crate::mirror::OverwriteMode;
use std::path::PathBuf;

/// Mirrors the canon's skills for each tool.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// With --all: the repositories, or patterns of folders; `-` for a list on stdin, one a line; by default those that
    /// `repositories:` in your own config lists
    #[arg(value_name = "REPO", requires = "all", conflicts_with_all = ["adopt", "user"])]
    pub repositories: Vec<PathBuf>,
    /// Write nothing; leave with 1 where a mirror differs from the canon
    #[arg(long, group = "mode")]
    pub check: bool,
    /// Write nothing; print the changes that a run would make as a unified diff
    #[arg(long, group = "mode")]
    pub dry_run: bool,
    /// Show as a unified diff what differs, edits by hand included; with nothing else, write nothing
    #[arg(long)]
    pub diff: bool,
    /// Mirror what is staged, and stage the mirrors and the lock: for a hook before a commit
    #[arg(long, conflicts_with_all = ["commit", "adopt", "force"])]
    pub staged: bool,
    /// Sync now and whenever the canon changes, until Ctrl-C
    #[arg(long, conflicts_with_all = ["mode", "diff", "commit", "adopt", "force", "staged", "format"])]
    pub watch: bool,
    /// Commit what was mirrored: the skills, their mirrors and the lock, and nothing else
    #[arg(long, conflicts_with = "mode")]
    pub commit: bool,
    /// The commit's message
    #[arg(short, long, value_name = "TEXT", requires = "commit")]
    pub message: Option<String>,
    /// Take this file or folder of a mirror into the canon first (may be given more than once)
    #[arg(long, value_name = "PATH", num_args = 0..=1, conflicts_with = "mode")]
    pub adopt: Option<Vec<PathBuf>>,
    /// Sync many repositories at once, each by itself, and print one summary; with --adopt and no path: claim every mirrored
    /// file that equals the canon, as after a lost lock
    #[arg(long, conflicts_with_all = ["staged", "diff", "watch"])]
    pub all: bool,
    /// Sync your own canon, ~/.config/canonry, into the folders below your home that the tools read in every project
    #[arg(long, conflicts_with_all = ["commit", "staged", "watch"])]
    pub user: bool,
    /// Replace what was edited or written by others where the canon is mirrored; a copy is kept
    #[arg(long)]
    pub force: bool,
    /// How the outcome is written
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
        if self.force { OverwriteMode::Force } else { OverwriteMode::Ours }
    }
}
