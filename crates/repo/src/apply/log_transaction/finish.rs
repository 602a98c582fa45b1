//! Puts the drafts of a transaction in place.

use super::{LogTransaction, TransactionOutcome};
use crate::apply::ApplyError;
use crate::apply::journal::{FileReplacement, LogRewrite, Purpose, ReplaceMethod};
use crate::apply::log_file::ensure_writable;
use crate::apply::log_transaction::OldLog;
use crate::fs as writes;
use crate::view::log::LogPrefix;
use canonry_text::RepoPath;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

impl LogTransaction<'_> {
    /// Puts the files in place. The log is replaced after the files that its rows move to, and before the files that rows
    /// come back from, so that no row is ever missing. Calling this again after a kill continues.
    ///
    /// # Errors
    /// The file system reported an error; the next run continues.
    pub fn finish(&mut self) -> Result<TransactionOutcome, ApplyError> {
        let rewrite = self.entry.log.clone();
        if self.entry.purpose == Purpose::Abandoned || !self.log_is_as_planned(rewrite.as_ref())? {
            self.abandon()?;
            return Ok(TransactionOutcome { abandoned: true, ..TransactionOutcome::default() });
        }
        self.ensure_log_writable(rewrite.as_ref())?;
        let mut outcome = TransactionOutcome::default();
        if self.entry.purpose == Purpose::Undo {
            outcome.old_log = self.rewrite_log(rewrite.as_ref())?;
            outcome.conflicts = self.replace_files()?;
        } else {
            outcome.conflicts = self.replace_files()?;
            outcome.old_log = self.rewrite_log(rewrite.as_ref())?;
        }
        Ok(outcome)
    }

    /// Whether the log may be replaced. Otherwise rows would be added to other files and stay in the log.
    fn ensure_log_writable(&self, rewrite: Option<&LogRewrite>) -> Result<(), ApplyError> {
        let Some(rewrite) = rewrite else { return Ok(()) };
        let log = self.on_disk(&rewrite.path)?;
        ensure_writable(&log).map_err(ApplyError::io(&rewrite.path, "the log cannot be replaced"))
    }

    fn log_is_as_planned(&self, rewrite: Option<&LogRewrite>) -> Result<bool, ApplyError> {
        let Some(rewrite) = rewrite else { return Ok(true) };
        self.is_as_planned(rewrite).map_err(ApplyError::io(&rewrite.path, "cannot be read"))
    }

    fn rewrite_log(&self, rewrite: Option<&LogRewrite>) -> Result<Option<OldLog>, ApplyError> {
        let Some(rewrite) = rewrite else { return Ok(None) };
        self.replace_log(rewrite).map_err(ApplyError::io(&rewrite.path, "the log cannot be replaced"))
    }

    /// Returns the files that were left alone because they changed.
    fn replace_files(&mut self) -> Result<Vec<RepoPath>, ApplyError> {
        let mut conflicts = Vec::new();
        for at in 0..self.entry.files.len() {
            let path = self.entry.files[at].path.clone();
            let replaced = self.replace_file(at).map_err(ApplyError::io(&path, "cannot be replaced"))?;
            if !replaced {
                conflicts.push(RepoPath::from(path.as_str()));
            }
        }
        Ok(conflicts)
    }

    /// Removes the drafts. The journal is updated first, because a missing draft would mean that it is in place.
    fn abandon(&mut self) -> Result<(), ApplyError> {
        if self.entry.purpose != Purpose::Abandoned {
            self.entry.purpose = Purpose::Abandoned;
            self.entry.commit = None;
            self.save()?;
        }
        let files = self.entry.files.iter().map(|file| (&file.path, &file.draft));
        for (path, draft) in files.chain(self.entry.log.iter().map(|rewrite| (&rewrite.path, &rewrite.draft))) {
            let (_, draft) =
                self.file_and_draft(path, draft).map_err(ApplyError::io(path, "the draft is not found"))?;
            match writes::remove_file(&draft) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {
                    return Err(ApplyError::io(path, "the draft cannot be removed")(e));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// `false` if the file changed, so that the draft must not replace it.
    fn replace_file(&mut self, at: usize) -> io::Result<bool> {
        loop {
            let file = &self.entry.files[at];
            let (to, draft) = self.file_and_draft(&file.path, &file.draft)?;
            if fs::symlink_metadata(&draft).is_err() {
                return Ok(true);
            }
            let current = content_digest(&to)?;
            if current == file.was {
                match persist_draft(file, &draft, &to) {
                    // The file was created a moment ago: treat it as changed.
                    Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                    persisted => return persisted.map(|()| true),
                }
            }
            match file.method.clone() {
                ReplaceMethod::Replace => return self.leave_alone(at, &draft).map(|()| false),
                ReplaceMethod::Append { base } => self.rebase_append(at, base, &to, &draft)?,
                // The whole file was removed already, by the user or just before the run was killed.
                ReplaceMethod::Remove(_) if current.is_none() => return writes::remove_file(&draft).map(|()| true),
                ReplaceMethod::Remove(range) => {
                    if !self.rebase_removal(at, &range, &to, &draft)? {
                        return self.leave_alone(at, &draft).map(|()| false);
                    }
                }
            }
        }
    }

    /// Removes a draft. The journal is updated first, because a missing draft would mean that it is in place.
    fn leave_alone(&mut self, at: usize, draft: &Path) -> io::Result<()> {
        self.entry.files[at].undo = None;
        self.session.save_log(Some(&self.entry))?;
        writes::remove_file(draft)
    }

    /// The paths on disk of a file and its draft.
    pub(super) fn file_and_draft(&self, path: &str, draft: &str) -> io::Result<(PathBuf, PathBuf)> {
        let to = self.on_disk(path).map_err(|e| io::Error::other(e.to_string()))?;
        let draft = to.with_file_name(draft);
        Ok((to, draft))
    }
}

/// BLAKE3 of a file's content, in hexadecimal; `None` if the file does not exist.
pub(super) fn content_digest(path: &Path) -> io::Result<Option<String>> {
    let mut file = match crate::fs::open(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    Ok(Some(LogPrefix::read(&mut file, u64::MAX)?.digest.to_hex().to_string()))
}

/// Renames a draft over its file, unless a file exists that did not exist before.
fn persist_draft(file: &FileReplacement, draft: &Path, to: &Path) -> io::Result<()> {
    if let ReplaceMethod::Remove(range) = &file.method
        && range.created
        && fs::metadata(draft)?.len() == 0
    {
        writes::remove_file(to)?;
        return writes::remove_file(draft);
    }
    if file.was.is_some() {
        return writes::rename(draft, to);
    }
    writes::failpoint::reach("rename")?;
    let draft = tempfile::TempPath::try_from_path(draft)?;
    draft.persist_noclobber(to).map_err(|e| {
        // The journal names the draft, so it must not be removed.
        drop(e.path.keep());
        e.error
    })
}
