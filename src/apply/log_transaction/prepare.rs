//! Making every new content beside its file.

use super::draft::{Draft, Made, Source};
use super::journal::{Added, Aim, Change, How, Journal, Story, Swap, Trace};
use super::moves::{self, Move};
use super::{Age, Changes, FileChange, LogTransaction, PrepareError, Split, kept, on_disk};
use crate::apply::{ApplyError, Session};
use crate::syntax::RepoPath;
use crate::view::View;
use std::fs::File;
use std::io::{self, Read as _};
use std::time::UNIX_EPOCH;
use tempfile::TempPath;

impl<'s> LogTransaction<'s> {
    /// Writes all that is to change beside what it changes, and then the journal. Nothing is in place yet.
    ///
    /// # Errors
    /// [`PrepareError`]; then nothing is left behind.
    pub fn prepare(session: &'s Session, view: &'s View, changes: Changes<'_>) -> Result<Self, PrepareError> {
        Preparation { session, view, aim: Aim::Plain }.run(changes)
    }

    /// The same of a dream, which can be taken back once it is done; `message` is what it says of itself.
    ///
    /// # Errors
    /// [`PrepareError`]; then nothing is left behind, but for what is kept of contents that will be replaced.
    pub fn prepare_dream(
        session: &'s Session,
        view: &'s View,
        changes: Changes<'_>,
        message: String,
    ) -> Result<Self, PrepareError> {
        Preparation { session, view, aim: Aim::Dream(Story { message, commit: None }) }.run(changes)
    }

    /// Lets the journal answer for all that was made.
    pub(super) fn begin(
        session: &'s Session,
        view: &'s View,
        journal: Journal,
        made: Vec<TempPath>,
    ) -> Result<Self, ApplyError> {
        let folder = session.folder();
        journal.save(folder).map_err(ApplyError::io(folder.display(), "the journal cannot be written"))?;
        // From here on the journal answers for them.
        made.into_iter().for_each(|file| drop(file.keep()));
        Ok(Self { session, view, journal, age: Age::Fresh })
    }
}

struct Preparation<'s> {
    session: &'s Session,
    view: &'s View,
    aim: Aim,
}

impl<'s> Preparation<'s> {
    fn run(self, changes: Changes<'_>) -> Result<LogTransaction<'s>, PrepareError> {
        let mut journal = Journal { commit: changes.commit, ..Journal::default() };
        let mut made: Vec<TempPath> = Vec::new();
        for change in &changes.files {
            let (noted, file) = self.file_change(change)?;
            journal.files.push(noted);
            made.push(file);
        }
        if let Some(split) = &changes.log {
            let done = self.split_log(split, journal.files.len())?;
            journal.files.extend(done.files);
            journal.log = Some(done.swap);
            made.extend(done.made);
        }
        journal.aim = self.aim;
        Ok(LogTransaction::begin(self.session, self.view, journal, made)?)
    }

    /// The name under which a content is kept, of a dream.
    fn keep(&self, bytes: &[u8]) -> Result<Option<String>, ApplyError> {
        if self.aim == Aim::Plain {
            return Ok(None);
        }
        let folder = self.session.folder();
        kept::keep(folder, bytes).map(Some).map_err(ApplyError::io(folder.display(), "the record cannot be written"))
    }

    fn file_change(&self, change: &FileChange<'_>) -> Result<(Change, TempPath), ApplyError> {
        let (FileChange::Append { path, before, .. } | FileChange::Replace { path, before, .. }) = change;
        let mut draft = Draft::begin(self.view, path)?;
        let offset = before.map_or(0, |bytes| bytes.len() as u64);
        let how = match change {
            FileChange::Append { text, .. } => {
                draft.write(before.unwrap_or_default())?;
                draft.mark();
                draft.write(text.as_bytes())?;
                How::Append { base: offset }
            }
            FileChange::Replace { now, .. } => {
                draft.mark();
                draft.write(now)?;
                How::Replace
            }
        };
        let Made { name: made, file, marked } = draft.end()?;
        let (length, digest) = (marked.size, marked.digest.to_hex().to_string());
        let trace = match change {
            FileChange::Replace { before: Some(bytes), .. } => {
                let modified = modified(self.view, path)?;
                self.keep(bytes)?.map(|before| Trace::Replaced { before, digest, modified })
            }
            FileChange::Append { text: now, .. } => {
                let (text, created) = (self.keep(now.as_bytes())?, before.is_none());
                Some(Trace::Added(Added { offset, length, digest, lead: 0, created, text }))
            }
            FileChange::Replace { before: None, .. } => {
                Some(Trace::Added(Added { length, digest, created: true, ..Added::default() }))
            }
        };
        let was = before.map(|bytes| blake3::hash(bytes).to_hex().to_string());
        Ok((Change { path: path.to_display(), made, was, how, trace }, file))
    }

    /// One pass over the log: each byte goes to the new log or to the file that its line goes to.
    fn split_log(&self, split: &Split<'_>, first: usize) -> Result<Done, PrepareError> {
        let mut targets = split.to.iter().map(|to| Target::begin(self.view, to)).collect::<Result<Vec<_>, _>>()?;
        let mut log = Draft::begin(self.view, &split.path)?;
        let unreadable = || ApplyError::io(&split.path, "cannot be read");
        let file = File::open(on_disk(self.view, &split.path)?).map_err(unreadable())?;
        let mut source = Source::new(&split.path, file.take(split.mark.size));
        let mut moves = String::new();
        let mut length = 0;
        let mut at = 0;
        for leave in &split.leaving {
            let before = leave.extent.offset - at;
            length += source.copy(before, &mut log)?;
            at = leave.extent.end();
            let Some(target) = targets.get_mut(leave.to) else { continue };
            target.draft.write(leave.heading.as_bytes())?;
            source.copy(leave.extent.length, &mut target.draft)?;
            let (above, length) = (leave.heading.len() as u64, leave.extent.length);
            moves::push(&mut moves, &Move { stayed: before, to: first + leave.to, above, length });
            // The last line of a log may lack its end.
            if source.last != Some(b'\n') {
                target.draft.write(b"\n")?;
            }
        }
        length += source.copy(split.mark.size - at, &mut log)?;
        if source.mark() != split.mark {
            return Err(PrepareError::Changed);
        }
        let made = log.end()?;
        let swap = Swap {
            path: split.path.to_display(),
            made: made.name,
            size: split.mark.size,
            digest: split.mark.digest.to_hex().to_string(),
            length,
            moves: self.keep(moves.as_bytes())?,
            unended: false,
        };
        let (mut files, mut made) = (Vec::new(), vec![made.file]);
        for target in targets {
            let (change, path) = target.end()?;
            files.push(change);
            made.push(path);
        }
        Ok(Done { files, swap, made })
    }
}

/// When it was written: what is put back is as old as it was.
fn modified(view: &View, path: &RepoPath) -> Result<Option<(u64, u32)>, ApplyError> {
    let time = std::fs::metadata(on_disk(view, path)?).and_then(|meta| meta.modified()).ok();
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    Ok(since.map(|since| (since.as_secs(), since.subsec_nanos())))
}

struct Done {
    files: Vec<Change>,
    swap: Swap,
    made: Vec<TempPath>,
}

/// A file that lines go to, begun with what it holds already.
struct Target {
    draft: Draft,
    was: Option<String>,
    base: u64,
    lead: u64,
}

impl Target {
    fn begin(view: &View, (path, head): &(RepoPath, &'static str)) -> Result<Self, ApplyError> {
        let mut draft = Draft::begin(view, path)?;
        let before = match File::open(on_disk(view, path)?) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                draft.mark();
                draft.write(head.as_bytes())?;
                return Ok(Self { draft, was: None, base: 0, lead: head.len() as u64 });
            }
            before => before.map_err(ApplyError::io(path, "cannot be read"))?,
        };
        let mut source = Source::new(path, before);
        let base = source.copy(u64::MAX, &mut draft)?;
        draft.mark();
        let lead = u64::from(source.last.is_some_and(|last| last != b'\n'));
        if lead > 0 {
            draft.write(b"\n")?;
        }
        Ok(Self { draft, was: Some(source.mark().digest.to_hex().to_string()), base, lead })
    }

    fn end(self) -> Result<(Change, TempPath), ApplyError> {
        let (path, base) = (self.draft.path.to_display(), self.base);
        let Made { name: made, file, marked } = self.draft.end()?;
        let added = Added {
            offset: base,
            length: marked.size,
            digest: marked.digest.to_hex().to_string(),
            lead: self.lead,
            created: self.was.is_none(),
            text: None,
        };
        let trace = Some(Trace::Added(added));
        Ok((Change { path, made, was: self.was, how: How::Append { base }, trace }, file))
    }
}
