//! The rows of the log that candidates come from.

use crate::consolidation::{DreamPlan, read_line};
use crate::{Error, ErrorKind, Workspace};
use canonry_memory::lessons::single_line;
use canonry_memory::review::{EvidenceRow, QUESTION_PREFIX, QueueEntry, ReviewQueue};
use canonry_model::canon::episode::Episode;
use canonry_text::shortened;
use std::collections::HashMap;
use std::fs::File;
use std::io;

/// Rows that are shown for a candidate. Rows with the same text are shown once.
const MAX_ROWS: usize = 3;
/// Rows that are read to find them.
const MAX_READ: usize = 20;
/// Characters of an action and of a reflection.
const MAX_TEXT: usize = 200;

/// The rows of each pending candidate, by its name: first those that it names, then the others of its pattern. Rows that have
/// left the log are not found.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if the log can no longer be read.
pub(super) fn find_evidence(
    workspace: &Workspace,
    queue: &ReviewQueue,
    plan: &DreamPlan,
) -> Result<HashMap<String, Vec<EvidenceRow>>, Error> {
    let wanted = wanted_rows(queue, plan);
    if wanted.is_empty() {
        return Ok(HashMap::new());
    }
    let path = workspace.layout.log();
    let unreadable = |error: io::Error| {
        Error::new(ErrorKind::Unreadable, format!("{path}: cannot read the log: {error}")).help("run this again")
    };
    let log = canonry_repo::fs::open(workspace.view.on_disk(&path).unwrap_or_default()).map_err(unreadable)?;
    let mut evidence = HashMap::new();
    for (name, rows) in wanted {
        evidence.insert(name, read_rows(&log, plan, &rows).map_err(unreadable)?);
    }
    Ok(evidence)
}

fn wanted_rows(queue: &ReviewQueue, plan: &DreamPlan) -> HashMap<String, Vec<usize>> {
    let decision = &plan.decision;
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
    for row in 0..decision.rows.len() {
        for (name, rank) in ranks.get(decision.row_id(row).as_str()).into_iter().flatten() {
            ranked.entry(name).or_default().push((*rank, row));
        }
    }
    for pattern in &decision.patterns {
        if let Some(name) = patterns.get(decision.pattern_id(pattern).as_str()) {
            ranked.entry(name).or_default().extend(pattern.rows.iter().rev().map(|row| (usize::MAX, *row)));
        }
    }
    let sorted = ranked.into_iter().map(|(name, mut rows)| {
        rows.sort_by_key(|(rank, _)| *rank);
        (name.to_owned(), rows.into_iter().map(|(_, row)| row).collect())
    });
    sorted.collect()
}

fn read_rows(log: &File, plan: &DreamPlan, rows: &[usize]) -> io::Result<Vec<EvidenceRow>> {
    let mut evidence: Vec<EvidenceRow> = Vec::new();
    for row in rows.iter().take(MAX_READ) {
        let line = read_line(log, plan.decision.rows[*row].extent)?;
        // A line that is no longer an episode: the log has changed, which the next dream reports.
        let Ok(episode) = Episode::parse(&line) else { continue };
        let text = |field: Option<&str>| shortened(&single_line(field.unwrap_or_default()), MAX_TEXT).into_owned();
        let action = text(episode.action.as_deref());
        let reflection = text(episode.reflection.as_deref());
        if evidence.iter().any(|known| known.action == action && known.reflection == reflection) {
            continue;
        }
        let id = plan.decision.row_id(*row);
        evidence.push(EvidenceRow { id, date: episode.at.date(), action, reflection });
        if evidence.len() == MAX_ROWS {
            break;
        }
    }
    Ok(evidence)
}
