//! Putting every new content in place.

use super::journal::{Aim, Change, How, Swap};
use super::{Drain, Finished, LogTransaction};
use crate::apply::ApplyError;
use crate::fs as writes;
use crate::syntax::RepoPath;
use crate::view::log::Mark;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

impl LogTransaction<'_> {
    /// Puts the files in place, and the log after those that rows of it went to, or before those that they come back from.
    /// Where it is called again after it was killed, it goes on.
    ///
    /// # Errors
    /// The file system refused; the next run goes on.
    pub fn finish(&mut self) -> Result<Finished, ApplyError> {
        let swap = self.journal.log.clone();
        if self.journal.aim == Aim::Abandoned || !self.is_still_the_log(swap.as_ref())? {
            self.abandon()?;
            return Ok(Finished { abandoned: true, ..Finished::default() });
        }
        let mut finished = Finished::default();
        if self.journal.aim == Aim::Back {
            finished.drain = self.swap_log(swap.as_ref())?;
            finished.overtaken = self.place_all()?;
        } else {
            finished.overtaken = self.place_all()?;
            finished.drain = self.swap_log(swap.as_ref())?;
        }
        Ok(finished)
    }

    fn is_still_the_log(&self, swap: Option<&Swap>) -> Result<bool, ApplyError> {
        let Some(swap) = swap else { return Ok(true) };
        self.is_still(swap).map_err(ApplyError::io(&swap.path, "cannot be read"))
    }

    fn swap_log(&self, swap: Option<&Swap>) -> Result<Option<Drain>, ApplyError> {
        let Some(swap) = swap else { return Ok(None) };
        self.swap(swap).map_err(ApplyError::io(&swap.path, "the new log cannot be put in place"))
    }

    /// Those that were left as someone else has made them.
    fn place_all(&mut self) -> Result<Vec<RepoPath>, ApplyError> {
        let mut overtaken = Vec::new();
        for at in 0..self.journal.files.len() {
            let path = self.journal.files[at].path.clone();
            let placed = self.place(at).map_err(ApplyError::io(&path, "cannot be put in place"))?;
            if !placed {
                overtaken.push(RepoPath::from(path.as_str()));
            }
        }
        Ok(overtaken)
    }

    /// What was not put in place by now will not be. The journal says so before a draft goes: that one is gone would say
    /// that it is in place.
    fn abandon(&mut self) -> Result<(), ApplyError> {
        if self.journal.aim != Aim::Abandoned {
            self.journal.aim = Aim::Abandoned;
            self.journal.commit = None;
            self.save()?;
        }
        let files = self.journal.files.iter().map(|change| (&change.path, &change.made));
        for (path, made) in files.chain(self.journal.log.iter().map(|swap| (&swap.path, &swap.made))) {
            let (_, made) = self.places(path, made).map_err(ApplyError::io(path, "cannot be left as it is"))?;
            match writes::remove_file(&made) {
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
            let there = content(&to)?;
            if there == change.was {
                match put(change, &made, &to) {
                    // Someone was quicker by a moment: then it is a file that has changed.
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                    put => return put.map(|()| true),
                }
            }
            match change.how.clone() {
                How::Replace => return self.leave(at, &made).map(|()| false),
                How::Append { base } => self.put_behind(at, base, (&to, &made))?,
                // It is out of there already, with all the rest or in a moment before the kill.
                How::Cut(_) if there.is_none() => return writes::remove_file(&made).map(|()| true),
                How::Cut(added) => {
                    if !self.cut_again(at, &added, (&to, &made))? {
                        return self.leave(at, &made).map(|()| false);
                    }
                }
            }
        }
    }

    /// The journal learns of it before the draft goes: that one is gone would say that it is in place.
    fn leave(&mut self, at: usize, made: &Path) -> io::Result<()> {
        self.journal.files[at].trace = None;
        self.journal.save(self.session.folder())?;
        writes::remove_file(made)
    }

    pub(super) fn places(&self, path: &str, made: &str) -> io::Result<(PathBuf, PathBuf)> {
        let to = self.on_disk(path).map_err(|e| io::Error::other(e.to_string()))?;
        let made = to.with_file_name(made);
        Ok((to, made))
    }
}

/// The hash of what stands there; `None` for nothing.
pub(super) fn content(path: &Path) -> io::Result<Option<String>> {
    let mut file = match File::open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    Ok(Some(Mark::of(&mut file, u64::MAX)?.digest.to_hex().to_string()))
}

/// Never over a file that was not there before.
fn put(change: &Change, made: &Path, to: &Path) -> io::Result<()> {
    if let How::Cut(added) = &change.how
        && added.created
        && fs::metadata(made)?.len() == 0
    {
        writes::remove_file(to)?;
        return writes::remove_file(made);
    }
    if change.was.is_some() {
        return writes::rename(made, to);
    }
    writes::failpoint::reach("rename")?;
    let draft = tempfile::TempPath::try_from_path(made)?;
    draft.persist_noclobber(to).map_err(|e| {
        // It is the journal that answers for it.
        drop(e.path.keep());
        e.error
    })
}
