//! Moving rows between files, so that each is in exactly one of them whenever a run has ended, however it ended.
//!
//! Every new content is made beside its file and flushed; then the journal is written; then the files are put in place
//! by renames, the log last. A run that finds the journal of another goes on where that one ended: a temporary file that
//! is gone is in place.

mod cut;
mod draft;
mod error;
mod finish;
mod holders;
mod journal;
mod kept;
mod moves;
mod prepare;
mod prepare_back;
mod rebase;
mod rebuild;
mod swap;
mod undo;

use super::temporary::remove_temporaries;
use super::{ApplyError, Session};
use crate::memory::Extent;
use crate::syntax::RepoPath;
use crate::view::View;
use crate::view::log::Mark;
pub use error::BackError;
pub use journal::Note;
use journal::{Aim, Journal};
use std::path::PathBuf;
pub use swap::Drain;
pub use undo::{Record, Returned};

/// What is to change.
#[derive(Debug)]
pub struct Changes<'a> {
    /// The log that rows leave.
    pub log: Option<Split<'a>>,
    /// Other files.
    pub files: Vec<FileChange<'a>>,
    /// What is to be committed afterwards.
    pub commit: Option<Note>,
}

/// A log whose lines go to several files.
#[derive(Debug)]
pub struct Split<'a> {
    /// The log.
    pub path: RepoPath,
    /// As it was when it was decided what leaves.
    pub mark: Mark,
    /// The files that lines go to, each with what a new one begins with.
    pub to: Vec<(RepoPath, &'static str)>,
    /// The lines that leave, in their order. All else stays, byte for byte.
    pub leaving: Vec<Leave<'a>>,
}

/// A line that leaves.
#[derive(Debug)]
pub struct Leave<'a> {
    /// Where it stands.
    pub extent: Extent,
    /// The position of the file that it goes to.
    pub to: usize,
    /// What stands before it there; empty for nothing.
    pub heading: std::borrow::Cow<'a, str>,
}

/// A file that changes.
#[derive(Debug)]
pub enum FileChange<'a> {
    /// Gets `text` behind `before`, or behind whatever stands there by then.
    Append {
        /// The file.
        path: RepoPath,
        /// What it held; `None` where there was none.
        before: Option<&'a [u8]>,
        /// What it gets.
        text: String,
    },
    /// Holds `now` instead of `before`, unless something else stands there by then.
    Replace {
        /// The file.
        path: RepoPath,
        /// What it held; `None` where there was none.
        before: Option<&'a [u8]>,
        /// What it will hold.
        now: &'a [u8],
    },
}

/// A transfer that will happen: all is written, and the journal says so.
pub struct LogTransaction<'s> {
    session: &'s Session,
    view: &'s View,
    journal: Journal,
    age: Age,
}

/// Whether anything may have happened to the files since they were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Age {
    /// Prepared by this run.
    Fresh,
    /// Left by another.
    Found,
}

/// Why nothing was prepared.
#[derive(Debug, thiserror::Error)]
pub enum PrepareError {
    /// The log is another than the one that was decided on; decide again.
    #[error("the log changed while it was read")]
    Changed,
    /// The file system refused.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

/// How a transfer ended.
#[derive(Debug, Default)]
pub struct Finished {
    /// Files that someone has changed in the meantime, and that were left as they are.
    pub overtaken: Vec<RepoPath>,
    /// Whether the log had become another one than was decided on, so that nothing more was done.
    pub abandoned: bool,
    /// The old log, to which a writer that knows nothing of locks may still write.
    pub drain: Option<Drain>,
}

impl<'s> LogTransaction<'s> {
    /// One that another run has left.
    ///
    /// # Errors
    /// A journal that cannot be read.
    pub fn unfinished(session: &'s Session, view: &'s View) -> Result<Option<Self>, ApplyError> {
        let folder = session.folder();
        let journal = Journal::load(folder).map_err(ApplyError::io(
            folder.join("transfer.json").display(),
            "an unfinished run's notes cannot be read",
        ))?;
        Ok(journal.map(|journal| Self { session, view, journal, age: Age::Found }))
    }

    /// The commit that is due.
    pub fn note(&self) -> Option<&Note> {
        self.journal.commit.as_ref()
    }

    /// Whether it takes a dream back.
    pub fn is_back(&self) -> bool {
        self.journal.aim == Aim::Back
    }

    /// Notes the commit that was made.
    ///
    /// # Errors
    /// The file system refused.
    pub fn committed(&mut self, id: String) -> Result<(), ApplyError> {
        let Aim::Dream(story) = &mut self.journal.aim else { return Ok(()) };
        story.commit = Some(id);
        self.save()
    }

    /// Says that all is done.
    ///
    /// # Errors
    /// The file system refused.
    pub fn close(self) -> Result<(), ApplyError> {
        let folder = self.session.folder();
        let closed = match self.journal.aim {
            Aim::Plain | Aim::Abandoned => Journal::remove(folder),
            Aim::Dream(_) => Journal::becomes_record(folder),
            // Killed in between, the next run finds that all of it is done.
            Aim::Back => Journal::remove_record(folder).and_then(|()| Journal::remove(folder)),
        };
        kept::sweep(folder);
        closed.map_err(ApplyError::io(folder.display(), "the notes of this run cannot be put away"))
    }

    fn save(&self) -> Result<(), ApplyError> {
        let folder = self.session.folder();
        self.journal.save(folder).map_err(ApplyError::io(folder.display(), "the journal cannot be written"))
    }

    fn on_disk(&self, path: &str) -> Result<PathBuf, ApplyError> {
        on_disk(self.view, &RepoPath::from(path))
    }
}

/// Removes what a run that was killed before its journal stood has left in these folders.
pub fn sweep(session: &Session, view: &View, folders: &[RepoPath]) {
    remove_temporaries(session.folder());
    kept::sweep(session.folder());
    folders.iter().filter_map(|folder| view.on_disk(folder)).for_each(|folder| remove_temporaries(&folder));
}

fn on_disk(view: &View, path: &RepoPath) -> Result<PathBuf, ApplyError> {
    let none = || std::io::Error::new(std::io::ErrorKind::InvalidInput, "there is no work tree");
    view.on_disk(path).ok_or_else(none).map_err(ApplyError::io(path, "cannot be written"))
}
