//! Candidates for lessons: from patterns, and from violated constraints.

use super::consolidation::{DreamDecision, DreamParams};
use super::constraints::{constraint_id, find_constraint};
use super::lessons::{LessonCandidate, lesson_text};
use super::promotion::merge_equal_texts;
use super::ruleset::Ruleset;
use std::collections::BTreeMap;

/// A row that names the constraint of a skill that was violated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViolationRow {
    pub row: usize,
    pub skill: String,
    /// The quoted constraint.
    pub violated: String,
}

/// The rows that name a violated constraint.
pub fn violations(decision: &DreamDecision) -> Vec<ViolationRow> {
    let rows = decision.log.rows.iter().enumerate().filter(|(_, row)| row.outcome.violates);
    let violation = |row: usize| {
        let texts = decision.log.episode(row, |episode| {
            Some((episode.skill.as_deref()?.to_owned(), episode.violated.as_deref()?.to_owned()))
        });
        texts.flatten().map(|(skill, violated)| ViolationRow { row, skill, violated })
    };
    rows.filter_map(|(row, _)| violation(row)).collect()
}

/// The lessons, those from patterns first. Patterns that teach the same text are one lesson. `knowledge` has the `KNOWLEDGE.md` of
/// each skill that a row names.
pub fn lesson_candidates(
    decision: &DreamDecision,
    params: &DreamParams,
    violations: &[ViolationRow],
    knowledge: &BTreeMap<String, String>,
) -> Vec<LessonCandidate> {
    let mut candidates: Vec<LessonCandidate> = Vec::new();
    for pattern in &decision.promoted {
        let others = pattern.rows.iter().copied().filter(|at| *at != pattern.best);
        let episodes: Vec<String> =
            std::iter::once(pattern.best).chain(others).map(|row| decision.row_id(row)).collect();
        let text = decision.log.episode(pattern.best, |episode| lesson_text(episode, params.ruleset));
        candidates.push(LessonCandidate {
            text: text.unwrap_or_default(),
            total: episodes.len(),
            episodes,
            pattern: (params.ruleset == Ruleset::Current).then(|| decision.pattern_id(pattern)),
            salience: Some(decision.salience(pattern, params)),
        });
    }
    if params.ruleset == Ruleset::Current {
        candidates = merge_equal_texts(candidates);
    }
    candidates.extend(violated_constraints(decision, violations, knowledge));
    candidates
}

/// One lesson for each violated constraint, whatever the salience of the rows.
fn violated_constraints(
    decision: &DreamDecision,
    violations: &[ViolationRow],
    knowledge: &BTreeMap<String, String>,
) -> Vec<LessonCandidate> {
    let mut lessons: Vec<LessonCandidate> = Vec::new();
    for ViolationRow { row, skill, violated } in violations {
        let knowledge = knowledge.get(skill).map_or("", String::as_str);
        let Some(text) = find_constraint(knowledge, violated) else { continue };
        let id = Some(constraint_id(skill, &text));
        let at = lessons.iter().position(|lesson| lesson.pattern == id).unwrap_or_else(|| {
            lessons.push(LessonCandidate { text, episodes: Vec::new(), total: 0, pattern: id, salience: None });
            lessons.len() - 1
        });
        lessons[at].episodes.push(decision.row_id(*row));
        lessons[at].total += 1;
    }
    lessons
}
