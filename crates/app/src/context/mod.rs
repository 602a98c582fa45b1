//! Assembles the context that an agent reads before a task.

mod gather;
pub(crate) mod task;

pub(super) use gather::{ContextReader, Gathered, LogRange, UnreadableFiles, gather, gather_map, gather_stop_reminder};
pub(super) use task::gather_in_progress;

use crate::memory_files::read_document;
use crate::outdated_lessons;
use crate::skill_catalog::{SkillCatalog, unmet};
use crate::{Error, Progress, Workspace};
use canonry_memory::context::{ContextSection, Snippet, assemble};
pub use canonry_memory::context::{SectionKind, SectionUsage};
use canonry_mirror::registry::{has_answer, match_skills};
use canonry_model::canon::Layout;
use canonry_model::canon::timestamp::Timestamp;
use canonry_text::{RepoPath, secrets};
use serde::Serialize;

/// Skills that are included.
const MAX_SKILLS: usize = 3;
/// Matching skills that are named if they are not included.
const MAX_NAMED: usize = 5;

/// Task and budget of a context.
#[derive(Clone, Debug)]
pub struct ContextRequest {
    /// The task; it selects the skills and ranks lessons and episodes. Empty if unknown.
    pub task: String,
    /// The id of a task in the canon, whose requirements, spec, files and journal are included.
    pub task_id: Option<String>,
    /// Files that the work is about. They select pages of the spec by their globs.
    pub files: Vec<RepoPath>,
    /// The maximum cost of the text, in tokens.
    pub budget: usize,
    /// The time that determines the age of episodes; the current time by default.
    pub now: Option<Timestamp>,
}

/// The assembled context. The fields, in this order, are those of the JSON document `canonry/context/v1`.
#[derive(Clone, Debug, Serialize)]
pub struct ContextOutcome {
    /// The time that determined the age of episodes.
    pub now: Timestamp,
    /// The budget of the request, in tokens.
    pub budget: usize,
    /// The cost of the text, in tokens.
    pub used: usize,
    /// The usage of each section, in the order of the text.
    #[serde(rename = "parts")]
    pub sections: Vec<SectionUsage>,
    /// The text.
    pub text: String,
}

/// Assembles preferences, working memory, lessons, episodes, matching skills and permissions within the budget.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if a file exists and cannot be read, or there is no such task.
pub fn run(workspace: &Workspace, request: &ContextRequest, _progress: &dyn Progress) -> Result<ContextOutcome, Error> {
    let now = request.now.unwrap_or_else(|| workspace.env.clock.now());
    let reader = ContextReader {
        view: &workspace.view,
        layout: &workspace.layout,
        memory: &workspace.config.memory,
        log: LogRange::Whole,
        pending: workspace.pending_log(),
        unreadable: UnreadableFiles::Fail,
        budget: request.budget,
        env: &workspace.env,
        outdated: outdated_lessons::find(workspace)?,
    };
    let of_task = task::gather(workspace, request)?;
    // Without words of its own, the task's title selects lessons, episodes and skills.
    let words = if request.task.trim().is_empty() { &of_task.title } else { &request.task };
    let mut sections = gather(&reader, words, now)?.sections;
    sections.extend(matching_skills(workspace, words)?);
    sections.extend(of_task.sections);
    let assembled = assemble(sections, request.budget);
    Ok(ContextOutcome {
        now,
        budget: request.budget,
        used: assembled.used,
        sections: assembled.sections,
        text: assembled.text,
    })
}

/// The skills that match the task best, each with its `KNOWLEDGE.md`. A skill with unmet preconditions is left
/// out.
fn matching_skills(workspace: &Workspace, task: &str) -> Result<Option<ContextSection>, Error> {
    if task.trim().is_empty() {
        return Ok(None);
    }
    let skills = SkillCatalog::load(workspace)?.searchable(workspace);
    let mut snippets = Vec::new();
    let mut left_out = Vec::new();
    let mut matches = match_skills(&skills, task);
    if !has_answer(&matches) {
        matches.clear();
    }
    for found in matches.iter().take(MAX_SKILLS + MAX_NAMED) {
        let name = &found.entry.name;
        if let Some(note) = found.entry.deprecation() {
            left_out.push(format!("{name}: {note}"));
            continue;
        }
        let unmet = unmet(workspace, &found.entry.preconditions);
        if !unmet.is_empty() {
            left_out.push(format!("{name}: {}", unmet.join(", ")));
            continue;
        }
        if snippets.len() == MAX_SKILLS {
            left_out.push(format!("{name}: matches less than {MAX_SKILLS} others"));
            continue;
        }
        let path = RepoPath::from(found.entry.path.as_str());
        let knowledge_path = Layout::knowledge(&path.parent().unwrap_or_default());
        let document = read_document(&workspace.view, &path)?;
        let mut text = format!("## {name} ({path})\n\n{}\n", document.trim());
        let knowledge = read_document(&workspace.view, &knowledge_path)?;
        if !knowledge.trim().is_empty() {
            text.push_str(&format!("\n### {knowledge_path}\n\n{}\n", knowledge.trim()));
        }
        snippets.push(Snippet {
            name: name.clone(),
            text: secrets::redact(&text).into_owned(),
            file: Some(found.entry.path.clone()),
            rank: 0,
        });
    }
    let source = workspace.layout.skills().to_display();
    Ok(Some(ContextSection { kind: SectionKind::Skills, source, snippets, left_out }))
}
