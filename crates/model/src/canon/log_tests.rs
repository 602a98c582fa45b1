use super::*;
use crate::canon::schema::SchemaFile;
use canonry_text::Source;
use std::sync::Arc;

fn parse(bytes: &[u8]) -> LogDocument {
    LogDocument::parse(bytes, &Schemas::default())
}

fn lines(capped: &Capped<InvalidRow>) -> Vec<usize> {
    capped.shown().0.iter().map(|bad| bad.row.line).collect()
}

fn violations(capped: &Capped<RowViolation>) -> Vec<(usize, usize, String)> {
    let of = |b: &RowViolation| (b.at.line, b.at.column, format!("{} {}", b.violation.pointer, b.violation.message));
    capped.shown().0.iter().map(of).collect()
}

const GOOD: &str = r#"{"timestamp": "2026-05-01", "action": "a"}"#;

#[test]
fn rows_end_at_newlines_only() {
    let odd = "{\"timestamp\": \"2026-05-01\", \"action\": \"x\u{2028}y\u{85}z\"}";
    let log = parse(format!("{GOOD}\r\n\n  \r\n{odd}\n[1]\n{GOOD}x").as_bytes());
    assert_eq!((log.rows, lines(&log.unreadable)), (4, vec![5, 6]));
    assert_eq!(log.unreadable.shown().0[0].row.span.length, 3);
}

#[test]
fn violations_have_line_and_column() {
    let log = parse(
        b"\n{\"timestamp\": \"2026-05-01\", \"context\": \"\xc3\xa9\", \"pain_score\": 11, \"recurrence_count\": 0, \"result\": 1}\n",
    );
    assert_eq!(
        violations(&log.scores),
        [
            (2, 59, "/pain_score must be at most 10, but is 11".to_owned()),
            (2, 83, "/recurrence_count must be at least 1, but is 0".to_owned()),
        ]
    );
    assert_eq!(
        violations(&log.shape),
        [
            (2, 2, " the key `action` is missing".to_owned()),
            (2, 96, "/result must be a string, but is a number".to_owned()),
        ]
    );
}

#[test]
fn line_numbers_continue_across_chunks() {
    let long = format!("{}\n", GOOD.replace("\"a\"", &format!("\"{}\"", "x".repeat(1000))));
    let text = long.repeat(3000) + "[]\n" + &long.repeat(10) + "{}\n";
    let log = parse(text.as_bytes());
    assert_eq!((log.rows, lines(&log.unreadable)), (3012, vec![3001, 3012]));
    // The first row is not a copy. All copies are counted, but only a few are kept.
    assert_eq!((log.same_row.count(), log.same_row.shown().0.len()), (3009, 20));
}

#[test]
fn finds_copies_and_repeated_ids() {
    let row = |id: &str, action: &str| {
        format!("{{\"timestamp\": \"2026-05-01\", \"id\": \"{id}\", \"action\": \"{action}\"}}\n")
    };
    let text = [row("x", "a"), row("y", "a"), row("x", "a"), row("x", "b"), row("x", "b"), row("", "c"), row("", "d")];
    let log = parse(text.concat().as_bytes());
    let pairs =
        |capped: &Capped<DuplicateRow>| capped.shown().0.iter().map(|t| (t.first.line, t.row.line)).collect::<Vec<_>>();
    assert_eq!(pairs(&log.same_row), [(1, 3), (4, 5)]);
    assert_eq!(pairs(&log.same_id), [(1, 4)]);
}

#[test]
fn checks_rows_that_serde_json_rejects() {
    let deep = format!(
        "{{\"timestamp\": \"2026-05-01\", \"action\": \"a\", \"id\": 7, \"x\": {}{}}}",
        "[".repeat(5000),
        "]".repeat(5000)
    );
    let text = format!(
        "{}\n{}\n{deep}\n",
        GOOD.replace("\"a\"", "\"\\ud83d\""),
        GOOD.replace("\"a\"", "\"a\", \"pain_score\": 1e999")
    );
    let log = parse(text.as_bytes());
    assert_eq!(log.unreadable.count(), 0);
    assert_eq!(violations(&log.scores)[0].0, 2);
    assert_eq!(violations(&log.shape), [(3, 122, " nested deeper than 64 levels".to_owned())]);
}

#[test]
fn team_schema_applies_in_addition() {
    let text = r#"{"required": ["owner"], "properties": {"pain_score": {"maximum": 10}}}"#;
    let file =
        SchemaFile::parse(Arc::new(Source::new(RepoPath::from("agent/schemas/episode-schema.json"), text.to_owned())));
    let mut schemas = Schemas::default();
    schemas.add_team(SchemaKind::Episode, file.path().clone(), file.schema.unwrap());
    let row = GOOD.replace("\"a\"", "\"a\", \"pain_score\": 12");
    let log = LogDocument::parse(row.as_bytes(), &schemas);
    let counts = (log.team.count(), log.scores.count(), log.shape.count());
    assert_eq!((counts, violations(&log.team)[0].2.as_str()), ((1, 1, 0), " the key `owner` is missing"));
}
