//! Evidence of the candidates of the review queue in the log: the rows that they come from, and how many there are.

use super::consolidation::{DreamDecision, Pattern};
use super::lessons::{LessonCandidate, single_line};
use super::review::{CandidateKind, EvidenceRow, QUESTION_PREFIX, QueueEntry, ReviewQueue, ReviewStatus};
use super::skill_candidates::{SKILL_PREFIX, skill_name};
use canonry_text::shortened;
use std::collections::{BTreeMap, HashMap};

/// Rows that are shown for a candidate. Rows with the same text are shown once.
const MAX_ROWS: usize = 3;
/// Rows that are looked at to find them.
const MAX_READ: usize = 20;
/// Characters of an action and of a reflection.
const MAX_TEXT: usize = 200;

/// Sets the number of episodes of each pending lesson and skill to that of the log: the queue has the number of the night that
/// staged it. A number never goes down: a dream may have archived some of the rows since.
pub fn set_counts(queue: &mut ReviewQueue, decision: &DreamDecision, lessons: &[LessonCandidate]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for pattern in &decision.patterns {
        counts.insert(decision.pattern_id(pattern), pattern.rows.len());
    }
    counts.extend(decision.repeated.iter().filter_map(|pattern| skill_count(decision, pattern)));
    // A lesson can come from several patterns.
    for lesson in lessons {
        let name = lesson.pattern.as_deref().unwrap_or_default();
        if let Some(entry) = queue.lookup(CandidateKind::Lesson, name, &lesson.text) {
            let count = counts.entry(entry.staged.candidate.clone()).or_default();
            *count = lesson.total.max(*count);
        }
    }
    let is_counted = |entry: &&mut QueueEntry| {
        entry.status == ReviewStatus::Pending
            && matches!(entry.staged.kind, CandidateKind::Lesson | CandidateKind::Skill)
    };
    for entry in queue.entries.iter_mut().filter(is_counted) {
        let count = counts.get(&entry.staged.candidate).copied().unwrap_or_default();
        entry.staged.total = entry.staged.total.max(count);
    }
}

/// The name of the skill that an action would be proposed as, and its repetitions.
fn skill_count(decision: &DreamDecision, pattern: &Pattern) -> Option<(String, usize)> {
    let first = pattern.rows.iter().find(|row| decision.log.rows[**row].outcome.has_reflection)?;
    let name = decision.log.episode(*first, |episode| skill_name(episode.action.as_deref().unwrap_or_default()))?;
    Some((format!("{SKILL_PREFIX}{name}"), pattern.rows.len()))
}

/// The rows of each pending candidate, by its name: first those that it names, then the others of its pattern. Rows that have
/// left the log are not found.
pub fn find_evidence(queue: &ReviewQueue, decision: &DreamDecision) -> HashMap<String, Vec<EvidenceRow>> {
    let mut ranks: HashMap<&str, Vec<(&str, usize)>> = HashMap::new();
    let mut patterns: HashMap<&str, &str> = HashMap::new();
    for QueueEntry { staged, .. } in queue.pending() {
        for (rank, id) in staged.episodes.iter().enumerate() {
            ranks.entry(id).or_default().push((&staged.candidate, rank));
        }
        let pattern = staged.candidate.strip_prefix(QUESTION_PREFIX).unwrap_or(&staged.candidate);
        patterns.insert(pattern, &staged.candidate);
    }
    if patterns.is_empty() {
        return HashMap::new();
    }
    let mut ranked: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    for row in 0..decision.log.rows.len() {
        for (name, rank) in ranks.get(decision.row_id(row).as_str()).into_iter().flatten() {
            ranked.entry(name).or_default().push((*rank, row));
        }
    }
    for pattern in &decision.patterns {
        if let Some(name) = patterns.get(decision.pattern_id(pattern).as_str()) {
            ranked.entry(name).or_default().extend(pattern.rows.iter().rev().map(|row| (usize::MAX, *row)));
        }
    }
    let evidence = ranked.into_iter().map(|(name, mut rows)| {
        rows.sort_by_key(|(rank, _)| *rank);
        (name.to_owned(), distinct_rows(decision, rows.into_iter().map(|(_, row)| row)))
    });
    evidence.collect()
}

fn distinct_rows(decision: &DreamDecision, rows: impl Iterator<Item = usize>) -> Vec<EvidenceRow> {
    let text = |field: Option<&str>| shortened(&single_line(field.unwrap_or_default()), MAX_TEXT).into_owned();
    let mut evidence: Vec<EvidenceRow> = Vec::new();
    for row in rows.take(MAX_READ) {
        let found = decision.log.episode(row, |episode| EvidenceRow {
            id: decision.row_id(row),
            date: episode.at.date(),
            action: text(episode.action.as_deref()),
            reflection: text(episode.reflection.as_deref()),
        });
        let is_shown = |row: &EvidenceRow| {
            evidence.iter().any(|known| known.action == row.action && known.reflection == row.reflection)
        };
        if let Some(row) = found.filter(|row| !is_shown(row)) {
            evidence.push(row);
        }
        if evidence.len() == MAX_ROWS {
            break;
        }
    }
    evidence
}
