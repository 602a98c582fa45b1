//! LongMemEval, a published benchmark of long-term memory: questions, each with a history of chat sessions, and the sessions that
//! have the evidence. Each turn becomes an episode, and `recall` must find an evidence session.

use super::MemoryPolicy;
use super::recall::{RecallQuery, RecallSources, recall};
use crate::canon::timestamp::Timestamp;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Hits that are searched for sessions.
const DEPTH: usize = 200;
/// The type under which all questions are counted.
const ALL: &str = "all";

/// A question of the benchmark's JSON array. Unknown keys are ignored.
#[derive(Clone, Debug, Deserialize)]
pub struct Question {
    pub question_id: String,
    pub question_type: String,
    pub question: String,
    /// As in `2023/05/30 (Tue) 23:40`.
    #[serde(default)]
    pub question_date: String,
    pub haystack_session_ids: Vec<String>,
    #[serde(default)]
    pub haystack_dates: Vec<String>,
    pub haystack_sessions: Vec<Vec<Turn>>,
    pub answer_session_ids: Vec<String>,
}

/// A message of a session.
#[derive(Clone, Debug, Deserialize)]
pub struct Turn {
    pub role: String,
    pub content: String,
}

/// How often an evidence session was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct RetrievalScore {
    /// The number of questions.
    pub questions: usize,
    /// The share whose first session is an evidence session.
    pub recall_1: f64,
    /// The share with an evidence session among the first five.
    pub recall_5: f64,
    /// The mean of `1 / rank` of the first evidence session.
    pub mrr: f64,
}

/// Scores the questions by type, and all of them as `all`. Questions without an answer in the history are left out.
pub fn score(questions: &[Question]) -> BTreeMap<String, RetrievalScore> {
    let mut scores: BTreeMap<String, RetrievalScore> = BTreeMap::new();
    for question in questions.iter().filter(|question| !question.question_id.ends_with("_abs")) {
        let rank = rank(question);
        for name in [ALL, &question.question_type] {
            let score = scores.entry(name.to_owned()).or_default();
            score.questions += 1;
            if let Some(rank) = rank {
                score.recall_1 += f64::from(u8::from(rank == 0));
                score.recall_5 += f64::from(u8::from(rank < 5));
                score.mrr += 1.0 / (rank as f64 + 1.0);
            }
        }
    }
    for score in scores.values_mut() {
        let count = score.questions as f64;
        (score.recall_1, score.recall_5, score.mrr) =
            (score.recall_1 / count, score.recall_5 / count, score.mrr / count);
    }
    scores
}

/// The rank of the first evidence session among the sessions of the hits, from 0.
fn rank(question: &Question) -> Option<usize> {
    let policy = MemoryPolicy::default();
    let log: String = (0..question.haystack_sessions.len()).map(|at| session_rows(question, at)).collect();
    let now = timestamp(&question.question_date);
    let unchanged = |text: &str| text.to_owned();
    let query = RecallQuery {
        text: &question.question,
        top: DEPTH,
        budget: usize::MAX,
        now,
        policy: &policy,
        redact: &unchanged,
    };
    let sources = RecallSources { logs: vec![log.as_bytes()], ..RecallSources::default() };
    let mut sessions: Vec<&str> = Vec::new();
    let found = recall(&query, &sources);
    for id in found.hits.iter().filter_map(|hit| hit.id.as_deref()) {
        let position = id.split('.').next().and_then(|at| at.parse::<usize>().ok());
        let session = position.and_then(|at| question.haystack_session_ids.get(at));
        if let Some(session) = session.filter(|session| !sessions.contains(&session.as_str())) {
            sessions.push(session);
        }
    }
    sessions.iter().position(|session| question.answer_session_ids.iter().any(|answer| answer == session))
}

/// A session as rows of a log. The id of a row is the positions of its session and turn.
fn session_rows(question: &Question, at: usize) -> String {
    let date = timestamp(question.haystack_dates.get(at).map(String::as_str).unwrap_or_default());
    let turns = question.haystack_sessions.get(at).map(Vec::as_slice).unwrap_or_default();
    let row = |(nth, turn): (usize, &Turn)| {
        let row = serde_json::json!({
            "timestamp": date.to_string(), "id": format!("{at}.{nth}"), "skill": turn.role, "action": turn.content,
        });
        format!("{row}\n")
    };
    turns.iter().enumerate().map(row).collect()
}

/// A date of the benchmark; the start of 2023 if it cannot be read, so that all dates are equal.
fn timestamp(text: &str) -> Timestamp {
    let words: Vec<&str> = text.split_whitespace().collect();
    let date = words.first().copied().unwrap_or_default().replace('/', "-");
    let time = words.last().copied().filter(|time| time.len() == 5).unwrap_or("00:00");
    let start = || Timestamp::from(jiff::Timestamp::from_second(1_672_531_200).unwrap_or_default());
    Timestamp::parse(&format!("{date}T{time}:00Z")).unwrap_or_else(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"[
      {"question_id":"q1","question_type":"single-session-user","question":"What breed is my dog?","answer":"collie","question_date":"2023/05/30 (Tue) 23:40",
       "haystack_session_ids":["s1","s2"],"haystack_dates":["2023/05/20 (Sat) 02:21","2023/05/21 (Sun) 10:00"],
       "haystack_sessions":[[{"role":"user","content":"Tell me about trains."}],[{"role":"user","content":"My dog is a collie, a breed that herds.","has_answer":true}]],
       "answer_session_ids":["s2"]},
      {"question_id":"q2","question_type":"multi-session","question":"Which opera did I see?","answer":"Tosca","question_date":"2023/05/30 (Tue) 23:40",
       "haystack_session_ids":["s1"],"haystack_dates":["2023/05/20 (Sat) 02:21"],"haystack_sessions":[[{"role":"user","content":"Trains."}]],"answer_session_ids":["s1"]},
      {"question_id":"q3_abs","question_type":"multi-session","question":"x","haystack_session_ids":[],"haystack_sessions":[],"answer_session_ids":[]}
    ]"#;

    #[test]
    fn counts_evidence_sessions() {
        let questions: Vec<Question> = serde_json::from_str(FILE).unwrap();
        let scores = score(&questions);
        assert_eq!(
            scores["single-session-user"],
            RetrievalScore { questions: 1, recall_1: 1.0, recall_5: 1.0, mrr: 1.0 }
        );
        assert_eq!(scores["multi-session"], RetrievalScore { questions: 1, recall_1: 0.0, recall_5: 0.0, mrr: 0.0 });
        assert_eq!(scores[ALL].recall_5, 0.5);
        assert_eq!(timestamp("2023/05/20 (Sat) 02:21").to_string(), "2023-05-20T02:21:00Z");
    }
}
