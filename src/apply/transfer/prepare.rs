//! Making every new content beside its file.

use super::journal::{Change, How, Journal, Swap};
use super::{Age, Changes, FileChange, PrepareError, Split, Transfer, on_disk};
use crate::apply::temporary::open_in;
use crate::apply::{ApplyError, Session};
use crate::canon::Mode;
use crate::syntax::RepoPath;
use crate::view::View;
use crate::view::log::Mark;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use tempfile::{NamedTempFile, TempPath};

/// Bytes that are copied at once.
const BUFFER: usize = 1 << 20;

impl<'s> Transfer<'s> {
    /// Writes all that is to change beside what it changes, and then the journal. Nothing is in place yet.
    ///
    /// # Errors
    /// [`PrepareError`]; then nothing is left behind.
    pub fn prepare(session: &'s Session, view: &'s View, changes: Changes<'_>) -> Result<Self, PrepareError> {
        let mut journal = Journal { commit: changes.commit, ..Journal::default() };
        let mut made: Vec<TempPath> = Vec::new();
        for change in &changes.files {
            let (noted, file) = file_change(view, change)?;
            journal.files.push(noted);
            made.push(file);
        }
        if let Some(split) = &changes.log {
            let done = split_log(view, split)?;
            journal.files.extend(done.files);
            journal.log = Some(done.swap);
            made.extend(done.made);
        }
        let folder = session.folder();
        journal.save(folder).map_err(ApplyError::io(folder.display(), "the journal cannot be written"))?;
        // From here on the journal answers for them.
        made.into_iter().for_each(|file| drop(file.keep()));
        Ok(Self { session, view, journal, age: Age::Fresh })
    }
}

/// A file that becomes another's new content.
struct Draft {
    path: RepoPath,
    file: BufWriter<NamedTempFile>,
}

impl Draft {
    fn begin(view: &View, path: &RepoPath) -> Result<Self, ApplyError> {
        let to = on_disk(view, path)?;
        let folder = to.parent().unwrap_or(Path::new("."));
        let make = || {
            fs::create_dir_all(folder)?;
            let file = open_in(folder, Mode::File)?;
            if let Ok(meta) = fs::metadata(&to) {
                file.as_file().set_permissions(meta.permissions())?;
            }
            Ok(file)
        };
        let file = make().map_err(ApplyError::io(path, "cannot be written"))?;
        Ok(Self { path: path.clone(), file: BufWriter::with_capacity(BUFFER, file) })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), ApplyError> {
        self.file.write_all(bytes).map_err(ApplyError::io(&self.path, "cannot be written"))
    }

    /// Flushed to disk; the temporary name goes with it.
    fn end(self) -> Result<(String, TempPath), ApplyError> {
        let flushed = self.file.into_inner().map_err(io::IntoInnerError::into_error);
        let file = flushed.and_then(|file| file.as_file().sync_all().map(|()| file));
        let path = file.map_err(ApplyError::io(&self.path, "cannot be written"))?.into_temp_path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok((name, path))
    }
}

fn file_change(view: &View, change: &FileChange<'_>) -> Result<(Change, TempPath), ApplyError> {
    let (path, before, how) = match change {
        FileChange::Append { path, before, .. } => {
            (path, before, How::Append { base: before.map_or(0, |bytes| bytes.len() as u64) })
        }
        FileChange::Replace { path, before, .. } => (path, before, How::Replace),
    };
    let mut draft = Draft::begin(view, path)?;
    match change {
        FileChange::Append { text, .. } => {
            draft.write(before.unwrap_or_default())?;
            draft.write(text.as_bytes())?;
        }
        FileChange::Replace { now, .. } => draft.write(now)?,
    }
    let (made, file) = draft.end()?;
    let was = before.map(|bytes| blake3::hash(bytes).to_hex().to_string());
    Ok((Change { path: path.to_display(), made, was, how }, file))
}

struct Done {
    files: Vec<Change>,
    swap: Swap,
    made: Vec<TempPath>,
}

/// One pass over the log: each byte goes to the new log or to the file that its line goes to.
fn split_log(view: &View, split: &Split<'_>) -> Result<Done, PrepareError> {
    let mut targets = split.to.iter().map(|to| Target::begin(view, to)).collect::<Result<Vec<_>, _>>()?;
    let mut log = Draft::begin(view, &split.path)?;
    let unreadable = || ApplyError::io(&split.path, "cannot be read");
    let file = File::open(on_disk(view, &split.path)?).map_err(unreadable())?;
    let mut source = Source::new(file.take(split.mark.size));
    let mut length = 0;
    let mut at = 0;
    for leave in &split.leaving {
        length += source.copy(leave.extent.offset - at, &mut log)?;
        at = leave.extent.end();
        let Some(target) = targets.get_mut(leave.to) else { continue };
        target.draft.write(leave.heading.as_bytes())?;
        source.copy(leave.extent.length, &mut target.draft)?;
        // The last line of a log may lack its end.
        if source.last != Some(b'\n') {
            target.draft.write(b"\n")?;
        }
    }
    length += source.copy(split.mark.size - at, &mut log)?;
    if source.mark() != split.mark {
        return Err(PrepareError::Changed);
    }
    let (name, path) = log.end()?;
    let digest = split.mark.digest.to_hex().to_string();
    let swap = Swap { path: split.path.to_display(), made: name, size: split.mark.size, digest, length };
    let (mut files, mut made) = (Vec::new(), vec![path]);
    for target in targets {
        let (change, path) = target.end()?;
        files.push(change);
        made.push(path);
    }
    Ok(Done { files, swap, made })
}

/// The log as it is read once more, with its hash.
struct Source<R: Read> {
    reader: BufReader<R>,
    buffer: Vec<u8>,
    hasher: blake3::Hasher,
    read: u64,
    last: Option<u8>,
}

impl<R: Read> Source<R> {
    fn new(reader: R) -> Self {
        let reader = BufReader::with_capacity(BUFFER, reader);
        Self { reader, buffer: Vec::new(), hasher: blake3::Hasher::new(), read: 0, last: None }
    }

    /// Less than `length` only where the log has become shorter, which its mark then tells.
    fn copy(&mut self, length: u64, to: &mut Draft) -> Result<u64, ApplyError> {
        let mut left = length;
        while left > 0 {
            self.buffer.clear();
            let part = left.min(BUFFER as u64);
            let read = self.reader.by_ref().take(part).read_to_end(&mut self.buffer);
            let read = read.map_err(ApplyError::io(&to.path, "the log cannot be read"))? as u64;
            if read == 0 {
                break;
            }
            self.hasher.update(&self.buffer);
            to.write(&self.buffer)?;
            self.last = self.buffer.last().copied();
            self.read += read;
            left -= read;
        }
        Ok(length - left)
    }

    fn mark(&self) -> Mark {
        Mark { size: self.read, digest: self.hasher.finalize() }
    }
}

/// A file that lines go to, begun with what it holds already.
struct Target {
    draft: Draft,
    was: Option<String>,
    base: u64,
}

impl Target {
    fn begin(view: &View, (path, head): &(RepoPath, &'static str)) -> Result<Self, ApplyError> {
        let mut draft = Draft::begin(view, path)?;
        let before = match File::open(on_disk(view, path)?) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                draft.write(head.as_bytes())?;
                return Ok(Self { draft, was: None, base: 0 });
            }
            before => before.map_err(ApplyError::io(path, "cannot be read"))?,
        };
        let mut source = Source::new(before);
        let base = source.copy(u64::MAX, &mut draft)?;
        if source.last.is_some_and(|last| last != b'\n') {
            draft.write(b"\n")?;
        }
        Ok(Self { draft, was: Some(source.mark().digest.to_hex().to_string()), base })
    }

    fn end(self) -> Result<(Change, TempPath), ApplyError> {
        let path = self.draft.path.to_display();
        let (made, file) = self.draft.end()?;
        Ok((Change { path, made, was: self.was, how: How::Append { base: self.base } }, file))
    }
}
