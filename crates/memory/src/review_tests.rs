use super::*;
use proptest::prelude::*;

fn staged(name: &str, text: &str) -> ReviewEvent {
    let candidate = LessonCandidate {
        text: text.into(),
        episodes: vec!["e1".into()],
        total: 2,
        pattern: Some(name.into()),
        salience: None,
    };
    ReviewEvent::Staged(StagedCandidate::from_lesson(&candidate, "2026-05-01"))
}

fn decision(name: &str, reason: &str) -> ReviewDecision {
    let timestamp = "2026-05-02T08:00:00Z".into();
    let by = "Ann <ann@example.com>".into();
    ReviewDecision { candidate: name.into(), timestamp, by, reason: reason.into(), text: None, rule: None }
}

fn text(events: &[ReviewEvent]) -> String {
    events.iter().map(|event| event.to_line()).collect()
}

#[test]
fn the_first_staging_and_the_last_decision_count() {
    let accepted = ReviewEvent::Accepted(decision("aaaa1", "yes"));
    let rejected = ReviewEvent::Rejected(decision("aaaa1", "no"));
    let lines = text(&[staged("aaaa1", "x"), rejected, staged("aaaa1", "y"), staged("bbbb1", "z"), accepted.clone()]);
    let queue = ReviewQueue::parse(&lines);
    assert_eq!(queue.entries.len(), 2);
    assert_eq!(queue.entries[0].staged.text, "x");
    assert_eq!(queue.entries[0].status, ReviewStatus::Accepted(decision("aaaa1", "yes")));
    assert_eq!(queue.pending().map(|entry| entry.staged.text.as_str()).collect::<Vec<_>>(), ["z"]);
    // A merge can put a decision before its candidate.
    let queue = ReviewQueue::parse(&text(&[accepted, staged("aaaa1", "x")]));
    assert_eq!(queue.pending().count(), 0);
}

#[test]
fn invalid_lines_are_skipped_and_reported() {
    let lines = format!("<<<<<<< ours\n\n{}{{\"event\":\"staged\"}}\n", text(&[staged("aaaa1", "x")]));
    let queue = ReviewQueue::parse(&lines);
    assert_eq!(queue.entries.len(), 1);
    let shown: Vec<(usize, &str)> =
        queue.invalid.iter().map(|event| (event.line.get(), event.reason.as_str())).collect();
    assert_eq!(shown, [(1, "expected value"), (4, "missing field `candidate`")]);
}

#[test]
fn find_accepts_an_unambiguous_prefix() {
    let queue = ReviewQueue::parse(&text(&[staged("abcd1", "x"), staged("abcd2", "y"), staged("wxyz", "z")]));
    assert_eq!(queue.find("wxyz").unwrap().staged.text, "z");
    assert_eq!(queue.find("abcd2").unwrap().staged.text, "y");
    for (name, says) in
        [("abcd", "`abcd` is ambiguous: it could be abcd1, abcd2"), ("wxy", "no candidate `wxy`"), ("q", "`q`")]
    {
        assert!(queue.find(name).unwrap_err().to_string().contains(says), "{name}");
    }
}

#[test]
fn contains_compares_normalized_texts() {
    let queue =
        ReviewQueue::parse(&text(&[staged("aaaa1", "Use tabs."), ReviewEvent::Rejected(decision("aaaa1", "no"))]));
    assert!(
        queue.contains(CandidateKind::Lesson, "aaaa1", "other")
            && queue.contains(CandidateKind::Lesson, "other", "use  tabs")
    );
    assert!(
        !queue.contains(CandidateKind::Lesson, "other", "use spaces")
            && !queue.contains(CandidateKind::Skill, "aaaa1", "use tabs")
    );
}

proptest! {
    /// Events round-trip through one line, whatever their text.
    #[test]
    fn events_round_trip_through_one_line(text in ".*", reason in "(?s).*") {
        let events = [staged("aaaa1", &text), ReviewEvent::Rejected(decision("aaaa1", &reason))];
        for event in events {
            let line = event.to_line();
            prop_assert_eq!(line.matches('\n').count(), 1);
            prop_assert_eq!(serde_json::from_str::<ReviewEvent>(&line).unwrap(), event);
        }
    }

    /// Repeated lines, as from two branches, give the same candidates.
    #[test]
    fn the_union_of_lines_is_a_merge(names in prop::collection::vec("[ab]{4}", 0..6), at in 0..6usize) {
        let lines: Vec<String> = names.iter().map(|name| staged(name, name).to_line()).collect();
        let at = at.min(lines.len());
        let doubled = format!("{}{}", lines.concat(), lines[..at].concat());
        prop_assert_eq!(ReviewQueue::parse(&doubled), ReviewQueue::parse(&lines.concat()));
    }
}
