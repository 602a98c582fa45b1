//! A fast check for rows that are certainly valid.

use serde::Deserialize;
use std::borrow::Cow;

/// The keys of the built-in episode schema with their expected types. Defaults are valid values.
#[derive(Deserialize)]
struct ValidRow<'a> {
    #[serde(borrow, default = "placeholder")]
    id: Cow<'a, str>,
    #[serde(borrow, rename = "timestamp")]
    _timestamp: Cow<'a, str>,
    #[serde(borrow, default = "placeholder", rename = "skill")]
    _skill: Cow<'a, str>,
    #[serde(borrow, rename = "action")]
    _action: Cow<'a, str>,
    #[serde(borrow, default = "placeholder", rename = "result")]
    _result: Cow<'a, str>,
    #[serde(borrow, default = "placeholder")]
    detail: Cow<'a, str>,
    #[serde(default = "one")]
    pain_score: f64,
    #[serde(default = "one")]
    importance: f64,
    #[serde(default = "once")]
    recurrence_count: u64,
    #[serde(borrow, default = "placeholder", rename = "reflection")]
    _reflection: Cow<'a, str>,
    #[serde(borrow, default = "placeholder")]
    context: Cow<'a, str>,
}

fn placeholder() -> Cow<'static, str> {
    Cow::Borrowed("-")
}

fn one() -> f64 {
    1.0
}

fn once() -> u64 {
    1
}

/// Whether a row is certainly valid against the built-in episode schema. `false` means that the schema must decide,
/// which takes three times as long.
pub(super) fn is_clearly_valid(bytes: &[u8]) -> bool {
    let Ok(row) = serde_json::from_slice::<ValidRow<'_>>(bytes) else { return false };
    let fits = |text: &str, limit: usize| text.len() <= limit || text.chars().count() <= limit;
    let score = |score: f64| (1.0..=10.0).contains(&score);
    !row.id.is_empty()
        && fits(&row.detail, 500)
        && fits(&row.context, 300)
        && score(row.pain_score)
        && score(row.importance)
        && row.recurrence_count >= 1
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
        fn what_is_clearly_valid_is_allowed(row in prop::collection::vec((0..KEYS.len(), value()), 0..12)) {
            let mut whole: Map<String, Value> = [("timestamp", json!("2026-05-01")), ("action", json!("a"))]
                .map(|(key, value)| (key.to_owned(), value)).into_iter().collect();
            whole.extend(row.into_iter().map(|(key, value)| (KEYS[key].to_owned(), value)));
            let row = Value::Object(whole);
            if is_clearly_valid(row.to_string().as_bytes()) {
                prop_assert!(Schemas::default().allow(SchemaKind::Episode, &row), "{row}");
            }
        }
    }

    #[test]
    fn ordinary_rows_are_clearly_valid() {
        let row = r#"{"id": "ep_1", "timestamp": "2026-05-01", "skill": "s", "action": "a \"b\"", "result": "success",
            "detail": "d", "pain_score": 2, "importance": 9.5, "recurrence_count": 3, "reflection": "", "context": "c",
            "confidence": 0.7, "source": {"skill": "s"}}"#;
        assert!(is_clearly_valid(row.as_bytes()));
        for odd in ["", "[]", r#"{"timestamp": "2026-05-01"}"#, r#"{"timestamp": "x", "action": "a", "action": "a"}"#] {
            assert!(!is_clearly_valid(odd.as_bytes()), "{odd}");
        }
    }
}
