//! What a tool's copy of a skill holds that is not simply the canon's: files of an overlay, and documents that are made
//! for it.

use super::file::{CanonFile, unfit};
use super::folded::fold_name;
use crate::canon::FileState;
use crate::config::Target;
use crate::syntax::RepoPath;
use gix::bstr::BString;
use std::collections::{BTreeMap, BTreeSet};

/// What a target's copy of a skill holds that is not simply the canon's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TargetOverride {
    /// These files, in the place of the canon's or beside them, sorted by path.
    Files(Vec<OverrideFile>),
    /// Nothing: its document says that it is for others.
    Excluded,
    /// Nobody knows: then what stands there stays as it is.
    Invalid {
        /// The file that says why.
        file: RepoPath,
        /// What is wrong with it.
        message: String,
    },
}

/// A file of a target's copy of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverrideFile {
    /// Its path below the skill's folder.
    pub below: BString,
    /// The file that it comes from, with what the copy shall hold.
    pub file: CanonFile,
    /// The folder in which its links may lead about as they are.
    pub base: RepoPath,
    /// What is written, where that is not what the file holds.
    pub made: Option<RenderedText>,
}

/// A document that was made for a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedText {
    /// As it stands in a mirror.
    pub bytes: Vec<u8>,
    /// What the document holds that it was made from.
    pub document: FileState,
    /// An overlay's document whose keys are merged into that.
    pub keys: Option<RepoPath>,
}

/// How a document was made, so that an edit of it can be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderSource {
    /// For which target.
    pub target: Target,
    /// What the document holds that it was made from.
    pub document: FileState,
    /// An overlay's document whose keys are merged into that.
    pub keys: Option<RepoPath>,
}

impl TargetOverride {
    /// A shape of files, where they fit into one folder with those of the skill.
    pub fn from_files(skill: &RepoPath, own: &[CanonFile], mut files: Vec<OverrideFile>) -> Self {
        files.sort_by(|a, b| a.below.cmp(&b.below));
        let odd = files.iter().find_map(|shaped| Some((shaped.file.path.clone(), unfit(&shaped.file)?.to_string())));
        match odd.or_else(|| misfit(skill, own, &files)) {
            Some((file, message)) => Self::Invalid { file, message },
            None => Self::Files(files),
        }
    }

    /// Its files.
    pub fn files(&self) -> &[OverrideFile] {
        match self {
            Self::Files(files) => files,
            Self::Excluded | Self::Invalid { .. } => &[],
        }
    }

    /// Whether it has something in the place of a file of the skill.
    pub fn replaces(&self, file: &RepoPath, skill: &RepoPath) -> bool {
        let below = file.below(skill).unwrap_or_default();
        self.files().iter().any(|shaped| shaped.below == below)
    }
}

/// A file that is to stand where the skill has a folder, in a folder where it has a file, or beside a file whose name is
/// the same where case does not count.
fn misfit(skill: &RepoPath, own: &[CanonFile], files: &[OverrideFile]) -> Option<(RepoPath, String)> {
    let own = own.iter().map(|file| file.path.below(skill).unwrap_or_default().to_owned());
    let mut names: BTreeMap<String, BTreeSet<BString>> = BTreeMap::new();
    for below in own.chain(files.iter().map(|file| file.below.clone())) {
        names.entry(fold_name(&below)).or_default().insert(below);
    }
    let shown = |names: &BTreeSet<BString>| names.first().map(|below| RepoPath::new(below).to_display());
    for file in files {
        let said = |words: String| Some((file.file.path.clone(), words));
        let name = fold_name(&file.below);
        let inside = format!("{name}/");
        let other = names.get(&name).and_then(|same| same.iter().find(|other| **other != file.below));
        if let Some(other) = other {
            let other = RepoPath::new(other);
            return said(format!("its name is the same as that of {other} where case does not count; rename one"));
        }
        let within = names.range(inside.clone()..).next().filter(|(name, _)| name.starts_with(&inside));
        if let Some(other) = within.and_then(|(_, names)| shown(names)) {
            return said(format!("the skill has a folder there, with {other}"));
        }
        let mut above = name.match_indices('/').map(|(at, _)| &name[..at]);
        if let Some(other) = above.find_map(|above| names.get(above)).and_then(shown) {
            return said(format!("the skill has a file {other} where this needs a folder"));
        }
    }
    None
}
