//! The review queue, and the removal of lessons.

use super::{check, fuzz, inside, seeds, text};
use canonry_memory::lessons::{self, remove_lesson, strike_out};
use canonry_memory::opposites::find_contradictions;
use canonry_memory::review::{ReviewEvent, ReviewQueue};
use canonry_memory::skill_candidates::draft_skill;
use canonry_text::Span;

const LINE: &str = r#"{"event":"staged","candidate":"skill:rotate-key","kind":"skill","date":"2026-05-01","text":"Rotate the key","steps":["issue the new one first"],"episodes":["a1"],"of":3}
{"event":"rejected","candidate":"skill:rotate-key","timestamp":"2026-05-02T08:00:00Z","by":"Ann <ann@example.com>","reason":"no"}
"#;

#[test]
fn queues() {
    fuzz(&[LINE.as_bytes().to_vec()], 16, |bytes| {
        let queue = ReviewQueue::parse(&String::from_utf8_lossy(bytes));
        for entry in &queue.entries {
            let line = ReviewEvent::Staged(entry.staged.clone()).to_line();
            assert_eq!(ReviewQueue::parse(&line).entries[0].staged, entry.staged);
            check("agent/skills/rotate-key/SKILL.md", draft_skill(&entry.staged).as_bytes());
        }
    });
}

#[test]
fn removed_lessons() {
    fuzz(&seeds(&["LESSONS.md"]), 17, |bytes| {
        text(bytes, |text| {
            let lessons = lessons::lessons(text);
            let spans: Vec<Span> = lessons.iter().map(|lesson| lesson.span).collect();
            spans.iter().for_each(|span| inside(*span, text));
            assert!(
                lessons::lessons(&strike_out(text, &spans, "2026-05-01")).is_empty(),
                "a struck-out lesson does not count"
            );
            for lesson in lessons.iter().filter(|lesson| lesson.is_dated()) {
                assert_eq!(
                    lessons::lessons(&remove_lesson(text, lesson.span)).len() + 1,
                    lessons.len(),
                    "one lesson is removed"
                );
            }
            let texts: Vec<&str> = lessons.iter().map(|lesson| lesson.text.as_str()).collect();
            let opposed = find_contradictions(&texts);
            assert!(
                opposed.iter().enumerate().all(|(at, others)| others.iter().all(|other| opposed[*other].contains(&at)))
            );
        });
    });
}
