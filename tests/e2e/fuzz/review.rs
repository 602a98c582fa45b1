//! What waits for a person: its lines, and lessons that are struck out or taken out.

use super::{fuzz, inside, judged, seeds, text};
use canonry::memory::lessons::{dated, placed, superseded, without};
use canonry::memory::opposing::opposed;
use canonry::memory::review::{Event, Queue};
use canonry::memory::skillforge;
use canonry::syntax::Span;

const LINE: &str = r#"{"event":"staged","candidate":"skill:rotate-key","kind":"skill","date":"2026-05-01","text":"Rotate the key","steps":["issue the new one first"],"episodes":["a1"],"of":3}
{"event":"rejected","candidate":"skill:rotate-key","timestamp":"2026-05-02T08:00:00Z","by":"Ann <ann@example.com>","reason":"no"}
"#;

#[test]
fn queues() {
    fuzz(&[LINE.as_bytes().to_vec()], 16, |bytes| {
        let queue = Queue::parse(&String::from_utf8_lossy(bytes));
        for entry in &queue.entries {
            let line = Event::Staged(entry.staged.clone()).line().unwrap();
            assert_eq!(Queue::parse(&line).entries[0].staged, entry.staged);
            judged("agent/skills/rotate-key/SKILL.md", skillforge::draft(&entry.staged).as_bytes());
        }
    });
}

#[test]
fn lessons_that_leave() {
    fuzz(&seeds(&["LESSONS.md"]), 17, |bytes| {
        text(bytes, |text| {
            let lessons = placed(text);
            let spans: Vec<Span> = lessons.iter().map(|(_, span)| *span).collect();
            spans.iter().for_each(|span| inside(*span, text));
            assert!(placed(&superseded(text, &spans, "2026-05-01")).is_empty(), "what is struck out holds no more");
            for lesson in dated(text) {
                assert_eq!(placed(&without(text, lesson.span)).len() + 1, lessons.len(), "one is taken out");
            }
            let texts: Vec<&str> = lessons.iter().map(|(text, _)| text.as_str()).collect();
            let opposed = opposed(&texts);
            assert!(
                opposed.iter().enumerate().all(|(at, others)| others.iter().all(|other| opposed[*other].contains(&at)))
            );
        });
    });
}
