//! The skills and lessons for a step: the skill of its phase, the one with its name or its role's name, and those that match it.

use crate::Workspace;
use crate::memory_files::read_document;
use crate::skill_catalog::{SkillCatalog, unmet};
use canonry_memory::MemoryPolicy;
use canonry_memory::recall::{RecallQuery, RecallSources, recall};
use canonry_mirror::registry::{SearchableSkill, match_skills};
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_runs::plan::phases::{Phase, phase_skill};
use canonry_runs::plan::slug;
use canonry_runs::prompt::{PromptText, References};
use canonry_text::secrets::without_secrets;
use canonry_text::{RepoPath, frontmatter};
use std::collections::BTreeSet;

/// The characters of skills and lessons in a prompt.
pub(crate) const REFERENCE_BUDGET: usize = 12_000;
/// The most skills.
const SKILLS: usize = 3;
/// The most lessons.
const LESSONS: usize = 8;
/// Characters per token in English prose.
const CHARACTERS_PER_TOKEN: usize = 4;
/// The characters of an earlier error that are searched for.
const ERROR: usize = 500;

/// The skills and lessons of a canon, loaded once for many steps.
pub(crate) struct Library<'a> {
    workspace: &'a Workspace,
    skills: Vec<SearchableSkill>,
    lessons: String,
    /// The skill of the phase in which steps are executed.
    execute: String,
}

impl<'a> Library<'a> {
    /// Loads them. What cannot be read is left out: a step can be executed without it, and `canonry check` reports it.
    pub fn load(workspace: &'a Workspace) -> Self {
        // What cannot be read is a finding of `check`; a step is done without it.
        let skills = SkillCatalog::load(workspace).map(|catalog| catalog.searchable(workspace)).unwrap_or_default();
        let lessons = read_document(&workspace.view, &workspace.layout.lessons()).unwrap_or_default();
        let policy = workspace.layout.policies().join("WORKFLOW.md");
        let policy = read_document(&workspace.view, &policy).unwrap_or_default();
        Self { workspace, skills, lessons, execute: phase_skill(&policy, Phase::Execute) }
    }

    /// The name of the skill of the phase in which steps of plans are executed.
    pub fn execute_skill(&self) -> &str {
        &self.execute
    }

    /// Finds texts for a step by names, its own and that of its role for example, by the words of its task and, after a failure, by
    /// those of its error. Skills and lessons get half of `budget` each, which is in characters.
    pub fn matching(&self, names: &[&str], task: &str, error: Option<&str>, budget: usize) -> References {
        let error: String = error.unwrap_or_default().chars().take(ERROR).collect();
        let task = format!("{task}\n{error}");
        References { skills: self.skills(names, &task, budget / 2), lessons: self.lessons(&task, budget / 2) }
    }

    /// The skills with these names, then those with a trigger in the task: one that merely shares words with a long task would
    /// distract.
    fn skills(&self, names: &[&str], task: &str, budget: usize) -> Vec<PromptText> {
        let names: Vec<String> = names.iter().map(|name| slug(name)).filter(|name| !name.is_empty()).collect();
        let named = names.iter().filter_map(|name| self.skills.iter().find(|skill| slug(&skill.entry.name) == *name));
        let matched = match_skills(&self.skills, task).into_iter().filter(|found| !found.score.triggers.is_empty());
        let matched = matched.map(|found| found.entry);
        let mut seen = BTreeSet::new();
        let usable = named
            .map(|skill| &skill.entry)
            .chain(matched)
            .filter(|entry| seen.insert(&entry.path) && unmet(self.workspace, &entry.preconditions).is_empty());
        let mut left = budget;
        let texts = usable.take(SKILLS).map(|entry| {
            let text = instructions(self.workspace, &entry.path, left)
                .unwrap_or_else(|| format!("{}\nRead the file before you start.", entry.description));
            left = left.saturating_sub(text.chars().count());
            PromptText { name: entry.path.clone(), text }
        });
        texts.collect()
    }

    fn lessons(&self, task: &str, budget: usize) -> Vec<PromptText> {
        let policy = MemoryPolicy::from_config(&self.workspace.config.memory);
        let query = RecallQuery {
            text: task,
            top: LESSONS,
            budget: budget / CHARACTERS_PER_TOKEN,
            now: self.workspace.env.clock.now(),
            policy: &policy,
            redact: &without_secrets,
        };
        let hits =
            recall(&query, &RecallSources { lessons: &self.lessons, ..RecallSources::default() }).hits.into_iter();
        (1..).zip(hits).map(|(at, hit)| PromptText { name: format!("lesson {at}"), text: hit.text }).collect()
    }
}

/// The body of a `SKILL.md`; `None` if it cannot be read or has more than `limit` characters.
fn instructions(workspace: &Workspace, path: &str, limit: usize) -> Option<String> {
    let bytes = workspace.view.read(&RepoPath::from(path), DOCUMENT_LIMIT).into_bytes()?;
    let text = String::from_utf8(bytes).ok()?;
    let start = frontmatter::split(&text).map_or(0, |parts| parts.body.offset);
    let body = text.get(start..)?.trim();
    (!body.is_empty() && body.chars().count() <= limit).then(|| body.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;
    use canonry_repo::view::MemorySource;

    const SKILL: &str = "---\nname: sql\ndescription: Change the database.\ntriggers: [database migration]\n---\n\nMigrate in two steps.\n";
    const LESSONS_FILE: &str =
        "# Lessons\n\n- Run a database migration twice, because it must be idempotent.\n- Ask before a release.\n";

    fn references(task: &str, error: Option<&str>, budget: usize) -> References {
        let mut files = MemorySource::new();
        files.add("agent/skills/sql/SKILL.md", SKILL);
        files.add("agent/memory/semantic/LESSONS.md", LESSONS_FILE);
        let workspace = Workspace::in_memory(&Environment::isolated(), files).unwrap();
        Library::load(&workspace).matching(&["a", "A"], task, error, budget)
    }

    #[test]
    fn skills_match_by_trigger_and_lessons_by_words() {
        let found = references("Write the database migration for users", None, REFERENCE_BUDGET);
        let skill =
            PromptText { name: "agent/skills/sql/SKILL.md".to_owned(), text: "Migrate in two steps.".to_owned() };
        assert_eq!(found.skills, [skill]);
        assert_eq!(found.lessons.len(), 1, "{found:?}");
        assert!(found.lessons[0].text.contains("idempotent"));
        assert_eq!(references("Migrate", None, REFERENCE_BUDGET).skills, []);
        let none = references("Paint the login button", None, REFERENCE_BUDGET);
        assert!(none.skills.is_empty() && none.lessons.is_empty(), "{none:?}");
    }

    #[test]
    fn an_error_finds_more() {
        let found = references("Paint the login button", Some("the database migration failed"), REFERENCE_BUDGET);
        assert_eq!((found.skills.len(), found.lessons.len()), (1, 1));
    }

    #[test]
    fn a_long_skill_is_only_named() {
        let found = references("Write the database migration for users", None, 20);
        assert_eq!(found.skills[0].text, "Change the database.\nRead the file before you start.");
        assert!(found.lessons.is_empty());
    }
}
