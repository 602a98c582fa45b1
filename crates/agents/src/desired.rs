//! The desired content of tool files.

use super::executable::Executable;
use canonry_text::RepoPath;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A managed part that a shared file should contain.
#[derive(Clone, Debug, PartialEq)]
pub struct DesiredPart {
    pub file: RepoPath,
    /// The canonical file it is made from.
    pub canon: RepoPath,
    pub content: PartContent,
}

/// The position and content of a managed part.
#[derive(Clone, Debug, PartialEq)]
pub enum PartContent {
    /// A key in a JSON file.
    Key {
        /// The keys from the root.
        path: Vec<String>,
        value: Value,
    },
    /// An item of a list in a JSON file.
    Item {
        /// The keys of the list from the root.
        path: Vec<String>,
        value: Value,
        /// A text that identifies the item even after a user edited it.
        marker: Option<String>,
    },
    /// The managed block of a text file.
    Block {
        inner: String,
        /// A line that makes the block unnecessary if a user wrote it.
        replaced_by: Option<ImportLine>,
    },
    /// A table in the managed block of a TOML file.
    Table {
        /// The keys from the root.
        path: Vec<String>,
        /// The lines of the table, including the header.
        text: String,
    },
}

/// An import that a user may have written instead of a managed block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportLine {
    /// The line in the text.
    pub line: String,
    /// The imported file. A file that is a link to it also needs no block.
    pub target: RepoPath,
    /// Whether the tool reads the target itself where this file has no other text.
    pub is_implied: bool,
}

/// A file that sync writes completely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedFile {
    pub path: RepoPath,
    /// The canonical file it is made from.
    pub canon: RepoPath,
    /// The content; `None` for a copy of the canonical file.
    pub text: Option<String>,
}

/// A canonical file, or a part of it, that cannot be written for a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolFileProblem {
    pub canon: RepoPath,
    pub message: String,
    /// The message in one short line, if it lists many things.
    pub summary: Option<String>,
    /// The part that the tool does not get, `TOOL/KIND/NAME`; `None` if the canonical file itself is invalid.
    pub omitted: Option<String>,
    /// Whether it is an error of the file itself, which the check of the file reports with its line.
    pub is_syntax: bool,
}

impl ToolFileProblem {
    pub fn new(canon: &RepoPath, message: impl Into<String>) -> Self {
        Self { canon: canon.clone(), message: message.into(), summary: None, omitted: None, is_syntax: false }
    }
}

impl fmt::Display for ToolFileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.summary.as_ref().unwrap_or(&self.message))?;
        match &self.omitted {
            Some(part) => write!(f, "; to accept this, add `{part}` to `files.accept_omitted` in the config"),
            None => Ok(()),
        }
    }
}

/// The desired content of all tool files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DesiredToolFiles {
    /// Parts of files that users also write.
    pub parts: Vec<DesiredPart>,
    pub generated: Vec<GeneratedFile>,
    pub problems: Vec<ToolFileProblem>,
    /// Restrictions that are written, although the tool was seen not to follow them.
    pub unenforced: Vec<ToolFileProblem>,
    /// Files and folders whose desired content is unknown; nothing is removed from them.
    pub frozen: BTreeSet<RepoPath>,
    /// Parts that are not written until a person trusts them. What is in their place stays.
    pub held_parts: Vec<DesiredPart>,
    /// Generated files that are not written until then.
    pub held_files: BTreeSet<RepoPath>,
    /// The entries that are not trusted, if that holds anything back.
    pub untrusted: BTreeSet<Executable>,
}

impl DesiredToolFiles {
    /// Lists the file of each part; a file with several parts occurs several times.
    pub fn files(&self) -> impl Iterator<Item = RepoPath> {
        self.parts.iter().map(|part| part.file.clone())
    }

    pub fn add_key(&mut self, file: &str, path: &[&str], value: Value, canon: &RepoPath) {
        self.add_part(file, PartContent::Key { path: to_owned(path), value }, canon);
    }

    pub fn add_item(&mut self, file: &str, path: &[&str], value: Value, canon: &RepoPath) {
        self.add_part(file, PartContent::Item { path: to_owned(path), value, marker: None }, canon);
    }

    /// Adds a part, once if several sources want the same.
    fn add_part(&mut self, file: &str, content: PartContent, canon: &RepoPath) {
        let file = RepoPath::from(file);
        if !self.parts.iter().any(|part| part.file == file && part.content == content) {
            self.parts.push(DesiredPart { file, canon: canon.clone(), content });
        }
    }

    pub fn add_generated(&mut self, path: &str, text: Option<String>, canon: &RepoPath) {
        self.generated.push(GeneratedFile { path: RepoPath::from(path), canon: canon.clone(), text });
    }

    pub fn add_problem(&mut self, canon: &RepoPath, message: impl Into<String>) {
        self.problems.push(ToolFileProblem::new(canon, message));
    }

    /// Reports a canonical file that cannot be parsed.
    pub fn add_syntax_error(&mut self, canon: &RepoPath, message: impl Into<String>) {
        self.problems.push(ToolFileProblem { is_syntax: true, ..ToolFileProblem::new(canon, message) });
    }

    /// Reports a part that a tool does not get. `part` is `TOOL/KIND/NAME`.
    pub fn add_omission(&mut self, canon: &RepoPath, part: String, message: impl Into<String>) {
        self.problems.push(ToolFileProblem { omitted: Some(part), ..ToolFileProblem::new(canon, message) });
    }

    /// Drops repeated reports and those of parts that the team accepted. `TOOL/KIND/*` accepts every part of a kind.
    pub fn accept(&mut self, accepted: &[String]) {
        let covers = |accepted: &String, part: &str| match accepted.strip_suffix('*') {
            Some(start) => part.starts_with(start),
            None => part == accepted,
        };
        let mut seen = BTreeSet::new();
        for problems in [&mut self.problems, &mut self.unenforced] {
            problems.retain(|problem| {
                let part = problem.omitted.as_deref();
                let is_new = seen.insert((problem.canon.clone(), problem.message.clone()));
                is_new && !part.is_some_and(|part| accepted.iter().any(|accepted| covers(accepted, part)))
            });
        }
    }

    /// Follows `AGENTS.md -> CLAUDE.md`: a file whose import names a link to itself gets the text itself, and the link
    /// needs nothing.
    pub fn follow_links(&mut self, link_target: impl Fn(&RepoPath) -> Option<RepoPath>) {
        let is_circular = |part: &DesiredPart| match &part.content {
            PartContent::Block { replaced_by: Some(import), .. } => {
                link_target(&import.target).filter(|target| *target == part.file).map(|_| import.target.clone())
            }
            _ => None,
        };
        let circular: Vec<(usize, RepoPath)> =
            self.parts.iter().enumerate().filter_map(|(at, part)| Some((at, is_circular(part)?))).collect();
        let mut links = BTreeSet::new();
        for (at, link) in circular {
            let text = self.parts.iter().find(|part| part.file == link).map(|part| part.content.clone());
            if let Some(content @ PartContent::Block { .. }) = text {
                self.parts[at].content = content;
                links.insert(link);
            }
        }
        self.parts.retain(|part| !links.contains(&part.file));
    }

    /// Makes the import in a file necessary, because another file keeps the tool from reading the target itself.
    pub fn require_import(&mut self, file: &RepoPath) {
        for part in self.parts.iter_mut().filter(|part| part.file == *file) {
            if let PartContent::Block { replaced_by: Some(import), .. } = &mut part.content {
                import.is_implied = false;
            }
        }
    }

    /// Drops generated files whose paths are equal if case is ignored, because each would overwrite the other.
    pub(super) fn drop_clashing_files(&mut self) {
        self.generated.sort_by(|a, b| a.path.cmp(&b.path));
        let folded = |file: &GeneratedFile| file.path.to_display().to_lowercase();
        let mut clashes: BTreeMap<String, Vec<RepoPath>> = BTreeMap::new();
        for file in &self.generated {
            clashes.entry(folded(file)).or_default().push(file.canon.clone());
        }
        clashes.retain(|_, canon| canon.len() > 1);
        for file in self.generated.extract_if(.., |file| clashes.contains_key(&folded(file))) {
            let others = clashes.get(&folded(&file)).map(Vec::as_slice).unwrap_or_default();
            let other = others.iter().find(|other| **other != file.canon).unwrap_or(&file.canon);
            let message = format!("{} would also be made from {other}; rename one of them", file.path);
            self.frozen.insert(file.path.clone());
            self.problems.push(ToolFileProblem::new(&file.canon, message));
        }
    }
}

fn to_owned(path: &[&str]) -> Vec<String> {
    path.iter().map(|key| (*key).to_owned()).collect()
}
