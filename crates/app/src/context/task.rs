//! The sections of a task: its requirements, the pages of the spec that apply, the files it names, and the end of its
//! owner's journal.

use super::{ContextReader, ContextRequest};
use crate::memory_files::read_document;
use crate::{Error, ErrorKind, Workspace};
use canonry_lint as rules;
use canonry_memory::context::{ContextSection, SectionKind, Snippet};
use canonry_model::canon::Layout;
use canonry_model::canon::file_kind::is_task_within;
use canonry_model::canon::rule_scope::{RuleScope, split_policy};
use canonry_model::canon::schema::Schemas;
use canonry_model::canon::task::{Task, TaskDocument, TaskFile, TaskStatus};
use canonry_repo::view::{IgnoreMode, PathKind, View, load};
use canonry_text::{RepoPath, secrets};
use globset::GlobBuilder;
use std::collections::BTreeMap;

/// The last entries of a journal that are included.
const JOURNAL_ENTRIES: usize = 3;

/// The sections of a task.
#[derive(Default)]
pub struct TaskSections {
    /// The task's title; empty without a task.
    pub title: String,
    pub sections: Vec<ContextSection>,
}

/// Gathers the sections of the requested task and files; nothing if neither is requested.
///
/// # Errors
/// There is no such task, it is not valid, or a file cannot be read.
pub(super) fn gather(workspace: &Workspace, request: &ContextRequest) -> Result<TaskSections, Error> {
    if request.task_id.is_none() && request.files.is_empty() {
        return Ok(TaskSections::default());
    }
    let task = match &request.task_id {
        Some(id) => Some((id.clone(), valid_task(workspace, find(workspace, id)?)?)),
        None => None,
    };
    let files = TaskFiles { view: &workspace.view, layout: &workspace.layout };
    files.sections(task, &request.files)
}

/// Gathers the sections of the task in progress for the start of a session. Of several, it names the ids.
///
/// # Errors
/// A file cannot be read.
pub fn gather_in_progress(reader: &ContextReader<'_>) -> Result<TaskSections, Error> {
    let tasks = load::tasks(reader.view, reader.layout)?;
    let mut tasks: Vec<_> = tasks.into_iter().filter(|(_, task)| task.status == TaskStatus::InProgress).collect();
    if tasks.len() > 1 {
        let ids: Vec<&str> = tasks.iter().map(|(id, _)| id.as_str()).collect();
        let text =
            format!("Tasks in progress: {}. `canonry context --task ID` shows what to read first.", ids.join(", "));
        let sections = vec![document(SectionKind::Task, &reader.layout.tasks(), &text)];
        return Ok(TaskSections { sections, ..TaskSections::default() });
    }
    let Some(task) = tasks.pop() else { return Ok(TaskSections::default()) };
    TaskFiles { view: reader.view, layout: reader.layout }.sections(Some(task), &[])
}

/// The files around tasks.
struct TaskFiles<'a> {
    view: &'a View,
    layout: &'a Layout,
}

impl TaskFiles<'_> {
    /// The sections of a task, and of the files that it or the request names.
    fn sections(&self, named: Option<(String, Task)>, files: &[RepoPath]) -> Result<TaskSections, Error> {
        let mut sections = Vec::new();
        let (id, task) = named.unwrap_or_default();
        if !id.is_empty() {
            let folder = self.layout.tasks().join(id.as_str());
            let requirements = requirements(self.view, &folder)?;
            let owner = task.owner.as_ref().map(|owner| format!(", owner {owner}")).unwrap_or_default();
            let text = format!("{} ({}{owner})\n\n{}", task.title, task.status.as_str(), requirements.trim());
            sections.push(document(SectionKind::Task, &folder, &text));
        }
        let paths: Vec<String> = task.files.iter().cloned().chain(files.iter().map(RepoPath::to_display)).collect();
        sections.extend(self.spec(&task, &paths)?);
        sections.extend(self.named_files(&task)?);
        sections.extend(self.journal(&task)?);
        Ok(TaskSections { title: task.title, sections })
    }

    /// The pages that the task names, in its order, and then those whose globs match a path, by name.
    fn spec(&self, task: &Task, paths: &[String]) -> Result<Option<ContextSection>, Error> {
        let root = self.layout.spec();
        let listing = self.view.list(&root, IgnoreMode::Exclude)?;
        let mut pages: BTreeMap<RepoPath, String> = BTreeMap::new();
        for file in listing.files.iter().filter(|file| file.entry.path.as_bstr().ends_with(b".md")) {
            pages.insert(file.entry.path.clone(), read_document(self.view, &file.entry.path)?);
        }
        let named = task.context.iter().filter_map(|entry| Some((entry.path()?, entry.reason.as_deref())));
        let mut chosen: Vec<(RepoPath, Option<&str>)> = named.filter(|(path, _)| pages.contains_key(path)).collect();
        for (path, text) in &pages {
            let applies = split_policy(text).scope.is_some_and(|scope| applies(&scope, paths));
            if applies && !chosen.iter().any(|(known, _)| known == path) {
                chosen.push((path.clone(), None));
            }
        }
        let snippet = |(path, reason): &(RepoPath, Option<&str>)| {
            let text = pages.get(path).map(|text| split_policy(text).body).unwrap_or_default();
            snippet(path, *reason, text)
        };
        let snippets: Vec<Snippet> = chosen.iter().map(snippet).collect();
        Ok(section(SectionKind::Spec, &root, snippets, Vec::new()))
    }

    /// The other files that the task names.
    fn named_files(&self, task: &Task) -> Result<Option<ContextSection>, Error> {
        let root = self.layout.spec();
        let mut snippets = Vec::new();
        let mut left_out = Vec::new();
        for entry in &task.context {
            let path = entry.path().filter(|path| self.view.kind(path) == PathKind::File);
            match path {
                None => left_out.push(format!("{}: not a file", entry.file.text)),
                Some(path) if path.is_within(&root) => {}
                Some(path) => {
                    let text = read_document(self.view, &path)?;
                    snippets.push(snippet(&path, entry.reason.as_deref(), &text));
                }
            }
        }
        Ok(section(SectionKind::Files, &self.layout.tasks(), snippets, left_out))
    }

    /// The last entries of the owner's newest journal. Names such as `2026-11.md` sort by time.
    fn journal(&self, task: &Task) -> Result<Option<ContextSection>, Error> {
        let Some(owner) = task.owner.as_ref().filter(|owner| !owner.contains(['/', '\\']) && *owner != "..") else {
            return Ok(None);
        };
        let folder = self.layout.journals().join(owner.as_str());
        let listing = self.view.list(&folder, IgnoreMode::Exclude)?;
        let pages = listing.files.iter().map(|file| &file.entry.path).filter(|path| path.as_bstr().ends_with(b".md"));
        let Some(newest) = pages.max_by_key(|path| (is_dated(path), (*path).clone())) else { return Ok(None) };
        let text = read_document(self.view, newest)?;
        let starts: Vec<usize> = text.match_indices("\n## ").map(|(at, _)| at + 1).collect();
        let start =
            starts.len().checked_sub(JOURNAL_ENTRIES).and_then(|at| starts.get(at)).copied().unwrap_or_default();
        Ok(Some(document(SectionKind::Journal, newest, &text[start..])))
    }
}

fn document(kind: SectionKind, source: &RepoPath, text: &str) -> ContextSection {
    ContextSection::document(kind, source.to_display(), secrets::redact(text).into_owned())
}

/// The tasks of the canon, by id.
///
/// # Errors
/// They cannot be listed.
pub(crate) fn all(workspace: &Workspace) -> Result<Vec<TaskFile>, Error> {
    let tasks = workspace.layout.tasks();
    let listing = workspace.view.list(&tasks, IgnoreMode::Exclude)?;
    let paths = listing.files.into_iter().map(|file| file.entry.path).filter(|path| is_task_within(path, &tasks));
    let mut files: Vec<TaskFile> = paths.map(|path| load::task(&workspace.view, &path, &Schemas::default())).collect();
    files.sort_by_key(TaskFile::id);
    Ok(files)
}

/// The requirements in the folder of a task; empty without a file.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn requirements(view: &View, folder: &RepoPath) -> Result<String, Error> {
    read_document(view, &folder.join("prd.md"))
}

fn find(workspace: &Workspace, id: &str) -> Result<TaskFile, Error> {
    let tasks = workspace.layout.tasks();
    let files = all(workspace)?;
    let ids: Vec<String> = files.iter().map(TaskFile::id).collect();
    if let Some(file) = files.into_iter().find(|file| file.id() == id) {
        return Ok(file);
    }
    let folder = workspace.view.full(&tasks);
    let error = Error::new(ErrorKind::Unreadable, format!("there is no task `{id}` in {folder}"));
    Err(error.suggest(id, ids.iter().map(String::as_str), format!("add {folder}/{id}/task.yaml")))
}

fn valid_task(workspace: &Workspace, file: TaskFile) -> Result<Task, Error> {
    valid_document(workspace, file).map(|document| document.task)
}

/// The document of a task without errors.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if it has one.
pub(crate) fn valid_document(workspace: &Workspace, file: TaskFile) -> Result<TaskDocument, Error> {
    let first = rules::check(&file).into_iter().min_by_key(|finding| finding.location.span);
    match (first, file.document) {
        (None, Ok(document)) => Ok(document),
        (finding, _) => {
            let path = workspace.view.full(&file.path);
            let message = finding.map(|finding| format!("{}: {}", finding.location.position.line, finding.message));
            let message = format!("{path}:{}", message.unwrap_or_else(|| " it cannot be read".to_owned()));
            Err(Error::new(ErrorKind::Unreadable, message).help(format!("run `canonry check {path}`")))
        }
    }
}

/// Whether a page applies to one of the paths. A pattern is compared with itself too.
fn applies(scope: &RuleScope, paths: &[String]) -> bool {
    // A pattern that is not valid applies to no path.
    let globs = scope.globs.iter().filter_map(|glob| GlobBuilder::new(glob).literal_separator(true).build().ok());
    let mut matchers = globs.map(|glob| glob.compile_matcher());
    scope.always == Some(true) || matchers.any(|matcher| paths.iter().any(|path| matcher.is_match(path)))
}

fn is_dated(path: &RepoPath) -> bool {
    path.file_name_lossy().starts_with(|c: char| c.is_ascii_digit())
}

fn snippet(path: &RepoPath, reason: Option<&str>, text: &str) -> Snippet {
    let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    let text = format!("## {path}{reason}\n\n{}\n", text.trim());
    Snippet::document(path.to_display(), secrets::redact(&text).into_owned())
}

fn section(
    kind: SectionKind,
    source: &RepoPath,
    snippets: Vec<Snippet>,
    left_out: Vec<String>,
) -> Option<ContextSection> {
    let is_empty = snippets.is_empty() && left_out.is_empty();
    (!is_empty).then(|| ContextSection { kind, source: source.to_display(), snippets, left_out })
}
