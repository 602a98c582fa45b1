//! The result of a recall.

use super::{counted, json};
use canonry_app::recall::RecallOutcome;
use canonry_memory::recall::{HitKind, RecallHit};
use canonry_text::untrusted::as_data;
use serde::Serialize;
use std::fmt::Write as _;

/// The document `canonry/recall/v1`.
#[derive(Serialize)]
struct RecallDocument<'a> {
    schema: &'static str,
    query: &'a str,
    now: String,
    budget: usize,
    used: usize,
    looked_at: usize,
    left_out: usize,
    unreadable: usize,
    hits: Vec<HitDocument<'a>>,
}

#[derive(Serialize)]
struct HitDocument<'a> {
    kind: &'static str,
    id: &'a Option<String>,
    text: &'a str,
    score: f64,
    words: f64,
    salience: f64,
    times: usize,
    outdated: Option<OutdatedDocument<'a>>,
}

/// Change since a lesson was written.
#[derive(Serialize)]
struct OutdatedDocument<'a> {
    subject: &'a str,
    changed: &'a str,
}

/// The document `canonry/recall/v1`.
pub fn to_json(outcome: &RecallOutcome) -> String {
    json::to_text(&RecallDocument {
        schema: "canonry/recall/v1",
        query: &outcome.query,
        now: outcome.now.to_string(),
        budget: outcome.budget,
        used: outcome.used,
        looked_at: outcome.searched,
        left_out: outcome.left_out,
        unreadable: outcome.unreadable,
        hits: outcome.hits.iter().map(HitDocument::new).collect(),
    })
}

impl<'a> HitDocument<'a> {
    fn new(hit: &'a RecallHit) -> Self {
        let rounded = |value: f64| (value * 10_000.0).round() / 10_000.0;
        Self {
            kind: match hit.kind {
                HitKind::Lesson => "lesson",
                HitKind::Personal => "personal",
                HitKind::Decision => "decision",
                HitKind::Knowledge => "knowledge",
                HitKind::Episode => "episode",
            },
            id: &hit.id,
            text: &hit.text,
            score: rounded(hit.score),
            words: rounded(hit.words),
            salience: rounded(hit.salience),
            times: hit.times,
            outdated: hit
                .outdated
                .as_ref()
                .map(|change| OutdatedDocument { subject: &change.subject, changed: &change.date }),
        }
    }
}

/// The hits, one per line.
pub fn to_text(outcome: &RecallOutcome) -> String {
    outcome.hits.iter().map(|hit| format!("{}\n", as_data(&hit.text))).collect()
}

/// The message for a search without hits.
pub fn no_hits(outcome: &RecallOutcome) -> String {
    if outcome.left_out > 0 {
        let matches =
            if outcome.left_out == 1 { "1 match".to_owned() } else { format!("{} matches", outcome.left_out) };
        return format!("{matches}, but none fits into {} tokens; raise `--budget`.\n", outcome.budget);
    }
    let entries = if outcome.searched == 1 { "1 entry".to_owned() } else { format!("{} entries", outcome.searched) };
    format!("No match among {entries} of the memory.\n")
}

/// The message about lines that are not episodes; empty if there are none.
pub fn unreadable_lines(outcome: &RecallOutcome) -> String {
    let mut text = String::new();
    if outcome.unreadable > 0 {
        let lines = counted(outcome.unreadable, "invalid line");
        let _ = writeln!(text, "Skipped {lines}; run `canonry check` for details.");
    }
    text
}
