//! Loads skills, plans, reports, schemas and texts from a view.

use super::{IgnoreMode, View, ViewError};
use canonry_model::canon::benchmark::Benchmark;
use canonry_model::canon::file_kind::{is_data, is_task_within};
use canonry_model::canon::inventory::{Inventory, SkillFolder};
use canonry_model::canon::plan::Plan;
use canonry_model::canon::report::Report;
use canonry_model::canon::schema::{SchemaFile, Schemas};
use canonry_model::canon::skill::{Skill, SkillLink, SkillText, may_hold_text};
use canonry_model::canon::task::{Task, TaskFile};
use canonry_model::canon::{FileMode, Layout, TreeEntry};
use canonry_text::{RepoPath, Source};
use gix::bstr::ByteSlice;
use std::sync::Arc;

/// Largest document in bytes. The largest of 621 real skills has 0.1 MB.
pub const DOCUMENT_LIMIT: u64 = 4 << 20;

/// The maximum size of the permissions page in bytes. A hook parses it before every call, and compares each entry with each command.
pub const PERMISSIONS_LIMIT: u64 = 64 << 10;

/// Largest plan in bytes, well over 100,000 steps.
pub const PLAN_LIMIT: u64 = 32 << 20;

/// Largest episodic log in bytes, about three million rows. A log is held in memory as a whole.
pub const LOG_LIMIT: u64 = 1 << 30;

/// Largest other text of a skill in bytes. Larger files are data that nobody wrote by hand.
const TEXT_LIMIT: u64 = 1 << 20;

/// Bytes of all other texts of one skill together.
const TEXTS_LIMIT: usize = 16 << 20;

/// Loads a skill with its texts.
pub fn skill(view: &View, folder: &SkillFolder, schemas: &Schemas) -> Skill {
    let links = folder.files.iter().filter(|entry| entry.mode == FileMode::Link);
    let links = links.filter_map(|entry| link(view, &entry.path)).collect();
    let blob = view.read(&folder.document.path, DOCUMENT_LIMIT);
    Skill::parse(folder.clone(), links, blob, schemas).with_texts(texts(view, folder))
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

/// Loads a schema file; `None` if it is not readable as text.
pub fn schema_file(view: &View, path: &RepoPath) -> Option<SchemaFile> {
    source(view, path).map(SchemaFile::parse)
}

/// Loads a text; `None` if it is not readable as text.
pub fn source(view: &View, path: &RepoPath) -> Option<Arc<Source>> {
    view.read_kept(path, DOCUMENT_LIMIT).into_source(path).ok()
}

/// The team's schema files.
///
/// # Errors
/// Their folder cannot be listed.
pub fn team_schemas(view: &View, layout: &Layout) -> Result<Vec<TreeEntry>, ViewError> {
    let listing = view.list(&layout.schemas(), IgnoreMode::Exclude)?;
    let entries = listing.files.into_iter().map(|file| file.entry);
    Ok(entries.filter(|entry| is_data(&entry.path)).collect())
}

/// Loads the schemas of a canon.
///
/// # Errors
/// The folder of the team's schemas cannot be listed.
pub fn schemas(view: &View, layout: &Layout) -> Result<Schemas, ViewError> {
    let mut schemas = Schemas::default();
    for entry in team_schemas(view, layout)? {
        if let Some(file) = schema_file(view, &entry.path) {
            schemas.add_team_file(&file);
        }
    }
    Ok(schemas)
}

/// Loads a plan without its reports.
pub fn bare_plan(view: &View, path: &RepoPath, schemas: &Schemas) -> Plan {
    Plan::parse(path.clone(), view.read_kept(path, PLAN_LIMIT), schemas)
}

/// Loads a task.
pub fn task(view: &View, path: &RepoPath, schemas: &Schemas) -> TaskFile {
    TaskFile::parse(path.clone(), view.read_kept(path, DOCUMENT_LIMIT), schemas)
}

/// The valid tasks of a canon with their ids, by path.
///
/// # Errors
/// Their folder cannot be listed.
pub fn tasks(view: &View, layout: &Layout) -> Result<Vec<(String, Task)>, ViewError> {
    let folder = layout.tasks();
    let listing = view.list(&folder, IgnoreMode::Exclude)?;
    let paths = listing.files.into_iter().map(|file| file.entry.path).filter(|path| is_task_within(path, &folder));
    let valid = |path: RepoPath| {
        let file = task(view, &path, &Schemas::default());
        let id = file.id();
        let document = file.document.ok()?;
        (document.yaml.is_ok() && document.violations.is_empty()).then_some((id, document.task))
    };
    Ok(paths.filter_map(valid).collect())
}

/// Loads a benchmark.
pub fn benchmark(view: &View, path: &RepoPath, schemas: &Schemas) -> Benchmark {
    Benchmark::parse(path.clone(), view.read_kept(path, DOCUMENT_LIMIT), schemas)
}

/// The names of the skills in a canon: those of their folders, and those in their frontmatter. `None` if the skills cannot
/// be listed.
pub fn skill_names(view: &View, layout: &Layout) -> Option<Vec<String>> {
    let listing = view.list(&layout.skills(), IgnoreMode::Exclude).ok()?;
    let inventory = Inventory::from_entries(&listing.entries(), layout);
    let links = inventory.linked_skills.iter().map(|link| link.path.file_name_lossy());
    let mut names: Vec<String> = links.collect();
    for folder in &inventory.skills {
        names.push(folder.path.file_name_lossy());
        let skill = Skill::parse(
            folder.clone(),
            Vec::new(),
            view.read(&folder.document.path, DOCUMENT_LIMIT),
            &Schemas::default(),
        );
        names.extend(skill.text_field("name").map(|(name, _)| name.to_owned()));
    }
    Some(names)
}

/// Loads a report.
pub fn report(view: &View, path: &RepoPath, schemas: &Schemas, layout: &Layout) -> Report {
    Report::parse(path.clone(), view.read_kept(path, DOCUMENT_LIMIT), schemas, layout)
}
