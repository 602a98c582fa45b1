//! The skills and lessons for a step: the skill of its phase, the one with its name or its role's name, and those that match it.

use crate::Workspace;
use crate::memory_files::read_document;
use crate::skill_catalog::{PreconditionChecker, SkillCatalog};
use canonry_memory::MemoryPolicy;
use canonry_memory::recall::{RecallQuery, RecallSources, recall};
use canonry_mirror::registry::{SearchableSkill, match_skills};
use canonry_model::canon::Blob;
use canonry_model::canon::plan::PlanStep;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_runs::plan::phases::{Phase, phase_skill};
use canonry_runs::plan::prompt::PromptText;
use canonry_runs::plan::slug;
use canonry_text::secrets::without_secrets;
use canonry_text::{RepoPath, frontmatter};
use std::collections::BTreeSet;

/// The characters of skills and lessons in a prompt.
pub(crate) const BUDGET: usize = 12_000;
/// The most skills.
const SKILLS: usize = 3;
/// The most lessons.
const LESSONS: usize = 8;
/// Characters per token in English prose.
const CHARACTERS_PER_TOKEN: usize = 4;
/// The characters of an earlier error that are searched for.
const ERROR: usize = 500;

/// Texts for the prompt of a worker, best first.
#[derive(Clone, Debug, Default)]
pub(crate) struct References {
    pub skills: Vec<PromptText>,
    pub lessons: Vec<PromptText>,
}

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

    /// Finds texts for a step of a plan: by its phase, its name and role, its words and, after a failure, those of its error.
    /// Skills and lessons get half of `budget` each, which is in characters.
    pub fn matching(&self, step: &PlanStep, error: Option<&str>, budget: usize) -> References {
        let error: String = error.unwrap_or_default().chars().take(ERROR).collect();
        let criteria = step.criteria.join("\n");
        let files: Vec<&str> = step.files.iter().map(|file| file.text.as_str()).collect();
        let task = [step.description.as_str(), &criteria, &files.join(" "), &error].join("\n");
        let owner = step.owner.as_ref().map_or("", |owner| owner.text.as_str());
        let names = [self.execute.as_str(), step.id_text(), owner];
        References { skills: self.skills(&names, &task, budget / 2), lessons: self.lessons(&task, budget / 2) }
    }

    /// Finds texts for a task by the names of its step and its role, and by its words: skills first, then lessons, as name and
    /// text.
    pub fn matching_text(&self, names: &[&str], task: &str, budget: usize) -> Vec<(String, String)> {
        let texts = self.skills(names, task, budget / 2).into_iter().chain(self.lessons(task, budget / 2));
        texts.map(|text| (text.name, text.text)).collect()
    }

    /// The skills with these names, then those with a trigger in the task: one that merely shares words with a long task would
    /// distract.
    fn skills(&self, names: &[&str], task: &str, budget: usize) -> Vec<PromptText> {
        let preconditions = PreconditionChecker::new(self.workspace);
        let names: Vec<String> = names.iter().map(|name| slug(name)).filter(|name| !name.is_empty()).collect();
        let named = names.iter().filter_map(|name| self.skills.iter().find(|skill| slug(&skill.entry.name) == *name));
        let matched = match_skills(&self.skills, task).into_iter().filter(|found| !found.score.triggers.is_empty());
        let matched = matched.map(|found| found.entry);
        let mut seen = BTreeSet::new();
        let usable = named
            .map(|skill| &skill.entry)
            .chain(matched)
            .filter(|entry| seen.insert(&entry.path) && preconditions.unmet(&entry.preconditions).is_empty());
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
    let Blob::Bytes(bytes) = workspace.view.read(&RepoPath::from(path), DOCUMENT_LIMIT) else { return None };
    let text = String::from_utf8(bytes).ok()?;
    let start = frontmatter::split(&text).map_or(0, |parts| parts.body.offset);
    let body = text.get(start..)?.trim();
    (!body.is_empty() && body.chars().count() <= limit).then(|| body.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;
    use canonry_model::canon::plan::Plan;
    use canonry_model::canon::schema::Schemas;
    use canonry_repo::view::MemorySource;

    const SKILL: &str = "---\nname: sql\ndescription: Change the database.\ntriggers: [database migration]\n---\n\nMigrate in two steps.\n";
    const LESSONS_FILE: &str =
        "# Lessons\n\n- Run a database migration twice, because it must be idempotent.\n- Ask before a release.\n";

    fn references(task: &str, error: Option<&str>, budget: usize) -> References {
        let mut files = MemorySource::new();
        files.add("agent/skills/sql/SKILL.md", SKILL);
        files.add("agent/memory/semantic/LESSONS.md", LESSONS_FILE);
        let workspace = Workspace::in_memory(&Environment::isolated(), files).unwrap();
        let plan = format!("steps:\n  - {{id: a, owner: A, description: {task}, criteria: x}}\n");
        let path = RepoPath::from("agent/plans/p/plan.yaml");
        let plan = Plan::parse(path, Blob::Bytes(plan.into_bytes()), &Schemas::default());
        Library::load(&workspace).matching(&plan.document.unwrap().steps[0], error, budget)
    }

    #[test]
    fn skills_match_by_trigger_and_lessons_by_words() {
        let found = references("Write the database migration for users", None, BUDGET);
        let skill =
            PromptText { name: "agent/skills/sql/SKILL.md".to_owned(), text: "Migrate in two steps.".to_owned() };
        assert_eq!(found.skills, [skill]);
        assert_eq!(found.lessons.len(), 1, "{found:?}");
        assert!(found.lessons[0].text.contains("idempotent"));
        assert_eq!(references("Migrate", None, BUDGET).skills, []);
        let none = references("Paint the login button", None, BUDGET);
        assert!(none.skills.is_empty() && none.lessons.is_empty(), "{none:?}");
    }

    #[test]
    fn an_error_finds_more() {
        let found = references("Paint the login button", Some("the database migration failed"), BUDGET);
        assert_eq!((found.skills.len(), found.lessons.len()), (1, 1));
    }

    #[test]
    fn a_long_skill_is_only_named() {
        let found = references("Write the database migration for users", None, 20);
        assert_eq!(found.skills[0].text, "Change the database.\nRead the file before you start.");
        assert!(found.lessons.is_empty());
    }
}
