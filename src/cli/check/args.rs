//! The command line of `canonry check`.

use crate::finding::Applicability;
use crate::rules::Profile;
use crate::view::Basis;
use std::path::PathBuf;

/// Judges the canon, or the paths that are named.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Skill folders, SKILL.md, plans, workflows, reports, schemas or files of the memory, or folders to search; by default
    /// the whole canon and its mirrors; with --all, repositories
    pub paths: Vec<PathBuf>,
    /// Judge what is staged instead of what lies in the work tree
    #[arg(long, conflicts_with = "rev")]
    pub staged: bool,
    /// Judge a commit, such as HEAD
    #[arg(long, value_name = "REV")]
    pub rev: Option<String>,
    /// Check many repositories at once and print one summary: those that are named, by folder or by pattern, `-` for a list
    /// on stdin, or those that `repositories:` in your own config lists
    #[arg(long, conflicts_with_all = ["fix", "baseline", "write_baseline"])]
    pub all: bool,
    /// Which severities apply by default
    #[arg(long, value_enum, default_value_t = ProfileArg::Team)]
    pub profile: ProfileArg,
    /// Fix what can be fixed in the canon's own files, then report what is left
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "safe")]
    #[arg(conflicts_with_all = ["staged", "rev"])]
    pub fix: Option<FixArg>,
    /// With --fix: write nothing; print what would change as a unified diff
    #[arg(long, visible_alias = "diff", requires = "fix")]
    pub dry_run: bool,
    /// Findings that are put off; by default baseline.json in the canon, where there is one
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Put off all that is found now: write it into the baseline
    #[arg(long, conflicts_with_all = ["paths", "staged", "rev", "fix"])]
    pub write_baseline: bool,
    /// How the findings are written
    #[arg(long, value_enum, default_value_t = FormatArg::Human)]
    pub format: FormatArg,
}

/// The profiles by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ProfileArg {
    /// Errors for what is broken, warnings for what a tool would drop
    Team,
    /// The specification to the letter, for skills that are to be published
    Spec,
}

/// Which fixes are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FixArg {
    /// Those after which a file means the same, or what it was plainly meant to mean
    Safe,
    /// Also those that a person should look at afterwards
    Unsafe,
}

/// The formats by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FormatArg {
    /// For people
    Human,
    /// One JSON document, described in schemas/
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow commands, which GitHub shows beside the lines
    Github,
}

impl Args {
    /// The same for one of many, told by its document.
    pub fn for_one(&self) -> Self {
        Self { paths: Vec::new(), all: false, format: FormatArg::Json, ..self.clone() }
    }

    /// The content that is judged.
    pub fn basis(&self) -> Basis {
        match (&self.rev, self.staged) {
            (Some(rev), _) => Basis::Commit(rev.clone()),
            (None, true) => Basis::Index,
            (None, false) => Basis::WorkTree,
        }
    }
}

impl From<ProfileArg> for Profile {
    fn from(arg: ProfileArg) -> Self {
        match arg {
            ProfileArg::Team => Self::Team,
            ProfileArg::Spec => Self::Spec,
        }
    }
}

impl From<FixArg> for Applicability {
    fn from(arg: FixArg) -> Self {
        match arg {
            FixArg::Safe => Self::Safe,
            FixArg::Unsafe => Self::Unsafe,
        }
    }
}
