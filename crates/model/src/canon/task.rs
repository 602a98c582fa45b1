//! Tasks: `tasks/<id>/task.yaml`, with the files that an agent reads before it works on the task.

use super::schema::{SchemaKind, Schemas, Violation};
use super::{Blob, blob::DocumentError};
use canonry_text::node::{Node, SpannedText};
use canonry_text::yaml::{self, ParsedDocument, YamlError};
use canonry_text::{RepoPath, Source};
use std::sync::Arc;

/// A parsed task file.
#[derive(Debug)]
pub struct TaskFile {
    pub path: RepoPath,
    pub document: Result<TaskDocument, DocumentError>,
    /// The entries of `context` whose file does not exist.
    pub missing: Vec<SpannedText>,
}

/// A task file with its text.
#[derive(Debug)]
pub struct TaskDocument {
    pub source: Arc<Source>,
    /// The YAML, or its first syntax error.
    pub yaml: Result<ParsedDocument, YamlError>,
    pub violations: Vec<Violation>,
    pub task: Task,
}

/// A task. Values of the wrong type are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Task {
    pub title: String,
    pub status: TaskStatus,
    /// Whose journal belongs to the task.
    pub owner: Option<String>,
    /// The files that the task changes.
    pub files: Vec<String>,
    pub context: Vec<ContextEntry>,
    pub learnings: Vec<Learning>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskStatus {
    #[default]
    Planned,
    InProgress,
    Done,
}

/// A file to read before the task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextEntry {
    pub file: SpannedText,
    pub reason: Option<String>,
}

/// Knowledge gained, and the page of the spec that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Learning {
    pub text: String,
    /// Below `spec/`.
    pub spec: String,
}

impl TaskFile {
    /// Parses a task.
    pub fn parse(path: RepoPath, blob: Blob, schemas: &Schemas) -> Self {
        let document = blob.into_source(&path).map(|source| TaskDocument::parse(source, schemas));
        Self { path, document, missing: Vec::new() }
    }

    /// Adds the entries of `context` whose file does not exist.
    #[must_use]
    pub fn with_existing(mut self, exists: impl Fn(&RepoPath) -> bool) -> Self {
        let entries = self.document.as_ref().map(|document| document.task.context.clone()).unwrap_or_default();
        let is_missing = |entry: &ContextEntry| !entry.path().is_some_and(|path| exists(&path));
        self.missing = entries.into_iter().filter(is_missing).map(|entry| entry.file).collect();
        self
    }

    /// The id: the name of the folder.
    pub fn id(&self) -> String {
        self.path.parent().unwrap_or_default().file_name_lossy()
    }
}

impl TaskDocument {
    fn parse(source: Arc<Source>, schemas: &Schemas) -> Self {
        let yaml = yaml::parse_file(source.text());
        let root = yaml.as_ref().ok().map(|document| &document.root);
        let violations = root.map_or_else(Vec::new, |root| schemas.validate(SchemaKind::Task, root));
        let task = root.map(Task::from_node).unwrap_or_default();
        Self { source, yaml, violations, task }
    }
}

impl Task {
    fn from_node(root: &Node) -> Self {
        let entry =
            |node: &Node| Some(ContextEntry { file: node.get("file")?.spanned_text()?, reason: text(node, "reason") });
        let learning = |node: &Node| Some(Learning { text: text(node, "text")?, spec: text(node, "spec")? });
        Self {
            title: text(root, "title").unwrap_or_default(),
            status: match text(root, "status").as_deref() {
                Some("done") => TaskStatus::Done,
                Some("in_progress") => TaskStatus::InProgress,
                _ => TaskStatus::Planned,
            },
            owner: text(root, "owner"),
            files: items(root, "files").iter().filter_map(Node::spanned_text).map(|file| file.text).collect(),
            context: items(root, "context").iter().filter_map(entry).collect(),
            learnings: items(root, "learnings").iter().filter_map(learning).collect(),
        }
    }
}

impl TaskStatus {
    /// The status as a task spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Planned => "planned",
            Self::InProgress => "in_progress",
            Self::Done => "done",
        }
    }
}

impl ContextEntry {
    /// The path; `None` if it leaves the repository.
    pub fn path(&self) -> Option<RepoPath> {
        inside(&self.file.text)
    }
}

/// A path relative to the top of the repository; `None` if it leaves it.
pub fn inside(text: &str) -> Option<RepoPath> {
    let path = RepoPath::from("file").resolve_beside(text.as_bytes())?;
    (!text.starts_with('/') && !path.is_empty()).then_some(path)
}

fn text(node: &Node, key: &str) -> Option<String> {
    node.get(key)?.as_scalar().map(|scalar| scalar.text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn items<'n>(node: &'n Node, key: &str) -> &'n [Node] {
    node.get(key).and_then(Node::as_sequence).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_read() {
        let text = "title: Login\nstatus: done\nowner: ann\nfiles: [src/a.rs]\ncontext:\n  - {file: agent/spec/a.md, reason: rules}\n  \
                    - file: ../outside\nlearnings:\n  - {text: Try it., spec: a.md}\n";
        let blob = Blob::Bytes(text.as_bytes().to_vec());
        let file = TaskFile::parse(RepoPath::from("agent/tasks/login/task.yaml"), blob, &Schemas::default());
        assert_eq!(file.id(), "login");
        let file = file.with_existing(|path| *path == RepoPath::from("agent/spec/a.md"));
        assert_eq!(file.missing.iter().map(|entry| entry.text.as_str()).collect::<Vec<_>>(), ["../outside"]);
        let document = file.document.unwrap();
        assert_eq!(document.violations, []);
        assert_eq!((document.task.status, document.task.learnings[0].spec.as_str()), (TaskStatus::Done, "a.md"));
    }

    #[test]
    fn paths_stay_inside() {
        for (text, want) in [
            ("a/b.md", Some("a/b.md")),
            ("./a", Some("a")),
            ("../a", None),
            ("/a", None),
            (".", None),
            ("a/../../b", None),
        ] {
            assert_eq!(inside(text), want.map(RepoPath::from), "{text}");
        }
    }
}
