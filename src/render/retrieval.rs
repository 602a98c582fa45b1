//! How well `recall` finds what a benchmark asks for.

use super::json;
use crate::app::bench::RetrievalScore;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The document `canonry/retrieval/v1`.
#[derive(Serialize)]
struct RetrievalDocument<'a> {
    schema: &'static str,
    scores: &'a BTreeMap<String, RetrievalScore>,
}

/// The document `canonry/retrieval/v1`.
pub fn to_json(scores: &BTreeMap<String, RetrievalScore>) -> String {
    json::to_text(&RetrievalDocument { schema: "canonry/retrieval/v1", scores })
}

/// A line per type of question.
pub fn to_text(scores: &BTreeMap<String, RetrievalScore>) -> String {
    let mut text = format!("{:28} {:>9} {:>8} {:>8} {:>8}\n", "type", "questions", "R@1", "R@5", "MRR");
    for (name, RetrievalScore { questions, recall_1, recall_5, mrr }) in scores {
        let name: String = name.chars().filter(|c| !c.is_control()).collect();
        let _ = writeln!(text, "{name:28} {questions:>9} {recall_1:>8.3} {recall_5:>8.3} {mrr:>8.3}");
    }
    text
}
