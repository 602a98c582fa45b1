//! The candidates of the review queue, and decisions about them.

use crate::render::{counted, json};
use canonry_app::memory::review::{EvidenceRow, ReviewItem, ReviewQueueOutcome};
use canonry_app::memory::single_line;
use canonry_memory::review::{CandidateKind, ReviewDecision, ReviewStatus};
use serde::Serialize;
use std::fmt::Write as _;

/// The document `canonry/memory-review/v1`.
#[derive(Serialize)]
struct ReviewDocument<'a> {
    schema: &'static str,
    waiting: usize,
    candidates: Vec<CandidateDocument<'a>>,
    unreadable: Vec<InvalidEventDocument<'a>>,
}

#[derive(Serialize)]
struct CandidateDocument<'a> {
    candidate: &'a str,
    kind: CandidateKind,
    found: &'a str,
    text: &'a str,
    episodes: &'a [String],
    of: usize,
    evidence: &'a [EvidenceRow],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    steps: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    like: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    near_opposites: Vec<String>,
    opposed_to: Vec<String>,
    standing: &'static str,
    by: Option<&'a str>,
    reason: Option<&'a str>,
    to: Option<&'a str>,
    draft: &'a Option<String>,
}

#[derive(Serialize)]
struct InvalidEventDocument<'a> {
    line: usize,
    reason: &'a str,
}

impl<'a> CandidateDocument<'a> {
    fn new(item: &'a ReviewItem) -> Self {
        let staged = &item.entry.staged;
        let (standing, decision) = status(item);
        Self {
            candidate: &staged.candidate,
            kind: staged.kind,
            found: &staged.date,
            text: &staged.text,
            episodes: &staged.episodes,
            of: staged.total,
            evidence: &item.evidence,
            steps: if staged.kind == CandidateKind::Question { &staged.steps } else { &[] },
            like: item.like.as_deref(),
            near_opposites: item.near_opposites.iter().map(ToString::to_string).collect(),
            opposed_to: item.contradictions.iter().map(ToString::to_string).collect(),
            standing,
            by: decision.map(|decision| decision.by.as_str()),
            reason: decision.map(|decision| decision.reason.as_str()),
            to: decision.and_then(|decision| decision.rule.as_ref()).map(|rule| rule.to.as_str()),
            draft: &item.draft,
        }
    }
}

fn status(item: &ReviewItem) -> (&'static str, Option<&ReviewDecision>) {
    match &item.entry.status {
        ReviewStatus::Pending => ("waiting", None),
        ReviewStatus::Accepted(decision) => ("accepted", Some(decision)),
        ReviewStatus::Rejected(decision) => ("rejected", Some(decision)),
    }
}

/// The document `canonry/memory-review/v1`.
pub fn to_json(outcome: &ReviewQueueOutcome) -> String {
    let invalid = outcome.invalid.iter();
    json::to_text(&ReviewDocument {
        schema: "canonry/memory-review/v1",
        waiting: outcome.pending,
        candidates: outcome.candidates.iter().map(CandidateDocument::new).collect(),
        unreadable: invalid
            .map(|event| InvalidEventDocument { line: event.line.get(), reason: &event.reason })
            .collect(),
    })
}

/// The candidates for people; with `drafts`, also the drafts of skills.
pub fn to_text(outcome: &ReviewQueueOutcome, drafts: bool) -> String {
    let mut text = String::new();
    for item in &outcome.candidates {
        text.push_str(&item_to_text(item, drafts));
    }
    let _ = match outcome.pending {
        0 => writeln!(text, "No candidates wait for a decision."),
        1 => writeln!(text, "1 candidate waits for a decision: {DECIDE}"),
        count => writeln!(text, "{count} candidates wait for a decision: {DECIDE}"),
    };
    text
}

/// One candidate.
pub(super) fn item_to_text(item: &ReviewItem, drafts: bool) -> String {
    let mut text = String::new();
    let staged = &item.entry.staged;
    let name = single_line(&staged.candidate);
    let found = single_line(&staged.date);
    let _ = writeln!(text, "{name}  {:6}  {}, found {found}", staged.kind.name(), counted(staged.total, "episode"));
    let _ = writeln!(text, "  {}", single_line(&staged.text));
    for row in &item.evidence {
        let _ = writeln!(text, "    {row}");
    }
    if let Some(target) = &staged.target {
        let _ = writeln!(text, "  for the page {} of the spec", single_line(target));
    }
    if let Some(like) = &item.like {
        let _ = writeln!(text, "  looks like the lesson: {like}");
    }
    if staged.kind == CandidateKind::Question {
        for answer in &staged.steps {
            let _ = writeln!(text, "  possible answer: {}", single_line(answer));
        }
    }
    for opposite in &item.near_opposites {
        let _ = writeln!(text, "  nearly opposite to {opposite}");
    }
    for contradiction in &item.contradictions {
        let _ = writeln!(text, "  contradicts {contradiction}");
    }
    if let (status, Some(ReviewDecision { by, reason, rule, .. })) = status(item) {
        let into = rule.as_ref().map(|rule| format!(" into {}", single_line(&rule.to))).unwrap_or_default();
        let _ = writeln!(text, "  {status}{into} by {}: {}", single_line(by), single_line(reason));
    }
    if let (Some(draft), true) = (&item.draft, drafts) {
        text.extend(draft.lines().map(|line| format!("  | {}\n", line.replace(char::is_control, " "))));
    }
    text
}

const DECIDE: &str = "run `canonry memory accept NAME… --reason WHY`, or `reject`.";

/// The lines of the queue that were skipped, for stderr.
pub fn invalid_lines(outcome: &ReviewQueueOutcome) -> String {
    let line =
        |event: &canonry_memory::review::InvalidEvent| format!("{}:{}: {}\n", outcome.path, event.line, event.reason);
    outcome.invalid.iter().map(line).collect()
}
