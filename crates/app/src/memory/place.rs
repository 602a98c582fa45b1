//! Accepts a lesson as a rule in a file that agents follow.

use super::review_context::{FileInsertion, LessonsChange, PlacedFile, ReviewChanges, ReviewContext, refused, subject};
use super::single_line;
use crate::memory_files::{read_text, require_file};
use crate::skill_catalog::find_skill;
use crate::{Error, ErrorKind, Workspace};
pub use canonry_memory::lesson_rule::LessonRule;
use canonry_memory::lesson_rule::{RuleInsertion, find_rule, insertion, new_page};
use canonry_memory::lessons::{lessons, remove_lesson, strike_out};
use canonry_memory::review::{CandidateKind, PlacedRule, QueueEntry, ReviewDecision, ReviewEvent, ReviewStatus};
use canonry_model::canon::Layout;
use canonry_model::canon::task::inside;
use canonry_repo::apply::log_transaction::sweep;
use canonry_repo::view::IgnoreMode;
use canonry_text::{RepoPath, Span};

/// The policy that gets rules by default.
const DEFAULT_POLICY: &str = "WORKFLOW.md";

/// Where a lesson takes effect, and what it asks for.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The kind of file.
    pub destination: RuleDestination,
    /// The file below `policies/` or in the skill, instead of `WORKFLOW.md` or `KNOWLEDGE.md`.
    pub file: Option<String>,
    /// Rule to write.
    pub rule: LessonRule,
}

/// A kind of file that agents follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuleDestination {
    /// A policy.
    Policy,
    /// The root instructions, `AGENTS.md`.
    Agents,
    /// A skill, by the name of its folder.
    Skill(String),
}

/// A file and its text.
struct DestinationFile {
    path: RepoPath,
    text: Option<String>,
    /// The title of a new file; `None` if the file must exist.
    title: Option<String>,
}

/// Checks the parts of a rule before anything else is read.
///
/// # Errors
/// [`ErrorKind::Usage`] if one is empty, or a file is given for `AGENTS.md`.
pub fn check_placement(placement: &Placement) -> Result<(), Error> {
    let LessonRule { action, scope, root_cause } = &placement.rule;
    let parts = [("--action", action), ("--scope", scope), ("--root-cause", root_cause)];
    if let Some((flag, _)) = parts.iter().find(|(_, part)| part.trim().is_empty()) {
        return Err(Error::new(ErrorKind::Usage, format!("`{flag}` is empty")).help(
            "a rule says what to do (`--action`), where it applies (`--scope`) and why it is needed (`--root-cause`)",
        ));
    }
    if placement.file.is_some() && placement.destination == RuleDestination::Agents {
        return Err(Error::new(ErrorKind::Usage, "`--file` does not apply to `--to agents`")
            .help("use it with `--to policy` or `--to skill:NAME`"));
    }
    Ok(())
}

impl ReviewContext<'_> {
    /// Adds the rule to its file, unless the file says so already, and records where it is. A lesson that was accepted into
    /// `LESSONS.md` before moves to the archive of lessons.
    pub(super) fn place_lesson(
        &self,
        entry: &QueueEntry,
        placement: &Placement,
        supersede: bool,
    ) -> Result<ReviewChanges, Error> {
        let staged = &entry.staged;
        if staged.kind != CandidateKind::Lesson {
            let message = format!("`--to` applies to lessons, and {} is not one", single_line(&staged.candidate));
            return Err(Error::new(ErrorKind::Usage, message).help("accept it without `--to`"));
        }
        let file = DestinationFile::load(self.workspace, placement)?;
        let text = file.text.as_deref().unwrap_or_default();
        let existing_line = find_rule(text, &placement.rule, &staged.candidate);
        if let ReviewStatus::Accepted(ReviewDecision { rule: Some(placed), by, .. }) = &entry.status {
            let is_here = placed.to == file.path.to_display();
            if is_here && existing_line.is_some() && self.is_resumed {
                return Ok(ReviewChanges {
                    message: format!("rule added to {}", file.path),
                    ..ReviewChanges::default()
                });
            }
            // Someone may have removed the rule since then: add it again.
            if !is_here || existing_line.is_some() {
                let name = single_line(&staged.candidate);
                let to = single_line(&placed.to);
                let message = format!("{name} was already accepted into {to}, by {}", single_line(by));
                return Err(refused(message, "edit the file to change the rule, or run `canonry memory undo` first"));
            }
        }
        let action = single_line(&placement.rule.action);
        let (mut events, superseded) = self.resolve_contradictions(staged, &action, supersede)?;
        let rule = PlacedRule { to: file.path.to_display(), rule: placement.rule.clone() };
        let decision = ReviewDecision { rule: Some(rule), ..self.decision(staged, None) };
        events.insert(0, ReviewEvent::Accepted(decision));
        let mut changes = ReviewChanges { events, ..ReviewChanges::default() };
        self.archive_lesson(&staged.candidate, &superseded, &file.path, &mut changes);
        changes.message = match existing_line {
            Some(_) => subject(&format!("lesson accepted, as {} says", file.path), &action),
            None => subject(&format!("rule added to {}", file.path), &action),
        };
        changes.placed = Some(PlacedFile { path: file.path.clone(), existing_line });
        if existing_line.is_none() {
            let line = placement.rule.line(&staged.candidate);
            // An interrupted run may have left a temporary file.
            sweep(self.session, &self.workspace.view, &[file.path.parent().unwrap_or_default()]);
            changes.insertion = Some(file.insert(&line)?);
        }
        Ok(changes)
    }

    /// Strikes out superseded lessons, and moves the candidate's own line from `LESSONS.md` to the archive.
    fn archive_lesson(&self, candidate: &str, superseded: &[Span], to: &RepoPath, changes: &mut ReviewChanges) {
        let existing = self.files.lessons_text();
        let struck = strike_out(existing, superseded, &self.now.date());
        let own = lessons(&struck).into_iter().find(|lesson| lesson.pattern.as_deref() == Some(candidate));
        let Some(own) = own else {
            if !superseded.is_empty() {
                changes.lessons = Some(LessonsChange::Replace(struck));
            }
            return;
        };
        let line = struck[own.span.range()].trim_end();
        changes.retired = Some(format!("{line} (moved to {to}, {})\n", self.now.date()));
        changes.lessons = Some(LessonsChange::Replace(remove_lesson(&struck, own.span)));
    }
}

impl DestinationFile {
    fn load(workspace: &Workspace, placement: &Placement) -> Result<Self, Error> {
        let layout = &workspace.layout;
        let given = placement.file.as_deref();
        let (path, title) = match &placement.destination {
            RuleDestination::Agents => (layout.map(), None),
            RuleDestination::Policy => (file_in(&layout.policies(), given.unwrap_or(DEFAULT_POLICY))?, None),
            RuleDestination::Skill(name) => {
                let skill = find_skill(workspace, name)?;
                match given {
                    Some(given) => (file_in(&skill, given)?, None),
                    None => (Layout::knowledge(&skill), Some(skill.file_name_lossy())),
                }
            }
        };
        require_file(workspace, &path)?;
        let text = read_text(workspace, &path)?;
        if text.is_none() && title.is_none() {
            return Err(missing_file(workspace, placement, &path));
        }
        Ok(Self { path, text, title })
    }

    fn insert(self, line: &str) -> Result<FileInsertion, Error> {
        let Self { path, text: before, title } = self;
        let insertion = match &before {
            None => Some(RuleInsertion { offset: 0, text: new_page(&title.unwrap_or_default(), line) }),
            Some(text) => insertion(text, line),
        };
        match insertion {
            Some(insertion) => Ok(FileInsertion { path, before, insertion }),
            None => Err(refused(
                format!("{path}: the place for the rule is inside a code block, a comment or HTML"),
                "close the block, or add a heading `## Lessons` where the rules belong",
            )),
        }
    }
}

/// A Markdown file in a folder. Its path may be given from the folder or from the repository.
fn file_in(folder: &RepoPath, given: &str) -> Result<RepoPath, Error> {
    let from_folder = given.strip_prefix(&format!("{folder}/")).unwrap_or(given);
    let path = inside(from_folder).filter(|path| path.as_bstr().ends_with(b".md"));
    path.map(|path| folder.join(path.as_bstr())).ok_or_else(|| {
        Error::new(ErrorKind::Usage, format!("`--file {}` is not a Markdown file in {folder}", single_line(given)))
    })
}

fn missing_file(workspace: &Workspace, placement: &Placement, path: &RepoPath) -> Error {
    let message = format!("{path} does not exist");
    if placement.destination != RuleDestination::Policy {
        return refused(message, "create it first");
    }
    let listed = workspace.view.list(&workspace.layout.policies(), IgnoreMode::Exclude);
    let files = listed.map(|listing| listing.files).unwrap_or_default();
    let names: Vec<String> = files.iter().map(|file| file.entry.path.file_name_lossy()).collect();
    match names[..] {
        [] => refused(message, "create it first"),
        _ => refused(message, format!("choose a policy with `--file`: {}", names.join(", "))),
    }
}

#[cfg(test)]
#[path = "place_tests.rs"]
mod tests;
