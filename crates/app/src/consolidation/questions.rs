//! Questions to a person: what is the lesson of a failure that recurs, and that nobody has explained?

use super::candidates::CandidateFinder;
use super::read_line;
use canonry_memory::Pattern;
use canonry_memory::lessons::single_line;
use canonry_memory::review::{CandidateKind, QUESTION_PREFIX, StagedCandidate};
use canonry_text::shortened;
use serde::Deserialize;
use std::fs::File;
use std::io;

/// Rows after a failure in which a success is looked for.
const MAX_ROWS_AFTER: usize = 200;
/// Characters of an action in a question.
const MAX_ACTION: usize = 200;

/// The fields of a row that tell what solved a failure.
#[derive(Default, Deserialize)]
#[serde(default)]
struct FailedAttempt {
    action: String,
    reflection: String,
    context: String,
}

impl FailedAttempt {
    fn is_same_session(&self, other: &Self) -> bool {
        self.context.starts_with("session ") && self.context == other.context
    }
}

impl CandidateFinder<'_> {
    /// The questions about the unexplained failures, the most frequent failure first. They name no episodes: their number grows
    /// until the question is answered, and the answer then cites those of the pattern.
    ///
    /// # Errors
    /// The log can no longer be read.
    pub fn questions(&self) -> io::Result<Vec<StagedCandidate>> {
        let mut patterns: Vec<&Pattern> = self.decision.unexplained.iter().collect();
        if patterns.is_empty() {
            return Ok(Vec::new());
        }
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.rows.len()));
        let log = canonry_repo::fs::open(self.log)?;
        let mut questions = Vec::new();
        for pattern in patterns {
            let failed = self.read_attempt(&log, pattern.best)?;
            if failed.action.is_empty() {
                continue;
            }
            let failures = pattern.rows.iter().filter(|at| self.decision.rows[**at].outcome.is_failure).count();
            let answer = self.find_answer(&log, pattern, &failed)?;
            questions.push(StagedCandidate {
                candidate: format!("{QUESTION_PREFIX}{}", self.decision.pattern_id(pattern)),
                kind: CandidateKind::Question,
                date: self.params.now.date(),
                text: format!(
                    "failed {failures} times like this: `{}`: what is the lesson?",
                    shortened(&failed.action, MAX_ACTION)
                ),
                steps: answer.into_iter().collect(),
                episodes: Vec::new(),
                total: pattern.rows.len(),
                target: None,
            });
        }
        Ok(questions)
    }

    /// First success after the last failure: the same action after something else was done, or another action of the
    /// same program in the same session.
    fn find_answer(&self, log: &File, pattern: &Pattern, failed: &FailedAttempt) -> io::Result<Option<String>> {
        let rows = &self.decision.rows;
        let failures = pattern.rows.iter().copied().filter(|at| rows[*at].outcome.is_failure);
        let Some(last) = failures.max_by_key(|at| (rows[*at].at, *at)) else { return Ok(None) };
        let last_failed = self.read_attempt(log, last)?;
        let after = last + 1..rows.len().min(last + 1 + MAX_ROWS_AFTER);
        let mut before: Option<String> = None;
        for at in after.filter(|at| rows[*at].outcome.is_success) {
            let worked = self.read_attempt(log, at)?;
            let is_same_session = worked.is_same_session(&last_failed);
            if rows[at].key == rows[last].key {
                return Ok(Some(match (worked.reflection.is_empty(), before) {
                    (false, _) => worked.reflection,
                    (true, Some(change)) => format!("it succeeded after `{}`", shortened(&change, MAX_ACTION)),
                    (true, None) => "it succeeded later without a logged change".to_owned(),
                }));
            }
            if is_same_session && program(&worked.action) == program(&failed.action) {
                let reflection =
                    if worked.reflection.is_empty() { String::new() } else { format!(": {}", worked.reflection) };
                return Ok(Some(format!("`{}` succeeded later{reflection}", shortened(&worked.action, MAX_ACTION))));
            }
            if is_same_session {
                before = Some(worked.action);
            }
        }
        Ok(None)
    }

    /// The row's texts; empty if the row has other values there.
    fn read_attempt(&self, log: &File, row: usize) -> io::Result<FailedAttempt> {
        let line = read_line(log, self.decision.rows[row].extent)?;
        let read: FailedAttempt = serde_json::from_slice(&line).unwrap_or_default();
        Ok(FailedAttempt { action: single_line(&read.action), reflection: single_line(&read.reflection), ..read })
    }
}

/// The first word of an action.
fn program(action: &str) -> &str {
    action.split_whitespace().next().unwrap_or_default()
}
