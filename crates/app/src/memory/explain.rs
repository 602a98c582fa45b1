//! Explains the salience of a row.

use super::inspection::{MemoryInspection, RowText};
use crate::{Error, ErrorKind, Progress, Workspace};
use canonry_memory::{EpisodeRow, Pattern, RowId};
pub use canonry_memory::{MemoryPolicy, SalienceFactors};
use canonry_model::canon::timestamp::Timestamp;
use canonry_text::RepoPath;
use serde::Serialize;

/// Where the row is.
#[derive(Clone, Debug)]
pub enum ExplainedRow {
    /// In the log.
    InLog(Box<RowExplanation>),
    /// In a snapshot, where it has no salience any more.
    Archived {
        /// The requested id.
        id: String,
        /// The snapshot.
        path: RepoPath,
        /// The line number, from 1.
        line: u32,
    },
}

/// Why a row of the log has its salience. The fields, in this order, are those of the JSON document
/// `canonry/memory-explain/v1`.
#[derive(Clone, Debug, Serialize)]
pub struct RowExplanation {
    /// The time that determined the age.
    pub now: Timestamp,
    /// The id.
    pub id: String,
    /// The skill.
    pub skill: String,
    /// The action.
    pub action: String,
    /// When it happened.
    pub timestamp: Timestamp,
    /// The age in whole days, at least 0.
    pub age_days: i64,
    /// The salience.
    pub salience: f64,
    /// The factors of the salience.
    #[serde(rename = "terms")]
    pub factors: SalienceFactors,
    /// The pattern the row belongs to.
    pub pattern: Option<PatternExplanation>,
    /// Whether a dream at `now` archives the row.
    pub archived: bool,
    /// The policy in effect.
    #[serde(skip)]
    pub policy: MemoryPolicy,
    /// `pain_score`
    #[serde(skip)]
    pub pain: f64,
    /// `importance`
    #[serde(skip)]
    pub importance: f64,
    /// The recurrence that counts: the size of the pattern if the row represents one, else what the row states.
    #[serde(skip)]
    pub recurrence: f64,
}

/// The pattern of a row.
#[derive(Clone, Debug, Serialize)]
pub struct PatternExplanation {
    /// The id of the row that represents it.
    pub best: String,
    /// The ids of all rows.
    pub rows: Vec<String>,
    /// The salience.
    pub salience: f64,
    /// Whether the salience is high enough for a lesson.
    pub promoted: bool,
}

/// Finds a row in the log or the snapshots and explains it. `id` is the row's own, or the hash of its content as lessons
/// and reports show it; `now` determines the age of rows, and is the current time by default.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if there is no such row, or a file cannot be read.
pub fn run(
    workspace: &Workspace,
    id: &str,
    now: Option<Timestamp>,
    _progress: &dyn Progress,
) -> Result<ExplainedRow, Error> {
    let inspection = MemoryInspection::load(workspace, now)?;
    let decision = &inspection.plan.decision;
    if let Some(row) = (0..decision.log.rows.len()).find(|row| decision.row_id(*row) == id) {
        let text = inspection.row_text(row);
        return Ok(ExplainedRow::InLog(Box::new(explain(&inspection, row, text))));
    }
    let is_match = |row: &EpisodeRow| match &row.id {
        RowId::Own(own) => **own == *id,
        RowId::Content(hash) => id.split('-').next() == Some(format!("{hash:016x}").as_str()),
        RowId::Line => false,
    };
    for snapshot in inspection.snapshots()? {
        if let Some(row) = snapshot.rows.iter().find(|row| is_match(row)) {
            return Ok(ExplainedRow::Archived { id: id.to_owned(), path: snapshot.path, line: row.line });
        }
    }
    let message = format!("there is no row `{id}` in the log or its snapshots");
    Err(Error::new(ErrorKind::Unreadable, message)
        .help("lessons and `canonry memory status --format json` show the ids of rows"))
}

fn explain(inspection: &MemoryInspection<'_>, row: usize, text: RowText) -> RowExplanation {
    let decision = &inspection.plan.decision;
    let params = &inspection.plan.params;
    let this = &decision.log.rows[row];
    let pattern = decision.patterns.iter().find(|pattern| pattern.rows.contains(&row));
    let represented = pattern.filter(|pattern| pattern.best == row);
    let recurrence = represented.map_or(this.recurrence, |pattern| pattern.rows.len() as f64);
    RowExplanation {
        now: params.now,
        policy: params.policy.clone(),
        id: decision.row_id(row),
        skill: text.skill,
        action: text.action,
        timestamp: this.at,
        age_days: this.at.days_before(params.now).max(0),
        pain: this.pain,
        importance: this.importance,
        recurrence,
        salience: params.policy.row_salience(this, recurrence, params.now),
        factors: params.policy.row_factors(this, recurrence, params.now),
        pattern: pattern.map(|pattern| explain_pattern(inspection, pattern)),
        archived: decision.archived.contains(&row),
    }
}

fn explain_pattern(inspection: &MemoryInspection<'_>, pattern: &Pattern) -> PatternExplanation {
    let decision = &inspection.plan.decision;
    let params = &inspection.plan.params;
    let salience = decision.salience(pattern, params);
    PatternExplanation {
        best: decision.row_id(pattern.best),
        rows: pattern.rows.iter().map(|row| decision.row_id(*row)).collect(),
        salience,
        promoted: salience >= params.policy.promote_at,
    }
}
