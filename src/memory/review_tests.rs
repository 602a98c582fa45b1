use super::*;
use proptest::prelude::*;

fn staged(name: &str, text: &str) -> Event {
    let candidate = Candidate { text: text.into(), ids: vec!["e1".into()], of: 2, pattern: Some(name.into()) };
    Event::Staged(Staged::lesson(&candidate, "2026-05-01"))
}

fn word(name: &str, reason: &str) -> Word {
    let (timestamp, by) = ("2026-05-02T08:00:00Z".into(), "Ann <ann@example.com>".into());
    Word { candidate: name.into(), timestamp, by, reason: reason.into(), text: None }
}

fn text(events: &[Event]) -> String {
    events.iter().map(|event| event.line().unwrap()).collect()
}

#[test]
fn the_first_find_and_the_last_word_count() {
    let (accepted, rejected) = (Event::Accepted(word("aaaa1", "yes")), Event::Rejected(word("aaaa1", "no")));
    let lines = text(&[staged("aaaa1", "x"), rejected, staged("aaaa1", "y"), staged("bbbb1", "z"), accepted.clone()]);
    let queue = Queue::parse(&lines);
    assert_eq!(queue.entries.len(), 2);
    assert_eq!(queue.entries[0].staged.text, "x");
    assert_eq!(queue.entries[0].standing, Standing::Accepted(word("aaaa1", "yes")));
    assert_eq!(queue.waiting().map(|entry| entry.staged.text.as_str()).collect::<Vec<_>>(), ["z"]);
    // A word that stands before what it is about, as a merge may leave it.
    let queue = Queue::parse(&text(&[accepted, staged("aaaa1", "x")]));
    assert_eq!(queue.waiting().count(), 0);
}

#[test]
fn a_line_that_cannot_be_read_is_passed_over_and_told() {
    let lines = format!("<<<<<<< ours\n\n{}{{\"event\":\"staged\"}}\n", text(&[staged("aaaa1", "x")]));
    let queue = Queue::parse(&lines);
    assert_eq!(queue.entries.len(), 1);
    let told: Vec<(usize, &str)> = queue.bad.iter().map(|bad| (bad.line.get(), bad.reason.as_str())).collect();
    assert_eq!(told, [(1, "expected value"), (4, "missing field `candidate`")]);
}

#[test]
fn a_candidate_is_meant_by_its_first_characters() {
    let queue = Queue::parse(&text(&[staged("abcd1", "x"), staged("abcd2", "y"), staged("wxyz", "z")]));
    assert_eq!(queue.find("wxyz").unwrap().staged.text, "z");
    assert_eq!(queue.find("abcd2").unwrap().staged.text, "y");
    for (name, says) in [("abcd", "`abcd` may be any of abcd1, abcd2"), ("wxy", "no candidate `wxy`"), ("q", "`q`")] {
        assert!(queue.find(name).unwrap_err().to_string().contains(says), "{name}");
    }
}

#[test]
fn what_was_said_no_to_is_known_in_other_cases() {
    let queue = Queue::parse(&text(&[staged("aaaa1", "Use tabs."), Event::Rejected(word("aaaa1", "no"))]));
    assert!(queue.knows(Kind::Lesson, "aaaa1", "other") && queue.knows(Kind::Lesson, "other", "use  tabs"));
    assert!(!queue.knows(Kind::Lesson, "other", "use spaces") && !queue.knows(Kind::Skill, "aaaa1", "use tabs"));
}

proptest! {
    /// Whatever a lesson says, it is one line, and read back as it was.
    #[test]
    fn every_event_is_a_line(text in ".*", reason in "(?s).*") {
        let events = [staged("aaaa1", &text), Event::Rejected(word("aaaa1", &reason))];
        for event in events {
            let line = event.line().unwrap();
            prop_assert_eq!(line.matches('\n').count(), 1);
            prop_assert_eq!(serde_json::from_str::<Event>(&line).unwrap(), event);
        }
    }

    /// Lines of two branches, one behind the other or line by line, come to the same candidates.
    #[test]
    fn a_union_of_lines_is_a_merge(names in prop::collection::vec("[ab]{4}", 0..6), at in 0..6usize) {
        let lines: Vec<String> = names.iter().map(|name| staged(name, name).line().unwrap()).collect();
        let at = at.min(lines.len());
        let doubled = format!("{}{}", lines.concat(), lines[..at].concat());
        prop_assert_eq!(Queue::parse(&doubled), Queue::parse(&lines.concat()));
    }
}
