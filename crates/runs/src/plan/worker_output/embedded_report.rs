//! Finds a report in the final message of a worker, as a fenced block or as plain JSON.

use canonry_text::printable::tail;
use serde_json::Value as Json;

/// The end of a message that is searched.
const SEARCHED: usize = 256 << 10;
/// The most places that are tried.
const ATTEMPTS: usize = 2_000;

/// The last JSON object of a message that is a report.
pub(super) fn find(message: &str) -> Option<String> {
    let text = tail(message, SEARCHED);
    // An object starts with a key, which excludes most braces in code.
    let is_object = |at: &usize| text[at + 1..].trim_start().starts_with('"');
    let starts = text.match_indices('{').map(|(at, _)| at).filter(is_object);
    let mut starts: Vec<usize> = starts.collect();
    starts.drain(..starts.len().saturating_sub(ATTEMPTS));
    let mut found = None;
    let mut done = 0;
    for at in starts {
        // An object inside a report is not a report of its own.
        if at < done {
            continue;
        }
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter::<Json>();
        if let Some(Ok(value)) = values.next()
            && is_report(&value)
        {
            done = at + values.byte_offset();
            found = Some(value.to_string());
        }
    }
    found
}

/// Whether a value has the keys that only a report has.
pub(super) fn is_report(value: &Json) -> bool {
    let is_outcome = |outcome: &str| matches!(outcome, "success" | "failure" | "blocked");
    let has_step = value.get("step_id").is_some_and(|step| step.is_string() || step.is_number());
    has_step && value.get("outcome").and_then(Json::as_str).is_some_and(is_outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_last_report() {
        let report =
            |step: &str| format!("{{\"step_id\":\"{step}\",\"outcome\":\"success\",\"artifacts\":[{{\"a\":1}}]}}");
        let api = report("api");
        let web = report("web");
        for (message, want) in [
            (format!("Done.\n```json\n{api}\n```\nBye."), Some(&api)),
            (format!("First {api}, then {web}."), Some(&web)),
            (format!("fn main() {{ \"x\" }} {api} {{\"a\": {{"), Some(&api)),
            (format!("{{\"reports\": [{api}]}}"), Some(&api)),
            (format!("{{\"broken\": {api}"), Some(&api)),
            ("{\"step_id\": \"api\", \"outcome\": \"maybe\"}".to_owned(), None),
            ("{\"step_id\": \"api\", \"outcome\": \"success\"".to_owned(), None),
            ("no JSON, äöü {} {".to_owned(), None),
        ] {
            assert_eq!(find(&message).as_ref(), want, "{message}");
        }
    }

    #[test]
    fn hostile_messages_are_searched_in_bounded_time() {
        let started = std::time::Instant::now();
        assert_eq!(find(&"{\"a\":".repeat(100_000)), None);
        assert_eq!(find(&"{\"".repeat(500_000)), None);
        assert!(started.elapsed().as_secs() < 5);
    }
}
