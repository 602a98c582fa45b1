//! What becomes of a candidate that is accepted.

use super::settled::{How, NewLessons, Opposed, ReviewContext, Settled, subject};
use crate::app::{Error, ErrorKind};
use crate::apply::log_transaction::sweep;
use crate::cli::memory::queue::Opponent;
use crate::memory::lessons;
use crate::memory::review::{Entry, Event, Staged, Standing, Word};
use crate::memory::{Ruleset, retire, skillforge};
use crate::mirror::MirrorRoot;
use crate::syntax::Span;
use crate::view::{self, IgnoreMode};

fn refused(message: impl Into<String>, help: impl Into<String>) -> Error {
    Error::new(ErrorKind::Refused, message).help(help)
}

impl ReviewContext<'_> {
    /// A lesson, unless it is opposed to another.
    ///
    /// # Errors
    /// It is, and that stays.
    pub fn accept_lesson(&self, entry: &Entry, how: &How<'_>) -> Result<Settled, Error> {
        let staged = &entry.staged;
        let words = how.words.map(str::trim).filter(|words| !words.is_empty());
        let text = words.unwrap_or(&staged.text);
        let existing = self.waiting.text();
        let candidates = [staged.candidate(text)];
        let fresh = lessons::fresh(existing, &candidates, Ruleset::Current);
        if let (Standing::Accepted(word), true) = (&entry.standing, fresh.is_empty()) {
            return Ok(Settled::already("accepted", word));
        }
        let opponents = self.waiting.opponents(text, &staged.candidate, existing);
        if !opponents.is_empty() && how.opposed == Opposed::Stay {
            return Err(self.opposed(staged, &opponents, existing));
        }
        let mut events = vec![Event::Accepted(self.word(staged, words.map(str::to_owned)))];
        let mut struck: Vec<Span> = Vec::new();
        for opponent in opponents {
            match opponent {
                Opponent::Lesson(_, span) => struck.push(span),
                Opponent::Candidate(name, _) => {
                    let reason = format!("superseded by {}: {}", staged.candidate, self.reason);
                    events.push(Event::Rejected(Word { candidate: name, reason, ..self.word(staged, None) }));
                }
            }
        }
        let date = self.now.date();
        let lessons = match struck.is_empty() {
            true => NewLessons::Longer(lessons::append(existing, &candidates, fresh, &date)),
            false => {
                let without = lessons::superseded(existing, &struck, &date);
                let added = lessons::append(&without, &candidates, fresh, &date);
                NewLessons::Other(without + &added.text)
            }
        };
        let message = subject("lesson accepted", text);
        Ok(Settled { events, lessons: Some(lessons), message, ..Settled::default() })
    }

    fn opposed(&self, staged: &Staged, opponents: &[Opponent], lessons: &str) -> Error {
        let all: Vec<String> = opponents.iter().map(|opponent| opponent.in_words(self.context, lessons)).collect();
        let name = &staged.candidate;
        refused(
            format!("`{name}` is opposed to {}", all.join("\n  and to ")),
            format!(
                "`canonry memory reject {name}` keeps what there is, `accept {name} --supersede` puts it in its place, `--as` says \
                 when each of them holds"
            ),
        )
    }

    /// The draft of a skill.
    ///
    /// # Errors
    /// There is something of its name.
    pub fn accept_skill(&self, entry: &Entry, words: Option<&str>) -> Result<Settled, Error> {
        let mut staged = entry.staged.clone();
        if let Standing::Accepted(word) = &entry.standing {
            return Ok(Settled::already("accepted", word));
        }
        // Whoever wrote the line: it names a folder of skills/, and nothing else.
        let name = skillforge::name(words.unwrap_or(skillforge::skill_of(&entry.staged)));
        staged.candidate = format!("{}{name}", skillforge::PREFIX);
        let skills = self.context.layout.skills();
        if self.context.view.root(&skills) != MirrorRoot::Folder {
            return Err(refused(format!("{skills} is a link, or no folder"), "put a folder in its place"));
        }
        let path = skills.join(name.as_str());
        // A run that was killed may have left the folder, and its draft under a temporary name.
        let is_taken = match self.context.view.kind(&path) {
            view::PathKind::Nothing => false,
            view::PathKind::File => true,
            view::PathKind::Folder => {
                sweep(self.session, &self.context.view, std::slice::from_ref(&path));
                !self.context.view.list(&path, IgnoreMode::Include)?.files.is_empty()
            }
        };
        if is_taken {
            return Err(refused(format!("{path} is there already"), "choose another name with `--as NAME`"));
        }
        let document = path.join("SKILL.md");
        let events = vec![Event::Accepted(self.word(&entry.staged, words.map(str::to_owned)))];
        let draft = skillforge::draft(&staged);
        let message = format!("skill accepted: {name}");
        Ok(Settled { events, skill: Some((document, draft)), message, ..Settled::default() })
    }

    /// The lesson moves to the archive, where nobody has taken it out already.
    ///
    /// # Errors
    /// The lessons cannot be read.
    pub fn retire(&self, entry: &Entry) -> Result<Settled, Error> {
        if let Standing::Accepted(word) = &entry.standing {
            return Ok(Settled::already("accepted", word));
        }
        let existing = self.waiting.text();
        let name = entry.staged.candidate.strip_prefix(retire::PREFIX).unwrap_or_default();
        let lesson = lessons::dated(existing).into_iter().find(|lesson| lesson.pattern == name);
        let events = vec![Event::Accepted(self.word(&entry.staged, None))];
        let message = subject("lesson retired", &entry.staged.text);
        let mut settled = Settled { events, message, ..Settled::default() };
        if let Some(lesson) = lesson {
            let line = existing[lesson.span.range()].trim_end();
            settled.retired = Some(format!("{line}\n"));
            settled.lessons = Some(NewLessons::Other(lessons::without(existing, lesson.span)));
        }
        Ok(settled)
    }
}
