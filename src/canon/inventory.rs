//! What a listing of files holds: skills, plans, workflows, schema files, reports, memory, pages, context files.

use super::context_kind::ContextKind;
use super::place;
use super::{FileMode, Layout, TreeEntry};
use crate::syntax::RepoPath;
use gix::bstr::ByteSlice;
use std::collections::HashSet;

/// What there is to judge and to mirror, each list sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inventory {
    /// Folders that hold a `SKILL.md`, those nested in others included.
    pub skills: Vec<SkillFolder>,
    /// Links that stand where a skill's folder would.
    pub linked_skills: Vec<TreeEntry>,
    /// Plan files.
    pub plans: Vec<TreeEntry>,
    /// Workflow files.
    pub workflows: Vec<TreeEntry>,
    /// Schema files.
    pub schemas: Vec<TreeEntry>,
    /// Reports on steps.
    pub reports: Vec<TreeEntry>,
    /// Episodic logs.
    pub logs: Vec<TreeEntry>,
    /// Markdown files of the memory.
    pub memory: Vec<TreeEntry>,
    /// Policies, protocols and templates.
    pub pages: Vec<TreeEntry>,
    /// Schemas of tools.
    pub tool_schemas: Vec<TreeEntry>,
    /// Context files of the tools.
    pub contexts: Vec<TreeEntry>,
}

/// A folder with a `SKILL.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillFolder {
    /// The folder.
    pub path: RepoPath,
    /// Its `SKILL.md`, in whatever case it is written.
    pub document: TreeEntry,
    /// All files in it, the document and nested skills included, sorted by path.
    pub files: Vec<TreeEntry>,
    /// The skill whose folder this one lies in: then it is part of that one's mirror and has none of its own.
    pub nested_in: Option<RepoPath>,
}

impl Inventory {
    /// Sorts out `entries`, which are sorted by path. What a tool has of its own in an overlay is a part of a skill, and
    /// none by itself.
    pub fn from_entries(entries: &[TreeEntry], layout: &Layout) -> Self {
        let overlays = layout.overlays();
        let overlays = within(entries, overlays.as_bstr());
        match overlays.is_empty() {
            true => Self::of_all(entries, layout),
            false => {
                let is_one =
                    |entry: &&TreeEntry| overlays.binary_search_by(|other| other.path.cmp(&entry.path)).is_ok();
                Self::of_all(&entries.iter().filter(|entry| !is_one(entry)).cloned().collect::<Vec<_>>(), layout)
            }
        }
    }

    fn of_all(entries: &[TreeEntry], layout: &Layout) -> Self {
        let skills = skill_folders(entries);
        let linked_skills = linked_skills(entries, &skills, layout);
        let mut found = Self { skills, linked_skills, ..Self::default() };
        let kinds = KindMatcher::of(layout);
        for entry in entries {
            let Some(kind) = kinds.kind(&entry.path) else { continue };
            // A link in the place of the team's own records is judged by what it leads to.
            let may_be_link = !matches!(kind, FileKind::Plan | FileKind::Schema);
            if kind == FileKind::Context && found.is_in_skill(&entry.path) {
                continue;
            }
            if entry.mode.is_file() || (may_be_link && entry.mode == FileMode::Link) {
                found.list_mut(kind).push(entry.clone());
            }
        }
        found
    }

    /// The files of a kind.
    pub fn list_mut(&mut self, kind: FileKind) -> &mut Vec<TreeEntry> {
        match kind {
            FileKind::Plan => &mut self.plans,
            FileKind::Workflow => &mut self.workflows,
            FileKind::Schema => &mut self.schemas,
            FileKind::Report => &mut self.reports,
            FileKind::Log => &mut self.logs,
            FileKind::Memory => &mut self.memory,
            FileKind::Page => &mut self.pages,
            FileKind::ToolSchema => &mut self.tool_schemas,
            FileKind::Context => &mut self.contexts,
        }
    }

    /// What lies in a skill's folder is the skill's.
    fn is_in_skill(&self, path: &RepoPath) -> bool {
        let is_skill = |folder: &RepoPath| self.skills.binary_search_by(|s| s.path.cmp(folder)).is_ok();
        std::iter::successors(path.parent(), RepoPath::parent).any(|folder| !folder.is_empty() && is_skill(&folder))
    }

    /// The files that are judged one by one and are no skills.
    pub fn others(&self) -> [&Vec<TreeEntry>; 9] {
        let Self { plans, workflows, schemas, reports, logs, memory, pages, tool_schemas, contexts, .. } = self;
        [plans, workflows, schemas, reports, logs, memory, pages, tool_schemas, contexts]
    }

    /// The same lists, to change them.
    pub fn others_mut(&mut self) -> [&mut Vec<TreeEntry>; 9] {
        let Self { plans, workflows, schemas, reports, logs, memory, pages, tool_schemas, contexts, .. } = self;
        [plans, workflows, schemas, reports, logs, memory, pages, tool_schemas, contexts]
    }
}

/// What a file that is judged by itself is, by its path alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A plan.
    Plan,
    /// A workflow.
    Workflow,
    /// A team's schema.
    Schema,
    /// A report on a step.
    Report,
    /// An episodic log.
    Log,
    /// Markdown of the memory.
    Memory,
    /// A policy, a protocol or a template.
    Page,
    /// A tool's schema.
    ToolSchema,
    /// A context file of a tool.
    Context,
}

impl FileKind {
    /// Of a path; a plan and a log go by their name, wherever they lie.
    pub fn from_path(path: &RepoPath, layout: &Layout) -> Option<Self> {
        KindMatcher::of(layout).kind(path)
    }
}

/// Where each kind lies; made once for all the files of a canon.
struct KindMatcher {
    workflows: RepoPath,
    schemas: RepoPath,
    reports: RepoPath,
    layers: [RepoPath; 4],
    log: RepoPath,
    tool_schemas: RepoPath,
    pages: [RepoPath; 3],
}

impl KindMatcher {
    fn of(layout: &Layout) -> Self {
        Self {
            workflows: layout.workflows(),
            schemas: layout.schemas(),
            reports: layout.reports(),
            layers: layout.layers(),
            log: layout.log(),
            tool_schemas: layout.tool_schemas(),
            pages: [layout.policies(), layout.protocols(), layout.templates()],
        }
    }

    fn kind(&self, path: &RepoPath) -> Option<FileKind> {
        let ends = |ending: &str| path.as_bstr().ends_with(ending.as_bytes());
        match () {
            () if ends(".json") && path.is_within(&self.schemas) => Some(FileKind::Schema),
            () if place::is_within(path, &self.workflows) => Some(FileKind::Workflow),
            () if path.is_within(&self.reports) => ends(".json").then_some(FileKind::Report),
            () if path.file_name() == self.log.file_name() => Some(FileKind::Log),
            () if ends(".md") && self.layers.iter().any(|layer| path.is_within(layer)) => Some(FileKind::Memory),
            () if ends(".json") && path.is_within(&self.tool_schemas) => Some(FileKind::ToolSchema),
            () if ends(".md") && self.pages.iter().any(|folder| path.is_within(folder)) => Some(FileKind::Page),
            () if ContextKind::from_path(path).is_some() => Some(FileKind::Context),
            () => is_plan(path).then_some(FileKind::Plan),
        }
    }
}

/// Whether a file is a plan by its name: `plan.yaml`, `plan-7.yml`, `plan.json`; `plan-schema.json` is none.
pub fn is_plan(path: &RepoPath) -> bool {
    let name = path.file_name();
    if name.ends_with(b"schema.json") {
        return false;
    }
    let Some(stem) = [".yaml", ".yml", ".json"].iter().find_map(|ext| name.strip_suffix(ext.as_bytes())) else {
        return false;
    };
    let rest = stem.strip_prefix(b"plan");
    rest.is_some_and(|rest| matches!(rest.first(), None | Some(b'-' | b'_' | b'.')))
}

/// Whether a file is a skill's document, in whatever case.
pub fn is_skill_document(path: &RepoPath) -> bool {
    path.file_name().eq_ignore_ascii_case(b"SKILL.md")
}

/// By bytes, and without a copy of any path: there are ten thousand of them in a hook that has milliseconds.
fn skill_folders(entries: &[TreeEntry]) -> Vec<SkillFolder> {
    let mut documents: Vec<(&[u8], &TreeEntry)> = Vec::new();
    for document in entries.iter().filter(|e| e.mode != FileMode::Submodule && is_skill_document(&e.path)) {
        documents.push((folder_of(&document.path), document));
    }
    // Two spellings side by side: the right one is the document, the other an ordinary file.
    let is_right = |document: &TreeEntry| document.path.file_name() == "SKILL.md";
    documents.sort_by_key(|(folder, document)| (*folder, !is_right(document)));
    documents.dedup_by_key(|(folder, _)| *folder);
    let known: HashSet<&[u8]> = documents.iter().map(|(folder, _)| *folder).collect();
    let folder = |(path, document): &(&[u8], &TreeEntry)| SkillFolder {
        path: RepoPath::new(path),
        document: (*document).clone(),
        files: within(entries, path).to_vec(),
        nested_in: outermost(path, |above| known.contains(above)).map(RepoPath::new),
    };
    documents.iter().map(folder).collect()
}

fn folder_of(path: &RepoPath) -> &[u8] {
    let bytes = path.as_bstr().as_bytes();
    &bytes[..bytes.rfind_byte(b'/').unwrap_or(0)]
}

/// The highest folder above `path` that `is_skill`; the top is the highest of all.
fn outermost(path: &[u8], is_skill: impl Fn(&[u8]) -> bool) -> Option<&[u8]> {
    let top = (!path.is_empty()).then_some(0);
    let mut above = top.into_iter().chain(path.find_iter(b"/")).map(|end| &path[..end]);
    above.find(|above| is_skill(above))
}

/// The run of `entries` below `folder`; they are sorted, so it is one slice but for names such as `a-b` beside
/// `a/b`, which sort between.
fn within<'a>(entries: &'a [TreeEntry], folder: &[u8]) -> &'a [TreeEntry] {
    if folder.is_empty() {
        return entries;
    }
    // As if the folder had a slash behind it.
    let rest = |entry: &TreeEntry| entry.path.as_bstr().strip_prefix(folder).map(|rest| rest.first().copied());
    let is_before = |entry: &TreeEntry| match rest(entry) {
        Some(next) => next < Some(b'/'),
        None => entry.path.as_bstr().as_bytes() < folder,
    };
    let start = entries.partition_point(is_before);
    let length = entries[start..].partition_point(|entry| rest(entry) == Some(Some(b'/')));
    &entries[start..start + length]
}

/// A link counts as a skill where no skill's folder holds it and it does not look like a file.
fn linked_skills(entries: &[TreeEntry], skills: &[SkillFolder], layout: &Layout) -> Vec<TreeEntry> {
    let root = layout.skills();
    let is_skill = |path: &[u8]| skills.binary_search_by(|s| s.path.as_bstr().as_bytes().cmp(path)).is_ok();
    let is_one = |e: &&TreeEntry| {
        e.mode == FileMode::Link
            && e.path.is_within(&root)
            && !e.path.file_name().contains(&b'.')
            && outermost(e.path.as_bstr(), is_skill).is_none()
    };
    entries.iter().filter(is_one).cloned().collect()
}

#[cfg(test)]
#[path = "inventory_tests.rs"]
mod tests;
