//! The plan of a dream: from the state of the memory to the changes of its files.

use super::removals::{added_again, reject_removed, removed_lessons};
use super::state::MemoryState;
use crate::{Error, Workspace};
use canonry_memory::candidates::lesson_candidates;
use canonry_memory::dream_counts::DreamCounts;
use canonry_memory::lessons::{LessonAddition, LessonCandidate, append_lessons, select_new};
use canonry_memory::promotion::{
    free_places, limit_new, most_salient, new_candidates, promotable, retirement_candidates,
};
use canonry_memory::questions::questions;
use canonry_memory::review::{ReviewEvent, StagedCandidate, on_new_line};
use canonry_memory::row::QUARANTINE_HEADER;
use canonry_memory::skill_candidates::new_skills;
use canonry_memory::skill_usage::upkeep_candidates;
use canonry_memory::spec_learnings::propose_learnings;
use canonry_memory::{DepartingLine, DreamDecision, DreamParams, Pattern, Ruleset};
use canonry_model::canon::Layout;
use canonry_repo::apply::log_transaction::{FileChange, LogChanges, LogSplit, MovedLine, PendingCommit};
use canonry_text::RepoPath;
use canonry_text::printable::one_line;
use std::borrow::Cow;

/// Characters of a text in a commit message.
const MAX_LINE_CHARACTERS: usize = 120;

/// A planned dream.
pub struct DreamPlan {
    /// The decision about the rows of the log.
    pub decision: DreamDecision,
    /// All lesson candidates.
    pub candidates: Vec<LessonCandidate>,
    /// The new lessons.
    pub addition: LessonAddition,
    /// The candidates that are added to the review queue.
    pub staged: Vec<StagedCandidate>,
    /// The decisions that are recorded in the review queue: lessons that a person removed, or added again.
    pub recorded: Vec<ReviewEvent>,
    /// The number of new lesson candidates that are left for the next nights.
    pub deferred: usize,
    /// The memory before the dream.
    pub state: MemoryState,
    /// The parameters.
    pub params: DreamParams,
}

impl DreamPlan {
    /// Plans a dream. Git's history is read only if there is a new lesson: a person may have removed it before.
    ///
    /// # Errors
    /// A file or git's history cannot be read.
    pub fn build(
        workspace: &Workspace,
        decision: DreamDecision,
        state: MemoryState,
        params: DreamParams,
    ) -> Result<Self, Error> {
        let candidates = lesson_candidates(&decision, &params, &state.violations, &state.skills.knowledge);
        let plan = Self {
            decision,
            candidates,
            addition: LessonAddition::default(),
            staged: Vec::new(),
            recorded: Vec::new(),
            deferred: 0,
            state,
            params,
        };
        match plan.params.ruleset {
            Ruleset::Seed => {
                let existing = plan.state.lessons.as_deref().unwrap_or_default();
                let lessons = select_new(existing, &plan.candidates, Ruleset::Seed);
                Ok(plan.with_lessons(lessons))
            }
            Ruleset::Current => plan.with_decisions(workspace),
        }
    }

    fn with_lessons(mut self, lessons: Vec<usize>) -> Self {
        let existing = self.state.lessons.as_deref().unwrap_or_default();
        self.addition = append_lessons(existing, &self.candidates, lessons, &self.params.now.date());
        self
    }

    /// Decides which new lessons are written, and what waits for a person.
    fn with_decisions(mut self, workspace: &Workspace) -> Result<Self, Error> {
        let Self { decision, candidates, state, params, .. } = &self;
        let queue = &state.queue;
        let existing = state.lessons.as_deref().unwrap_or_default();
        let date = params.now.date();
        let mut recorded = added_again(state, params);
        let mut new = new_candidates(candidates, existing, queue);
        if !new.is_empty() {
            let removed = removed_lessons(workspace, decision, existing)?;
            new = reject_removed(&removed, candidates, new, params, &mut recorded);
        }
        // Compared with all new ones: what contradicts a candidate may be left for the next dream.
        let mut promoted = promotable(candidates, &new, existing, queue, params.policy.promotion);
        // A person decides about what the output of a program teaches.
        promoted.retain(|at| !is_untrusted(&candidates[*at], decision));
        let found = new.len();
        let new = most_salient(candidates, new, free_places(existing, queue, &date));
        let deferred = found - new.len();
        let (mut lessons, held): (Vec<usize>, Vec<usize>) = new.into_iter().partition(|at| promoted.contains(at));
        lessons.sort_unstable();
        let mut staged: Vec<StagedCandidate> =
            held.iter().map(|at| StagedCandidate::from_lesson(&candidates[*at], &date)).collect();
        staged.extend(limit_new(questions(decision, params), queue));
        staged.extend(new_skills(decision, &state.skills.names, queue, &date));
        staged.extend(limit_new(retirement_candidates(existing, decision, params), queue));
        staged.extend(propose_learnings(&state.tasks, queue, &date));
        staged.extend(upkeep_candidates(&state.used_skills, queue, params.now));
        self.recorded = recorded;
        self.staged = staged;
        self.deferred = deferred;
        Ok(self.with_lessons(lessons))
    }

    /// The counts for a person.
    pub fn counts(&self) -> DreamCounts {
        DreamCounts {
            lessons: self.addition.written.len(),
            archived: self.decision.archived.len(),
            kept: self.decision.kept(),
            candidates: self.staged.len(),
        }
    }

    /// The subject of the commit. The seed counts promoted patterns, not new lessons.
    pub fn message(&self) -> String {
        let mut counts = self.counts();
        if self.params.ruleset == Ruleset::Seed {
            counts.lessons = self.decision.promoted.len();
        }
        counts.to_string()
    }

    /// The summary, and below it a line for each new lesson and each new candidate: the log of git says what was learned.
    pub fn commit_message(&self) -> String {
        let mut message = self.message();
        if self.params.ruleset == Ruleset::Seed || (self.addition.written.is_empty() && self.staged.is_empty()) {
            return message;
        }
        message.push('\n');
        for lesson in self.addition.written.iter().filter_map(|at| self.candidates.get(*at)) {
            let salience = lesson.salience.map(|salience| format!(", salience {salience:.1}")).unwrap_or_default();
            let text = message_text(&lesson.text);
            message.push_str(&format!("\n+ {text} ({}{salience})", counted_episodes(lesson.total)));
        }
        for staged in &self.staged {
            let episodes =
                if staged.total == 0 { String::new() } else { format!(" ({})", counted_episodes(staged.total)) };
            message.push_str(&format!("\n? {}: {}{episodes}", staged.kind.name(), message_text(&staged.text)));
        }
        message
    }

    /// The ids of the rows that represent these patterns.
    pub fn best_row_ids<'p>(&self, patterns: impl Iterator<Item = &'p Pattern>) -> Vec<String> {
        patterns.map(|pattern| self.decision.row_id(pattern.best)).collect()
    }

    /// The ids of the best rows of the new lessons.
    pub fn written_row_ids(&self) -> Vec<String> {
        let candidates = self.addition.written.iter().filter_map(|at| self.candidates.get(*at));
        candidates.filter_map(|candidate| candidate.episodes.first().cloned()).collect()
    }

    /// The changes to write; `None` if there are none.
    pub fn changes(&self, layout: &Layout) -> Option<LogChanges<'_>> {
        let changes = LogChanges { files: self.file_changes(layout), log: self.log_split(layout), commit: None };
        (!changes.files.is_empty() || changes.log.is_some()).then_some(changes)
    }

    fn file_changes(&self, layout: &Layout) -> Vec<FileChange<'_>> {
        let mut files = Vec::new();
        if !self.addition.text.is_empty() {
            let before = self.state.lessons.as_deref().map(str::as_bytes);
            files.push(FileChange::Append { path: layout.lessons(), before, text: self.addition.text.clone() });
        }
        let events = self.staged.iter().cloned().map(ReviewEvent::Staged).chain(self.recorded.iter().cloned());
        let lines: String = events.map(|event| event.to_line()).collect();
        if !lines.is_empty() {
            let before = self.state.review.as_deref();
            files.push(FileChange::Append { path: layout.review(), before, text: on_new_line(before, lines) });
        }
        for stale in &self.state.stale {
            if let Some(archive) = &stale.archive {
                files.push(FileChange::Replace { path: archive.clone(), before: None, now: &stale.bytes });
            }
            let path = stale.path.clone();
            let before = Some(stale.bytes.as_slice());
            files.push(FileChange::Replace { path, before, now: stale.template.as_bytes() });
        }
        files
    }

    /// Where the departing lines of the log go.
    fn log_split(&self, layout: &Layout) -> Option<LogSplit<'_>> {
        let mark = self.state.mark?;
        let departing = self.decision.departing_lines();
        if departing.is_empty() {
            return None;
        }
        let mut to: Vec<(RepoPath, &'static str)> = Vec::new();
        let mut moved = Vec::with_capacity(departing.len());
        for line in &departing {
            let (path, header, heading) = match line {
                DepartingLine::Archived(row) => {
                    let month = format!("{}.jsonl", row.at.month());
                    (layout.snapshots().join(month.as_str()), "", Cow::Borrowed(""))
                }
                DepartingLine::Invalid(line) => {
                    let comment = Cow::Owned(line.quarantine_comment(self.params.now));
                    (layout.quarantine(), QUARANTINE_HEADER, comment)
                }
            };
            let known = to.iter().position(|(known, _)| *known == path);
            let at = known.unwrap_or_else(|| {
                to.push((path, header));
                to.len() - 1
            });
            moved.push(MovedLine { extent: line.extent(), to: at, heading });
        }
        Some(LogSplit { path: layout.log(), mark, to, moved })
    }
}

/// Whether the text of a lesson comes from a row that quotes a program.
fn is_untrusted(lesson: &LessonCandidate, decision: &DreamDecision) -> bool {
    let Some(id) = &lesson.pattern else { return false };
    let found = decision.promoted.iter().find(|pattern| decision.pattern_id(pattern) == *id);
    found.is_some_and(|pattern| decision.log.rows[pattern.best].outcome.untrusted)
}

/// A text for a line of a commit message.
fn message_text(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    one_line(&words.join(" ")).chars().take(MAX_LINE_CHARACTERS).collect()
}

fn counted_episodes(count: usize) -> String {
    if count == 1 { "1 episode".to_owned() } else { format!("{count} episodes") }
}

/// Commit of these changes: every changed file, and the log.
pub fn commit_note(changes: &LogChanges<'_>, layout: &Layout, message: String) -> PendingCommit {
    let mut paths: Vec<String> = vec![layout.log().to_display()];
    paths.extend(changes.files.iter().map(|change| change.path().to_display()));
    paths.extend(changes.log.iter().flat_map(|split| &split.to).map(|(path, _)| path.to_display()));
    PendingCommit { message, paths, branch: None }
}
