//! Rows that are well at a glance.

use serde::Deserialize;
use std::borrow::Cow;

/// The keys of the built-in schema with values as it wants them. What is missing has a value that is well.
#[derive(Deserialize)]
struct PlainRow<'a> {
    #[serde(borrow, default = "well")]
    id: Cow<'a, str>,
    #[serde(borrow, rename = "timestamp")]
    _timestamp: Cow<'a, str>,
    #[serde(borrow, default = "well", rename = "skill")]
    _skill: Cow<'a, str>,
    #[serde(borrow, rename = "action")]
    _action: Cow<'a, str>,
    #[serde(borrow, default = "well", rename = "result")]
    _result: Cow<'a, str>,
    #[serde(borrow, default = "well")]
    detail: Cow<'a, str>,
    #[serde(default = "one")]
    pain_score: f64,
    #[serde(default = "one")]
    importance: f64,
    #[serde(default = "once")]
    recurrence_count: u64,
    #[serde(borrow, default = "well", rename = "reflection")]
    _reflection: Cow<'a, str>,
    #[serde(borrow, default = "well")]
    context: Cow<'a, str>,
}

fn well() -> Cow<'static, str> {
    Cow::Borrowed("-")
}

fn one() -> f64 {
    1.0
}

fn once() -> u64 {
    1
}

/// Whether a row keeps to the built-in schema of episodes for sure. Of one that does not, or that is written in an
/// unusual way, the schema itself has to be asked, which takes three times as long.
pub(super) fn is_plain(row: &[u8]) -> bool {
    let Ok(plain) = serde_json::from_slice::<PlainRow<'_>>(row) else { return false };
    let short = |text: &str, most: usize| text.len() <= most || text.chars().count() <= most;
    let score = |score: f64| (1.0..=10.0).contains(&score);
    !plain.id.is_empty()
        && short(&plain.detail, 500)
        && short(&plain.context, 300)
        && score(plain.pain_score)
        && score(plain.importance)
        && plain.recurrence_count >= 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::schema::{SchemaKind, Schemas};
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    const KEYS: [&str; 12] = [
        "id",
        "timestamp",
        "skill",
        "action",
        "result",
        "detail",
        "pain_score",
        "importance",
        "recurrence_count",
        "reflection",
        "context",
        "unknown",
    ];

    fn value() -> impl Strategy<Value = Value> {
        let text = |length: usize| Just(Value::from("é".repeat(length)));
        prop_oneof![
            8 => Just(json!("2026-05-01")),
            4 => prop_oneof![Just(json!(1)), Just(json!(10)), Just(json!(5.5))],
            1 => prop_oneof![text(0), text(300), text(301), text(500), text(501)],
            1 => prop_oneof![Just(json!(0)), Just(json!(-1)), Just(json!(0.99)), Just(json!(10.1)), Just(json!(1.0))],
            1 => prop_oneof![Just(json!(null)), Just(json!([])), Just(json!({})), Just(json!(true))],
        ]
    }

    proptest! {
        #[test]
        fn what_is_plain_is_allowed(row in prop::collection::vec((0..KEYS.len(), value()), 0..12)) {
            let mut whole: Map<String, Value> = [("timestamp", json!("2026-05-01")), ("action", json!("a"))]
                .map(|(key, value)| (key.to_owned(), value)).into_iter().collect();
            whole.extend(row.into_iter().map(|(key, value)| (KEYS[key].to_owned(), value)));
            let row = Value::Object(whole);
            if is_plain(row.to_string().as_bytes()) {
                prop_assert!(Schemas::default().allow(SchemaKind::Episode, &row), "{row}");
            }
        }
    }

    #[test]
    fn usual_rows_are_plain() {
        let row = r#"{"id": "ep_1", "timestamp": "2026-05-01", "skill": "s", "action": "a \"b\"", "result": "success",
            "detail": "d", "pain_score": 2, "importance": 9.5, "recurrence_count": 3, "reflection": "", "context": "c",
            "confidence": 0.7, "source": {"skill": "s"}}"#;
        assert!(is_plain(row.as_bytes()));
        for odd in ["", "[]", r#"{"timestamp": "2026-05-01"}"#, r#"{"timestamp": "x", "action": "a", "action": "a"}"#] {
            assert!(!is_plain(odd.as_bytes()), "{odd}");
        }
    }
}
