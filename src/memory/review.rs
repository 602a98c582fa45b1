//! What waits for a person's word, and what was said: one JSON object a line, to which lines are added and from which none
//! is taken, so that two branches of it merge as the lines of both.

use super::lessons::{Candidate, folded, single_line};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;

/// Episodes that a candidate names; the others are counted.
const NAMED: usize = 5;
/// Characters that name a candidate at least.
const SHORTEST: usize = 4;

/// What a candidate would become.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A lesson.
    Lesson,
    /// A skill.
    Skill,
    /// A lesson that is to leave.
    Retire,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Event {
    /// It waits from now on.
    Staged(Staged),
    /// It was taken.
    Accepted(Word),
    /// It was not.
    Rejected(Word),
}

/// A candidate as it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Staged {
    /// What it is called: a lesson by its pattern, one that is to leave by `retire:` and its
    /// pattern, a skill by `skill:` and the name that it would have.
    pub candidate: String,
    /// What it would become.
    pub kind: Kind,
    /// The day on which it was found.
    pub date: String,
    /// The lesson's words; what the skill would do.
    pub text: String,
    /// How that is done, as its episodes say it; of a skill.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// Ids of its first episodes.
    pub episodes: Vec<String>,
    /// How many episodes there were in all.
    pub of: usize,
}

/// What a person said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// Of what.
    pub candidate: String,
    /// When, RFC 3339.
    pub timestamp: String,
    /// Who: a name and an address, as git has them.
    pub by: String,
    /// Why.
    pub reason: String,
    /// The words that were taken, where they are others than those that were found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// How a candidate stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It waits.
    Waiting,
    /// It was taken.
    Accepted(Word),
    /// It was not.
    Rejected(Word),
}

/// A candidate, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// As it was found first.
    pub staged: Staged,
    /// By the last word on it.
    pub standing: Standing,
}

/// A line that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// From 1.
    pub line: NonZeroUsize,
    /// What is wrong.
    pub reason: String,
}

/// All candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    /// In the order in which they were found.
    pub entries: Vec<Entry>,
    /// Lines that were passed over.
    pub bad: Vec<BadLine>,
}

/// Why nothing is meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotFound {
    /// Nothing is called so.
    #[error("there is no candidate `{0}`")]
    Missing(String),
    /// Several are.
    #[error("`{name}` may be any of {}", candidates.join(", "))]
    Several {
        /// What was given.
        name: String,
        /// What is called so.
        candidates: Vec<String>,
    },
}

impl Queue {
    /// Reads the lines. Of two that find the same candidate the first counts, of words on it the last.
    pub fn parse(text: &str) -> Self {
        let mut queue = Self::default();
        let mut words: BTreeMap<String, Standing> = BTreeMap::new();
        let mut met: BTreeSet<String> = BTreeSet::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            match serde_json::from_str(line) {
                Ok(Event::Staged(staged)) => {
                    if met.insert(staged.candidate.clone()) {
                        queue.entries.push(Entry { staged, standing: Standing::Waiting });
                    }
                }
                Ok(Event::Accepted(word)) => drop(words.insert(word.candidate.clone(), Standing::Accepted(word))),
                Ok(Event::Rejected(word)) => drop(words.insert(word.candidate.clone(), Standing::Rejected(word))),
                Err(error) => {
                    let line = NonZeroUsize::MIN.saturating_add(number);
                    queue.bad.push(BadLine { line, reason: without_place(&error.to_string()) });
                }
            }
        }
        for entry in &mut queue.entries {
            if let Some(standing) = words.remove(&entry.staged.candidate) {
                entry.standing = standing;
            }
        }
        queue
    }

    /// Those that wait.
    pub fn waiting(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.standing == Standing::Waiting)
    }

    /// The candidate that a name, or the first characters of one, means.
    ///
    /// # Errors
    /// None, or several.
    pub fn find(&self, name: &str) -> Result<&Entry, NotFound> {
        let called = |entry: &&Entry| entry.staged.candidate == name;
        let begins = |entry: &&Entry| name.len() >= SHORTEST && entry.staged.candidate.starts_with(name);
        if let Some(entry) = self.entries.iter().find(called) {
            return Ok(entry);
        }
        let found: Vec<&Entry> = self.entries.iter().filter(begins).collect();
        match found[..] {
            [entry] => Ok(entry),
            [] => Err(NotFound::Missing(name.to_owned())),
            _ => {
                let candidates = found.iter().map(|entry| entry.staged.candidate.clone()).collect();
                Err(NotFound::Several { name: name.to_owned(), candidates })
            }
        }
    }

    /// Whether something is in it, whatever was said of it: by its name, or by its words.
    pub fn knows(&self, kind: Kind, name: &str, text: &str) -> bool {
        let text = folded(text);
        let same = |entry: &Entry| entry.staged.candidate == name || folded(&entry.staged.text) == text;
        self.entries.iter().filter(|entry| entry.staged.kind == kind).any(same)
    }
}

impl Staged {
    /// A lesson that waits.
    pub fn lesson(candidate: &Candidate, date: &str) -> Self {
        let name = candidate.pattern.clone().unwrap_or_default();
        Self {
            candidate: name,
            kind: Kind::Lesson,
            date: date.to_owned(),
            text: single_line(&candidate.text),
            steps: Vec::new(),
            episodes: candidate.ids.iter().take(NAMED).cloned().collect(),
            of: candidate.of,
        }
    }

    /// The lesson that it becomes, in these words.
    pub fn candidate(&self, text: &str) -> Candidate {
        let pattern = Some(self.candidate.clone());
        Candidate { text: text.to_owned(), ids: self.episodes.clone(), of: self.of, pattern }
    }
}

impl Event {
    /// Its line, with the end of it.
    ///
    /// # Errors
    /// None of its values is one that JSON does not have; the library's error is passed on.
    pub fn line(&self) -> serde_json::Result<String> {
        serde_json::to_string(self).map(|line| line + "\n")
    }
}

/// The parser says `at line 1 column 7`; the line is told by whoever tells the error.
fn without_place(message: &str) -> String {
    message.split(" at line ").next().unwrap_or(message).to_owned()
}

#[cfg(test)]
mod tests {
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
        let lines =
            text(&[staged("aaaa1", "x"), rejected, staged("aaaa1", "y"), staged("bbbb1", "z"), accepted.clone()]);
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
        for (name, says) in [("abcd", "`abcd` may be any of abcd1, abcd2"), ("wxy", "no candidate `wxy`"), ("q", "`q`")]
        {
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
}
