//! From a view's bytes to the model.

use super::scope::{Asked, Looks};
use super::{PathKind, View};
use crate::canon::blob::BlobError;
use crate::canon::context_file::{ContextFile, ContextKind};
use crate::canon::inventory::{SkillFolder, is_skill_document};
use crate::canon::log::EpisodeLog;
use crate::canon::memory_file::MemoryFile;
use crate::canon::page::{Page, PageKind};
use crate::canon::plan::Plan;
use crate::canon::report::Report;
use crate::canon::schema::SchemaFile;
use crate::canon::schema::Schemas;
use crate::canon::skill::{Skill, SkillLink, has_fields};
use crate::canon::skill::{SkillText, may_hold_text};
use crate::canon::tool_schema::ToolSchema;
use crate::canon::workflow::Workflow;
use crate::canon::{Blob, FileMode, Layout};
use crate::mirror::document::may_render_differently;
use crate::syntax::{RepoPath, Source};
use gix::bstr::ByteSlice;
use std::sync::Arc;

/// Bytes of a document that are read at most; the largest of 621 real skills has 0.1 MB.
pub const DOCUMENT_LIMIT: u64 = 4 << 20;

/// Bytes of an episodic log that are read at most, about three million rows. It is held in memory once, as a whole.
pub const LOG_LIMIT: u64 = 1 << 30;

/// Bytes of any other text of a skill that are read at most: more is data that nobody wrote by hand.
const TEXT_LIMIT: u64 = 1 << 20;

/// Bytes of all other texts of one skill that are read at most.
const TEXTS_LIMIT: usize = 16 << 20;

/// Reads a skill.
pub fn skill(view: &View, folder: &SkillFolder, schemas: &Schemas) -> Skill {
    let links = folder.files.iter().filter(|e| e.mode == FileMode::Link);
    let links = links.filter_map(|e| link(view, &e.path)).collect();
    let blob = view.read(&folder.document.path, DOCUMENT_LIMIT);
    Skill::parse(folder.clone(), links, blob, schemas).with_texts(texts(view, folder))
}

/// Looks at a skill's documents, and at nothing else of it.
pub fn looks(view: &View, folder: &SkillFolder, asked: Asked) -> Looks {
    let documents = folder.files.iter().filter(|entry| is_skill_document(&entry.path));
    let mut looks = Looks { broken: asked == Asked::All, marked: false };
    for entry in documents {
        let Blob::Bytes(bytes) = view.read(&entry.path, DOCUMENT_LIMIT) else { continue };
        looks.marked |= may_render_differently(&bytes);
        if asked == Asked::All && entry.path == folder.document.path {
            looks.broken = !has_fields(&bytes);
        }
    }
    looks
}

fn texts(view: &View, folder: &SkillFolder) -> Vec<SkillText> {
    let mut room = TEXTS_LIMIT;
    let mut texts = Vec::new();
    for entry in may_hold_text(folder) {
        let Some(text) = SkillText::from_blob(entry, view.read(&entry.path, TEXT_LIMIT)) else { continue };
        let Some(left) = room.checked_sub(text.source.text().len()) else { break };
        room = left;
        texts.push(text);
    }
    texts
}

fn link(view: &View, path: &RepoPath) -> Option<SkillLink> {
    let text = view.link_text(path)?;
    let resolved = path.resolve_beside(&text);
    Some(SkillLink { path: path.clone(), target: text.to_str_lossy().into_owned(), resolved })
}

/// Reads a plan.
pub fn plan(view: &View, path: &RepoPath, schemas: &Schemas) -> Plan {
    Plan::parse(path.clone(), view.read_kept(path, DOCUMENT_LIMIT), schemas)
}

/// Reads a workflow, with the version before it where there is a view of that.
pub fn workflow(view: &View, earlier: Option<&View>, path: &RepoPath, schemas: &Schemas) -> Workflow {
    let workflow = Workflow::parse(path.clone(), view.read(path, DOCUMENT_LIMIT), schemas);
    match earlier {
        Some(earlier) => workflow.with_earlier(earlier.read(path, DOCUMENT_LIMIT)),
        None => workflow,
    }
}

/// Reads a report, without what its plan says.
pub fn report(view: &View, path: &RepoPath, schemas: &Schemas, layout: &Layout) -> Report {
    Report::parse(path.clone(), view.read_kept(path, DOCUMENT_LIMIT), schemas, layout)
}

/// Reads an episodic log.
pub fn log(view: &View, path: &RepoPath, schemas: &Schemas) -> EpisodeLog {
    let blob = match view.kind(path) {
        PathKind::Folder => Blob::Missing(BlobError::NotAFile),
        _ => view.read(path, LOG_LIMIT),
    };
    EpisodeLog::parse(path.clone(), blob, schemas)
}

/// Reads a Markdown file of the memory.
pub fn memory_file(view: &View, path: &RepoPath) -> MemoryFile {
    MemoryFile::parse(path.clone(), view.read_kept(path, DOCUMENT_LIMIT))
}

/// Reads a policy, a protocol or a template; `None` where the path is none.
pub fn page(view: &View, path: &RepoPath, layout: &Layout) -> Option<Page> {
    let kind = PageKind::from_path(path, layout)?;
    Some(Page::parse(path.clone(), kind, view.read(path, DOCUMENT_LIMIT)))
}

/// Reads a tool's schema.
pub fn tool_schema(view: &View, path: &RepoPath) -> ToolSchema {
    ToolSchema::parse(path.clone(), view.read(path, DOCUMENT_LIMIT))
}

/// Reads a context file and what it imports; `None` where the path is none, or a link to another one, which is judged
/// where it lies.
pub fn context_file(view: &View, path: &RepoPath) -> Option<ContextFile> {
    let kind = ContextKind::from_path(path)?;
    let target = view.link_text(path).and_then(|text| path.resolve_beside(&text));
    if target.is_some_and(|target| ContextKind::from_path(&target).is_some() && view.kind(&target) == PathKind::File) {
        return None;
    }
    let read = |path: &RepoPath| view.read_kept(path, DOCUMENT_LIMIT);
    Some(ContextFile::parse(path.clone(), kind, read(path), &read))
}

/// Reads a schema file; `None` where it is no text.
pub fn schema_file(view: &View, path: &RepoPath) -> Option<SchemaFile> {
    source(view, path).map(SchemaFile::parse)
}

/// Reads a text; `None` where there is none.
pub fn source(view: &View, path: &RepoPath) -> Option<Arc<Source>> {
    match view.read_kept(path, DOCUMENT_LIMIT) {
        Blob::Bytes(bytes) => Source::from_bytes(path.clone(), bytes).ok().map(Arc::new),
        Blob::Missing(_) => None,
    }
}
