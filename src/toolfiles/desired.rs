//! What should stand in the files of the tools.

use crate::syntax::RepoPath;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Something that should stand in a file that people write too.
#[derive(Clone, Debug, PartialEq)]
pub struct DesiredPart {
    /// The file.
    pub file: RepoPath,
    /// The file of the canon it is made from.
    pub canon: RepoPath,
    /// Where in the file, and what.
    pub place: PartContent,
}

/// A place in a shared file with what should stand there.
#[derive(Clone, Debug, PartialEq)]
pub enum PartContent {
    /// A key of JSON.
    Key {
        /// From the top.
        path: Vec<String>,
        /// What it should say.
        value: Value,
    },
    /// An item of a list in JSON.
    Item {
        /// The list.
        path: Vec<String>,
        /// The item.
        value: Value,
        /// Words by which an item that someone has changed is still known.
        known_by: Option<String>,
    },
    /// The marked block of a Markdown file.
    Block {
        /// What it should hold.
        inner: String,
        /// A line that makes it needless where people have written it, or made the file a link to what it names.
        unless: Option<ImportLine>,
    },
    /// A table in the marked block of a TOML file.
    Table {
        /// From the top.
        path: Vec<String>,
        /// Its lines, the header included.
        text: String,
    },
}

/// What makes an import needless.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportLine {
    /// A line of the text.
    pub line: String,
    /// Where the file may lead as a link.
    pub target: RepoPath,
}

/// A file that is sync's as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    /// Where.
    pub path: RepoPath,
    /// The file of the canon it is made from.
    pub canon: RepoPath,
    /// What it should hold; `None` for what the canon's file holds, byte for byte.
    pub text: Option<String>,
}

/// All that the files of the tools should hold, and what is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DesiredToolFiles {
    /// In files that people write too.
    pub parts: Vec<DesiredPart>,
    /// Whole files.
    pub generated: Vec<GeneratedFile>,
    /// What cannot be written, by the file of the canon, and why.
    pub problems: Vec<(RepoPath, String)>,
    /// Files and folders of which the canon cannot say now what they should hold: nothing is taken out of them.
    pub frozen: BTreeSet<RepoPath>,
}

impl DesiredToolFiles {
    /// The file of each piece; one of several pieces comes several times.
    pub fn files(&self) -> impl Iterator<Item = RepoPath> {
        self.parts.iter().map(|piece| piece.file.clone())
    }

    /// A key.
    pub fn key(&mut self, file: &str, path: &[&str], value: Value, canon: &RepoPath) {
        let place = PartContent::Key { path: owned(path), value };
        self.parts.push(DesiredPart { file: RepoPath::from(file), canon: canon.clone(), place });
    }

    /// An item of a list.
    pub fn item(&mut self, file: &str, path: &[&str], value: Value, canon: &RepoPath) {
        let place = PartContent::Item { path: owned(path), value, known_by: None };
        self.parts.push(DesiredPart { file: RepoPath::from(file), canon: canon.clone(), place });
    }

    /// A whole file.
    pub fn whole(&mut self, path: &str, text: Option<String>, canon: &RepoPath) {
        self.generated.push(GeneratedFile { path: RepoPath::from(path), canon: canon.clone(), text });
    }

    /// Of two files whose paths are the same where case does not count, neither is written: the one would undo the other.
    pub(super) fn leave_out_twins(&mut self) {
        self.generated.sort_by(|a, b| a.path.cmp(&b.path));
        let folded = |whole: &GeneratedFile| whole.path.to_display().to_lowercase();
        let mut twins: BTreeMap<String, Vec<RepoPath>> = BTreeMap::new();
        for whole in &self.generated {
            twins.entry(folded(whole)).or_default().push(whole.canon.clone());
        }
        twins.retain(|_, canon| canon.len() > 1);
        for whole in self.generated.extract_if(.., |whole| twins.contains_key(&folded(whole))) {
            let others = twins.get(&folded(&whole)).map(Vec::as_slice).unwrap_or_default();
            let other = others.iter().find(|other| **other != whole.canon).unwrap_or(&whole.canon);
            let why = format!("{} would be made from {other} as well; rename one", whole.path);
            self.frozen.insert(whole.path.clone());
            self.problems.push((whole.canon.clone(), why));
        }
    }

    /// Something that is not written, and why.
    pub fn problem(&mut self, canon: &RepoPath, why: impl Into<String>) {
        self.problems.push((canon.clone(), why.into()));
    }
}

fn owned(path: &[&str]) -> Vec<String> {
    path.iter().map(|key| (*key).to_owned()).collect()
}
