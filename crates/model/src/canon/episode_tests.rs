use super::*;

fn bad(line: &[u8]) -> String {
    match Episode::parse(line) {
        Ok(episode) => format!("read: {episode:?}"),
        Err(bad) => bad.to_string(),
    }
}

#[test]
fn parses_a_row() {
    let row = br#"{"timestamp":"2026-05-01T00:00:00Z","id":"ep_1","skill":"s","action":"a\nb","pain_score":7.5,
        "importance":3,"recurrence_count":2,"reflection":"use \"x\"","unknown":[{"a":1}]}"#;
    let want = Episode {
        id: Some("ep_1".into()),
        at: Timestamp::parse("2026-05-01T00:00:00Z").unwrap(),
        pain: 7.5,
        importance: 3.0,
        recurrence: 2.0,
        skill: Some("s".into()),
        action: Some("a\nb".into()),
        reflection: Some("use \"x\"".into()),
        detail: None,
        result: None,
        violated: None,
        context: None,
        source: None,
    };
    assert_eq!(Episode::parse(row), Ok(want));
}

#[test]
fn missing_keys_have_defaults() {
    let episode = Episode::parse(b"{\"timestamp\":\"2026-05-01\",\"id\":7}\r").unwrap();
    let scores = (episode.pain, episode.importance, episode.recurrence);
    assert_eq!((scores, episode.id.as_deref(), episode.lesson()), ((5.0, 5.0, 1.0), None, "unknown"));
}

#[test]
fn last_duplicate_key_counts() {
    let episode = Episode::parse(br#"{"timestamp":"2026-05-01","action":"a","action":"b"}"#).unwrap();
    assert_eq!(episode.lesson(), "b");
}

#[test]
fn keeps_unusual_text() {
    let row = "{\"timestamp\":\"2026-05-01\",\"action\":\"a\\ud83d\",\"reflection\":\"x\u{2028}y\"}";
    let episode = Episode::parse(row.as_bytes()).unwrap();
    assert_eq!((episode.action.as_deref(), episode.lesson()), (Some("a\u{fffd}\u{fffd}\u{fffd}"), "x\u{2028}y"));
    let row = br#"{"timestamp":"2026-05-01","reflection":["a", 1]}"#;
    assert_eq!(Episode::parse(row).unwrap().lesson(), r#"["a", 1]"#);
}

#[test]
fn reports_why_a_row_is_invalid() {
    for (row, want) in [
        (&b"[1, 2, 3]"[..], "expected a JSON object, found a list"),
        (b"\"x\"", "expected a JSON object, found a string"),
        (b"7", "expected a JSON object, found a number"),
        (b"{}", "`timestamp` is missing"),
        (b"{\"timestamp\": null}", "`timestamp` must be a string, not null"),
        (b"{\"timestamp\": \"soon\"}", "`timestamp` is not an RFC 3339 timestamp: `soon`"),
        (b"{\"timestamp\":\"2026-05-01\",\"action\":null}", "`action` must be a string, not null"),
        (b"{\"timestamp\":\"2026-05-01\",\"skill\":[]}", "`skill` must be a string, not a list"),
        (b"{\"timestamp\":\"2026-05-01\",\"pain_score\":\"8\"}", "`pain_score` must be a number, not a string"),
        (b"{\"timestamp\":\"2026-05-01\",\"importance\":true}", "`importance` must be a number, not a boolean"),
        (b"{\"timestamp\":\"2026-0", "not JSON: EOF while parsing a string at byte 20"),
        (b"{} {}", "not JSON: trailing characters at byte 4"),
        (b"<<<<<<< HEAD", "a merge conflict marker"),
        (b"=======", "a merge conflict marker"),
        (b"{\"a\":\"\0\"}", "a NUL byte at byte 7 of the line"),
        (b"\0\0\0", "a NUL byte at byte 1 of the line"),
        (b"{\"a\":\"\xff\"}", "not UTF-8 at byte 7 of the line"),
    ] {
        assert_eq!(bad(row), want, "{}", String::from_utf8_lossy(row));
    }
}
