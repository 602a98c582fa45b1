//! Putting every new content in place.

use super::journal::{Change, How};
use super::{Finished, Transfer};
use crate::apply::ApplyError;
use crate::apply::temporary::open_in;
use crate::canon::Mode;
use crate::syntax::RepoPath;
use crate::view::log::Mark;
use std::fs::{self, File};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

impl Transfer<'_> {
    /// Puts the files in place, the log last. Where it is called again after it was killed, it goes on.
    ///
    /// # Errors
    /// The file system refused; the next run goes on.
    pub fn finish(&mut self) -> Result<Finished, ApplyError> {
        let mut finished = Finished::default();
        if let Some(swap) = &self.journal.log
            && !self.is_still(swap).map_err(ApplyError::io(&swap.path, "cannot be read"))?
        {
            self.abandon()?;
            return Ok(Finished { abandoned: true, ..finished });
        }
        for at in 0..self.journal.files.len() {
            let path = self.journal.files[at].path.clone();
            let placed = self.place(at).map_err(ApplyError::io(&path, "cannot be put in place"))?;
            if !placed {
                finished.overtaken.push(RepoPath::from(path.as_str()));
            }
        }
        let Some(swap) = self.journal.log.clone() else { return Ok(finished) };
        finished.drain = self.swap(&swap).map_err(ApplyError::io(&swap.path, "the new log cannot be put in place"))?;
        Ok(finished)
    }

    /// What was not put in place by now will not be.
    fn abandon(&self) -> Result<(), ApplyError> {
        let files = self.journal.files.iter().map(|change| (&change.path, &change.made));
        for (path, made) in files.chain(self.journal.log.iter().map(|swap| (&swap.path, &swap.made))) {
            let (_, made) = self.places(path, made).map_err(ApplyError::io(path, "cannot be left as it is"))?;
            match fs::remove_file(made) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {
                    return Err(ApplyError::io(path, "a draft cannot be removed")(e));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// `false` where something else stands there that is not to be replaced.
    fn place(&mut self, at: usize) -> io::Result<bool> {
        loop {
            let change = &self.journal.files[at];
            let (to, made) = self.places(&change.path, &change.made)?;
            if fs::symlink_metadata(&made).is_err() {
                return Ok(true);
            }
            if content(&to)? == change.was {
                match put(&made, &to, change.was.is_some()) {
                    // Someone was quicker by a moment: then it is a file that has changed.
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                    put => return put.map(|()| true),
                }
            }
            match change.how {
                How::Replace => return fs::remove_file(&made).map(|()| false),
                How::Append { base } => self.put_behind(at, base, &to, &made)?,
            }
        }
    }

    pub(super) fn places(&self, path: &str, made: &str) -> io::Result<(PathBuf, PathBuf)> {
        let to = self.on_disk(path).map_err(|e| io::Error::other(e.to_string()))?;
        let made = to.with_file_name(made);
        Ok((to, made))
    }

    /// Someone has written to the file since: what is to be appended goes behind that. The journal learns of the new
    /// draft before the old one goes, so that it is appended once.
    fn put_behind(&mut self, at: usize, base: u64, to: &Path, made: &Path) -> io::Result<()> {
        let before = match fs::read(to) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            before => Some(before?),
        };
        let mut draft = open_in(to.parent().unwrap_or(Path::new(".")), Mode::File)?;
        if let Ok(meta) = fs::metadata(to) {
            draft.as_file().set_permissions(meta.permissions())?;
        }
        let bytes = before.as_deref().unwrap_or_default();
        draft.write_all(bytes)?;
        if bytes.last().is_some_and(|last| *last != b'\n') {
            draft.write_all(b"\n")?;
        }
        let mut tail = File::open(made)?;
        tail.seek(SeekFrom::Start(base))?;
        io::copy(&mut tail, &mut draft)?;
        draft.as_file().sync_all()?;
        let path = draft.into_temp_path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let change: &mut Change = &mut self.journal.files[at];
        change.made = name;
        change.was = before.as_deref().map(|bytes| blake3::hash(bytes).to_hex().to_string());
        change.how = How::Append { base: bytes.len() as u64 };
        self.journal.save(self.session.folder())?;
        drop(path.keep());
        fs::remove_file(made)
    }
}

/// The hash of what stands there; `None` for nothing.
fn content(path: &Path) -> io::Result<Option<String>> {
    let mut file = match File::open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    Ok(Some(Mark::of(&mut file, u64::MAX)?.digest.to_hex().to_string()))
}

/// Never over a file that was not there before.
fn put(made: &Path, to: &Path, was_there: bool) -> io::Result<()> {
    if was_there {
        return fs::rename(made, to);
    }
    let draft = tempfile::TempPath::try_from_path(made)?;
    draft.persist_noclobber(to).map_err(|e| {
        // It is the journal that answers for it.
        drop(e.path.keep());
        e.error
    })
}
