//! Questions to a person: what is the lesson of a failure that recurs, and that nobody has explained?

use super::consolidation::{DreamDecision, DreamParams, Pattern};
use super::lessons::single_line;
use super::review::{CandidateKind, QUESTION_PREFIX, StagedCandidate};
use canonry_text::shortened;

/// Rows after a failure in which a success is looked for.
const MAX_ROWS_AFTER: usize = 200;
/// Characters of an action in a question.
const MAX_ACTION: usize = 200;

/// The texts of a row that tell what solved a failure, each in one line.
#[derive(Default)]
struct AttemptTexts {
    action: String,
    reflection: String,
    context: String,
}

impl AttemptTexts {
    fn new(decision: &DreamDecision, row: usize) -> Self {
        let text = |field: Option<&str>| single_line(field.unwrap_or_default());
        let texts = decision.log.episode(row, |episode| Self {
            action: text(episode.action.as_deref()),
            reflection: text(episode.reflection.as_deref()),
            context: text(episode.context.as_deref()),
        });
        texts.unwrap_or_default()
    }

    fn is_same_session(&self, other: &Self) -> bool {
        self.context.starts_with("session ") && self.context == other.context
    }

    fn program(&self) -> &str {
        self.action.split(' ').next().unwrap_or_default()
    }
}

/// The questions about the unexplained failures, the most frequent failure first. They name no episodes: their number grows
/// until the question is answered, and the answer then cites those of the pattern.
pub fn questions(decision: &DreamDecision, params: &DreamParams) -> Vec<StagedCandidate> {
    let mut patterns: Vec<&Pattern> = decision.unexplained.iter().collect();
    patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.rows.len()));
    let question = |pattern: &Pattern| {
        let failed = AttemptTexts::new(decision, pattern.best);
        let failures: Vec<usize> =
            pattern.rows.iter().copied().filter(|at| decision.log.rows[*at].outcome.is_failure).collect();
        let action = shortened(&failed.action, MAX_ACTION);
        let name = format!("{QUESTION_PREFIX}{}", decision.pattern_id(pattern));
        let text = format!("failed {} times like this: `{action}`: what is the lesson?", failures.len());
        (!action.is_empty()).then(|| StagedCandidate {
            steps: find_answer(decision, &failures, &failed).into_iter().collect(),
            total: pattern.rows.len(),
            ..StagedCandidate::new(CandidateKind::Question, name, text, params.now.date())
        })
    };
    patterns.into_iter().filter_map(question).collect()
}

/// First success after the last failure: the same action after something else was done, or another action of the same program in
/// the same session.
fn find_answer(decision: &DreamDecision, failures: &[usize], failed: &AttemptTexts) -> Option<String> {
    let rows = &decision.log.rows;
    let last = failures.iter().copied().max_by_key(|at| (rows[*at].at, *at))?;
    let last_failed = AttemptTexts::new(decision, last);
    let after = last + 1..rows.len().min(last + 1 + MAX_ROWS_AFTER);
    let mut before: Option<String> = None;
    for at in after.filter(|at| rows[*at].outcome.is_success) {
        let worked = AttemptTexts::new(decision, at);
        if rows[at].key == rows[last].key {
            return Some(match (worked.reflection.is_empty(), before) {
                (false, _) => worked.reflection,
                (true, Some(change)) => format!("it succeeded after `{}`", shortened(&change, MAX_ACTION)),
                (true, None) => "it succeeded later without a logged change".to_owned(),
            });
        }
        if worked.is_same_session(&last_failed) {
            if worked.program() == failed.program() {
                let reflection =
                    if worked.reflection.is_empty() { String::new() } else { format!(": {}", worked.reflection) };
                return Some(format!("`{}` succeeded later{reflection}", shortened(&worked.action, MAX_ACTION)));
            }
            before = Some(worked.action);
        }
    }
    None
}
