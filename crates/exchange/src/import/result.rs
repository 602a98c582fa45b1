//! The result of an import.

use super::config_sections::ConfigSections;
use canonry_model::edit::Edit;
use canonry_text::RepoPath;
use serde::Serialize;

/// The edits and the report of an import.
#[derive(Debug, Default)]
pub struct ImportResult {
    /// New files of the canon.
    pub edits: Vec<Edit>,
    /// Items that are in the canon afterwards.
    pub imported: Vec<ImportedItem>,
    /// Items that are not imported.
    pub skipped: Vec<SkippedItem>,
    /// Items that are not imported because the canon has other content in their place.
    pub refused: Vec<ImportRefusal>,
    /// A config for the tools of the source; `None` if the defaults are right.
    pub config: Option<GeneratedConfig>,
    /// Remaining steps for the user.
    pub next_steps: Vec<String>,
}

/// A file, or a skill with its files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportedItem {
    /// Its sources; several if they are equal.
    pub from: Vec<RepoPath>,
    /// Its path in the canon.
    pub to: RepoPath,
    /// The number of its files.
    pub files: usize,
    /// The number of files that are new in the canon.
    #[serde(rename = "new")]
    pub new_files: usize,
    /// Differences from the source, one sentence each.
    pub changes: Vec<String>,
}

/// An item that is not imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedItem {
    /// Its path.
    pub path: RepoPath,
    /// Why it is skipped.
    pub reason: String,
    /// Remedy; `None` if there is nothing to do.
    pub advice: Option<String>,
    /// Whether it cannot be read.
    #[serde(rename = "unreadable")]
    pub is_unreadable: bool,
}

/// An item that would overwrite content of the canon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportRefusal {
    /// Its source.
    pub from: RepoPath,
    /// Its path in the canon.
    pub to: RepoPath,
    /// Why it is refused.
    pub reason: String,
}

/// A config for the tools of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GeneratedConfig {
    /// Its path.
    pub path: RepoPath,
    /// Whether it is written, or the `files:` of an existing config.
    #[serde(rename = "written")]
    pub is_written: bool,
    /// Its text.
    pub text: String,
    /// The lines that a person adds to an existing config; `None` without any.
    pub by_hand: Option<String>,
    /// Whether there is no config yet.
    #[serde(skip)]
    pub is_new: bool,
    /// The sections of the text.
    #[serde(skip)]
    pub sections: ConfigSections,
}
