//! What waits for a person, as the commands that ask about it see it.

use super::look::plain;
use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::cli::dream::{bytes, lessons};
use crate::memory::lessons::placed;
use crate::memory::opposing::opposed;
use crate::memory::review::{Entry, Kind, Queue};
use crate::syntax::Span;

/// The queue, and the lessons that it is held against.
pub struct Waiting {
    /// The queue.
    pub queue: Queue,
    /// Its bytes; `None` where there is none.
    pub review: Option<Vec<u8>>,
    /// The lessons; `None` where there are none.
    pub lessons: Option<String>,
    /// The bytes of the lessons that were retired; `None` where there are none.
    pub archived: Option<Vec<u8>>,
}

/// What a candidate is opposed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// A lesson, with where it stands.
    Lesson(String, Span),
    /// Another candidate, with its words.
    Candidate(String, String),
}

impl Waiting {
    /// Reads them.
    ///
    /// # Errors
    /// A file that is there and cannot be read.
    pub fn read(context: &Workspace) -> Result<Self, Error> {
        let review = bytes(context, &context.layout.review())?;
        let queue = Queue::parse(&String::from_utf8_lossy(review.as_deref().unwrap_or_default()));
        let archived = bytes(context, &context.layout.retired_lessons())?;
        Ok(Self { queue, review, lessons: lessons(context)?, archived })
    }

    /// The candidate of that name.
    ///
    /// # Errors
    /// There is none, or there are several.
    pub fn find(&self, name: &str) -> Result<&Entry, Error> {
        self.queue.find(name).map_err(|e| {
            Error::new(ErrorKind::Unreadable, e.to_string()).help("`canonry memory review --all` tells their names")
        })
    }

    /// The lessons' text.
    pub fn text(&self) -> &str {
        self.lessons.as_deref().unwrap_or_default()
    }

    /// What a lesson that waits, or is to be taken, is opposed to. `except` names the candidate itself.
    pub fn opponents(&self, lesson: &str, except: &str, lessons: &str) -> Vec<Opponent> {
        let standing = placed(lessons);
        let others: Vec<&Entry> = self
            .queue
            .waiting()
            .filter(|entry| entry.staged.kind == Kind::Lesson && entry.staged.candidate != except)
            .collect();
        let texts: Vec<&str> = std::iter::once(lesson)
            .chain(standing.iter().map(|(text, _)| text.as_str()))
            .chain(others.iter().map(|entry| entry.staged.text.as_str()))
            .collect();
        let of = |at: &usize| match standing.get(at - 1) {
            Some((text, span)) => Opponent::Lesson(text.clone(), *span),
            None => {
                let staged = &others[at - 1 - standing.len()].staged;
                Opponent::Candidate(staged.candidate.clone(), staged.text.clone())
            }
        };
        opposed(&texts).first().into_iter().flatten().map(of).collect()
    }
}

impl Opponent {
    /// The same for a person.
    pub fn in_words(&self, context: &Workspace, lessons: &str) -> String {
        plain(&match self {
            Self::Lesson(text, span) => {
                let line = 1 + lessons.bytes().take(span.offset).filter(|b| *b == b'\n').count();
                format!("{}:{line}: {text}", context.layout.lessons())
            }
            Self::Candidate(name, text) => format!("candidate {name}: {text}"),
        })
    }
}
