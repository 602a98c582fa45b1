//! The explanation of a row.

use crate::render::{counted, json};
use canonry_app::memory::explain::{ExplainedRow, RowExplanation};
use canonry_memory::Scoring;
use std::fmt::Write as _;

/// The document `canonry/memory-explain/v1` for a row of the log; one line of text for an archived row.
pub fn to_json(outcome: &ExplainedRow) -> String {
    match outcome {
        ExplainedRow::InLog(row) => json::document_of("canonry/memory-explain/v1", row),
        ExplainedRow::Archived { .. } => to_text(outcome),
    }
}

/// The explanation for people.
pub fn to_text(outcome: &ExplainedRow) -> String {
    match outcome {
        ExplainedRow::InLog(row) => explanation(row),
        ExplainedRow::Archived { id, path, line } => {
            format!("{id} has left the log: it is in {path}:{line} and has no salience any more.\n")
        }
    }
}

fn explanation(row: &RowExplanation) -> String {
    let mut text = format!("{}  {}: {}\n", row.id, row.skill, row.action);
    let _ = writeln!(text, "happened    {}, {} ago", row.timestamp, counted_days(row.age_days));
    let _ = writeln!(text, "salience    {:.4}, the product of", row.salience);
    let age = row.age_days;
    let (recency, weights) = match &row.policy.scoring {
        Scoring::HalfLife { days, weights: w } => {
            (format!("10 x 2^(-{age} / {days})"), [w.recency, w.pain, w.importance, w.recurrence])
        }
        Scoring::Seed => (format!("10 - {age} x 0.3"), [1.0; 4]),
    };
    let factors = [
        ("recency", recency, row.factors.recency),
        ("pain", format!("{} / 10", row.pain), row.factors.pain),
        ("importance", format!("{} / 10", row.importance), row.factors.importance),
        ("recurrence", format!("min({}, 3)", row.recurrence), row.factors.recurrence),
    ];
    for ((name, formula, value), weight) in factors.iter().zip(weights) {
        let weight = if weight == 1.0 { String::new() } else { format!(", to the power of {weight}") };
        let _ = writeln!(text, "  {name:<10}  {value:.4} = {formula}{weight}");
    }
    text.push_str(&pattern_line(row));
    text.push_str(&log_line(row));
    text
}

fn counted_days(days: i64) -> String {
    counted(usize::try_from(days).unwrap_or_default(), "day")
}

fn pattern_line(row: &RowExplanation) -> String {
    let Some(pattern) = &row.pattern else {
        return "pattern     none: no other row in the log has this skill and action\n".to_owned();
    };
    let rows = counted(pattern.rows.len(), "row");
    let role = if pattern.best == row.id {
        format!("represents {rows}")
    } else {
        format!("one of {rows}, represented by {} with a salience of {:.4}", pattern.best, pattern.salience)
    };
    let threshold = row.policy.promote_at;
    if pattern.promoted {
        format!("pattern     {role}: at least {threshold}, so a lesson\n")
    } else {
        format!("pattern     {role}: below {threshold}, so no lesson\n")
    }
}

fn log_line(row: &RowExplanation) -> String {
    if !row.archived {
        return "log         a dream now keeps the row\n".to_owned();
    }
    let days = row.policy.archive_after_days;
    let below = row.policy.archive_below;
    format!("log         a dream now archives the row: older than {days} days and below {below}\n")
}
