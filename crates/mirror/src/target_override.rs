//! Copies of a skill that differ from the canon for one target: overlay files and rendered documents.

use super::canon_file::{CanonFile, fold_name, unfit};
use bstr::BString;
use canonry_model::canon::FileState;
use canonry_model::config::Target;
use canonry_text::RepoPath;
use std::collections::{BTreeMap, BTreeSet};

/// Difference between a target's copy of a skill and the canon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetOverride {
    /// These files replace canonical files or are added to them. Sorted by path.
    Files(Vec<OverrideFile>),
    /// The target gets no copy, because the document is for other tools.
    Excluded,
    /// The content cannot be determined; the mirror stays unchanged.
    Invalid {
        /// The file with the problem.
        file: RepoPath,
        message: String,
    },
}

/// A file of a target's copy that differs from the canon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverrideFile {
    /// The path below the folder of the skill.
    pub below: BString,
    /// The source file, with the state that the copy should have.
    pub file: CanonFile,
    /// Links that stay within this folder keep their text.
    pub link_base: RepoPath,
    /// The content, if it differs from that of the source file.
    pub rendered: Option<RenderedText>,
}

/// A document that was rendered for a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedText {
    /// The content in the mirror.
    pub bytes: Vec<u8>,
    /// The state of the source document.
    pub document: FileState,
    /// The overlay document whose keys are merged into the source.
    pub keys: Option<RepoPath>,
}

/// Source of a rendered document, so that an edit of the result can be merged back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderSource {
    pub target: Target,
    /// The state of the source document.
    pub document: FileState,
    /// The overlay document whose keys are merged into the source.
    pub keys: Option<RepoPath>,
}

impl TargetOverride {
    /// Combines override files; the result is invalid if they do not fit into one folder with the canonical files `own`.
    pub fn from_files(skill: &RepoPath, own: &[CanonFile], mut files: Vec<OverrideFile>) -> Self {
        files.sort_by(|a, b| a.below.cmp(&b.below));
        let unfit = files.iter().find_map(|own| Some((own.file.path.clone(), unfit(&own.file)?.to_string())));
        match unfit.or_else(|| placement_conflict(skill, own, &files)) {
            Some((file, message)) => Self::Invalid { file, message },
            None => Self::Files(files),
        }
    }

    pub fn files(&self) -> &[OverrideFile] {
        match self {
            Self::Files(files) => files,
            Self::Excluded | Self::Invalid { .. } => &[],
        }
    }

    /// Checks whether a canonical file of the skill is replaced.
    pub fn replaces(&self, file: &RepoPath, skill: &RepoPath) -> bool {
        let below = file.below(skill).unwrap_or_default();
        self.files().iter().any(|own| own.below == below)
    }
}

/// Finds an override file whose path is a folder of the skill, is below a file of the skill, or clashes with another name
/// if case is ignored. Returns the file and the problem.
fn placement_conflict(skill: &RepoPath, own: &[CanonFile], files: &[OverrideFile]) -> Option<(RepoPath, String)> {
    let own = own.iter().map(|file| file.path.below(skill).unwrap_or_default().to_owned());
    let mut names: BTreeMap<String, BTreeSet<BString>> = BTreeMap::new();
    for below in own.chain(files.iter().map(|file| file.below.clone())) {
        names.entry(fold_name(&below)).or_default().insert(below);
    }
    let shown = |names: &BTreeSet<BString>| names.first().map(|below| RepoPath::new(below).to_display());
    for file in files {
        let conflict = |message: String| Some((file.file.path.clone(), message));
        let name = fold_name(&file.below);
        let inside = format!("{name}/");
        let other = names.get(&name).and_then(|same| same.iter().find(|other| **other != file.below));
        if let Some(other) = other {
            let other = RepoPath::new(other);
            return conflict(format!("its name equals that of {other} if case is ignored; rename one of them"));
        }
        let within = names.range(inside.clone()..).next().filter(|(name, _)| name.starts_with(&inside));
        if let Some(other) = within.and_then(|(_, names)| shown(names)) {
            return conflict(format!("the skill has a folder at this path, with {other}"));
        }
        let mut above = name.match_indices('/').map(|(at, _)| &name[..at]);
        if let Some(other) = above.find_map(|above| names.get(above)).and_then(shown) {
            return conflict(format!("the skill has a file {other} where this path needs a folder"));
        }
    }
    None
}
