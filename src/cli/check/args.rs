//! The command line of `canonry check`.

use crate::finding::Applicability;
use crate::rules::Profile;
use crate::view::Basis;
use std::path::PathBuf;

/// Check the canon, or the given paths
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Skills, plans, workflows, reports, schemas, memory files, or directories to search [default: the canon and its mirrors];
    /// with --all, repositories
    pub paths: Vec<PathBuf>,
    /// Check the staged files instead of the work tree
    #[arg(long, conflicts_with = "rev")]
    pub staged: bool,
    /// Check a commit, such as HEAD
    #[arg(long, value_name = "REV")]
    pub rev: Option<String>,
    /// Check several repositories and print one summary: the given directories or patterns, `-` to read them from stdin, or
    /// `repositories` in your user config
    #[arg(long, conflicts_with_all = ["fix", "baseline", "write_baseline"])]
    pub all: bool,
    /// Default severities of the rules
    #[arg(long, value_enum, default_value_t = ProfileArg::Team)]
    pub profile: ProfileArg,
    /// Fix findings in the canon, then report the remaining ones
    #[arg(long, value_enum, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "safe")]
    #[arg(conflicts_with_all = ["staged", "rev"])]
    pub fix: Option<FixArg>,
    /// With --fix: write nothing; print the fixes as a unified diff
    #[arg(long, visible_alias = "diff", requires = "fix")]
    pub dry_run: bool,
    /// Baseline of known findings [default: baseline.json in the canon, if it exists]
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write all current findings to the baseline
    #[arg(long, conflicts_with_all = ["paths", "staged", "rev", "fix"])]
    pub write_baseline: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = FormatArg::Human)]
    pub format: FormatArg,
}

/// A set of default severities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ProfileArg {
    /// Errors for broken files, warnings for content that a tool would ignore
    Team,
    /// Errors only for violations of the specification, for skills you want to publish
    Spec,
}

/// The fixes to apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FixArg {
    /// Fixes that keep the meaning of a file, or restore the evident intention
    Safe,
    /// Also fixes that need a review
    Unsafe,
}

/// An output format of `check`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum FormatArg {
    /// Text for people
    Human,
    /// One JSON document, described by a schema in schemas/
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// GitHub Actions annotations
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
