//! A run that may write.

use super::backup::{Backups, only_copies};
use super::displaced::{Displaced, inspect_left, may_be_old};
use super::journal::{FileEntry, Journal, LogEntry, LogSlot};
use super::temporary::{PREFIX, remove_temporaries, write_atomically};
use super::writer::{Writer, remove_empty_folders};
use super::{Applied, ApplyError};
use crate::fs as writes;
use crate::fs::lock::HeldLock;
use crate::view::View;
use canonry_mirror::written::{self, WrittenChange};
use canonry_mirror::{Lock, MirrorRoot};
use canonry_model::canon::FileState;
use canonry_model::edit::Edit;
use canonry_text::RepoPath;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Holds the repository's canonry lock until it is dropped. The system releases the lock of a process that was killed.
#[derive(Debug)]
pub struct Session {
    folder: PathBuf,
    _lock: HeldLock,
    /// As it is on disk, apart from parts that are expected and not yet written.
    journal: RefCell<Journal>,
    /// Backups of what was written to files that an earlier run had displaced.
    rescued: RefCell<Vec<(RepoPath, PathBuf)>>,
}

/// The file states that an unfinished run may have left; they count as owned. For runs that only read.
pub fn unfinished(git_dir: &Path) -> Vec<(RepoPath, FileState)> {
    // Without the journal, a run that only reads reports these files as edited.
    let journal = Journal::load(&git_dir.join("canonry")).unwrap_or_default();
    states(&journal.files)
}

fn states(entries: &[FileEntry]) -> Vec<(RepoPath, FileState)> {
    let states = |entry: &FileEntry| {
        [entry.was, entry.now].into_iter().flatten().map(|state| (entry.path.clone(), state)).collect::<Vec<_>>()
    };
    entries.iter().flat_map(states).collect()
}

/// Edits to write.
#[derive(Debug)]
pub struct WritePlan<'a> {
    /// The edits, in order.
    pub edits: &'a [Edit],
    /// Paths whose content is backed up before it is overwritten or removed.
    pub back_up: &'a [RepoPath],
    /// The edits of canonry's own locks, which are made after all others.
    pub locks: Vec<Edit>,
}

impl Session {
    /// Takes the lock in `git_dir/canonry/` and reads what an unfinished run left.
    ///
    /// # Errors
    /// [`ApplyError::Busy`] if another run holds the lock, [`ApplyError::Io`] if the folder or the journal cannot be used.
    pub fn begin(git_dir: &Path) -> Result<Self, ApplyError> {
        let folder = git_dir.join("canonry");
        let shown = folder.display().to_string();
        let lock = HeldLock::try_take(&folder.join("lock")).map_err(ApplyError::io(&shown, "cannot be locked"))?;
        let lock = lock.ok_or(ApplyError::Busy)?;
        let journal = Journal::load(&folder).map_err(ApplyError::io(&shown, "the journal cannot be read"))?;
        let journal = RefCell::new(journal);
        Ok(Self { folder, _lock: lock, journal, rescued: RefCell::default() })
    }

    /// The file states that an unfinished run may have left; they count as owned.
    pub fn pending(&self) -> Vec<(RepoPath, FileState)> {
        states(&self.journal.borrow().files)
    }

    /// Canonry's own folder in git's.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Removes the temporary files and the empty folders of an unfinished run.
    ///
    /// # Errors
    /// [`ApplyError::Io`] if a file that the run displaced cannot be read or backed up.
    pub fn sweep(&self, view: &View) -> Result<(), ApplyError> {
        remove_temporaries(&self.folder);
        self.inspect_displaced(view)?;
        let journal = self.journal.borrow();
        let folders: BTreeSet<RepoPath> = journal.files.iter().filter_map(|entry| entry.path.parent()).collect();
        // The temporary folder of a new skill is in the mirror's root, beside the skill's folder.
        let root = |path: &RepoPath| path.components().take(2).fold(RepoPath::default(), |root, part| root.join(part));
        let roots = journal.files.iter().map(|entry| root(&entry.path));
        let all: BTreeSet<RepoPath> = folders.iter().cloned().chain(roots).collect();
        all.iter().filter_map(|folder| view.on_disk(folder)).for_each(|folder| remove_temporaries(&folder));
        remove_empty_folders(view, &folders);
        Ok(())
    }

    /// Moves to the backups what somebody wrote to a file that an earlier run displaced. A killed run may have left such a
    /// file under a temporary name.
    fn inspect_displaced(&self, view: &View) -> Result<(), ApplyError> {
        let backups = Backups::new(view, &self.folder);
        let left = inspect_left(&self.folder, &backups);
        let left = left.map_err(ApplyError::io(self.folder.display(), "displaced files cannot be backed up"))?;
        self.rescued.borrow_mut().extend(left);
        let journal = self.journal.borrow();
        let mut probe = None;
        let parents: BTreeSet<RepoPath> = journal.files.iter().filter_map(|entry| entry.path.parent()).collect();
        for parent in parents {
            // A folder that cannot be listed may be gone. A displaced file in it stays, under its temporary name.
            let entries = view.on_disk(&parent).and_then(|folder| fs::read_dir(folder).ok());
            for entry in entries.into_iter().flatten().flatten() {
                let name = entry.file_name();
                if !may_be_old(&name.to_string_lossy()) {
                    continue;
                }
                let probe = probe.get_or_insert_with(|| view.probe());
                let siblings = journal.files.iter().filter(|entry| entry.path.parent().as_ref() == Some(&parent));
                let is_known = siblings.into_iter().any(|sibling| {
                    let state = probe.state_at(&sibling.path, &entry.path());
                    state.is_some() && (state == sibling.was || state == sibling.now)
                });
                if !is_known {
                    let name = name.to_string_lossy();
                    let path = parent.join(name.trim_start_matches(PREFIX));
                    let backup = backups.take(&path, &entry.path());
                    let backup = backup.map_err(ApplyError::io(&path, "its displaced version cannot be backed up"))?;
                    self.rescued.borrow_mut().push((path, backup));
                }
            }
        }
        Ok(())
    }

    /// Adds parts of shared files that the next plan writes, as the lock will name them.
    pub fn expect_parts(&mut self, parts: impl IntoIterator<Item = (RepoPath, FileState)>) {
        let entry = |(path, state)| FileEntry { path, was: None, now: Some(state) };
        self.journal.get_mut().files.extend(parts.into_iter().map(entry));
    }

    /// Adds what this run writes to the record, by which later runs recognise an older sync. `lock` is the lock afterwards:
    /// the first record has all of it. The record is compacted whenever its size passes a power of two, so that what all
    /// syncs write for it stays in proportion to what they add.
    ///
    /// # Errors
    /// [`ApplyError::Io`] if the record cannot be written.
    pub fn remember(&self, changes: &[WrittenChange], lock: &Lock) -> Result<(), ApplyError> {
        let path = self.folder.join("written");
        let failed = |error| ApplyError::io(path.display(), "the record cannot be written")(error);
        let size = fs::metadata(&path).ok().map(|meta| meta.len());
        let all = || lock.entries().iter().map(|(path, state)| (path.clone(), Some(*state))).collect::<Vec<_>>();
        let lines = if size.is_none() { written::to_lines(&all()) } else { written::to_lines(changes) };
        if lines.is_empty() {
            return Ok(());
        }
        let passes_power_of_two =
            |size: u64| size.next_power_of_two() < (size + lines.len() as u64).next_power_of_two();
        if size.is_some_and(passes_power_of_two) {
            let mut text = crate::fs::read(&path).map_err(failed)?;
            text.extend_from_slice(&lines);
            return write_atomically(&self.folder, &path, &written::compact(&text)).map_err(failed);
        }
        let mut file = writes::open_or_create(File::options().append(true), &path).map_err(failed)?;
        writes::write_all(&mut file, &lines).map_err(failed)
    }

    /// Records files of mirrors whose content an import took into the canon, though not byte for byte. A sync may replace
    /// them by the canon's file, and never removes them.
    ///
    /// # Errors
    /// See [`ApplyError`].
    pub fn remember_imported(&self, files: &[(RepoPath, FileState)]) -> Result<(), ApplyError> {
        let path = self.folder.join("imported");
        let failed = |error| ApplyError::io(path.display(), "the record cannot be written")(error);
        let changes: Vec<WrittenChange> = files.iter().map(|(path, state)| (path.clone(), Some(*state))).collect();
        let mut file = writes::open_or_create(File::options().append(true), &path).map_err(failed)?;
        writes::write_all(&mut file, &written::to_lines(&changes)).map_err(failed)
    }

    /// Writes a plan.
    ///
    /// # Errors
    /// See [`ApplyError`]. Then the journal stays for the next run.
    pub fn apply(&mut self, view: &View, plan: &WritePlan<'_>, cancel: &AtomicBool) -> Result<Applied, ApplyError> {
        let rescued = self.rescued.take();
        if plan.edits.is_empty() && plan.locks.is_empty() {
            self.close()?;
            return Ok(Applied { backups: rescued, ..Applied::default() });
        }
        // What the view has kept becomes outdated, however this ends.
        let written = self.write(view, plan, cancel);
        view.forget();
        written.map(|mut applied| {
            applied.backups.extend(rescued);
            applied
        })
    }

    fn write(&mut self, view: &View, plan: &WritePlan<'_>, cancel: &AtomicBool) -> Result<Applied, ApplyError> {
        let edits = plan.edits.iter().chain(&plan.locks);
        refuse_elsewhere(view, edits.map(Edit::path).chain(plan.back_up))?;
        let folder = self.folder.clone();
        let displaced = Displaced::new(view, &folder);
        let writer = Writer { view, cancel, displaced: &displaced };
        let removed = plan.edits.iter().filter_map(|edit| match edit {
            Edit::Remove { path, was } => Some((path, was.id)),
            Edit::Write { .. } | Edit::Rename { .. } => None,
        });
        let only_copies = only_copies(view, removed, plan.back_up);
        // Before the journal is written: from then on, an overwritten file counts as owned.
        let backups = Backups::new(view, &folder);
        let only_copies = backups.copy(&only_copies)?;
        let mut applied = Applied { backups: backups.copy(plan.back_up)?, only_copies, ..Applied::default() };
        self.record(plan)?;
        writer.remove(plan.edits, &mut applied)?;
        writer.write(plan.edits, &mut applied)?;
        writer.rename(plan.edits, &mut applied)?;
        let mut locks = Applied::default();
        for lock in plan.locks.chunks(1) {
            writer.write(lock, &mut locks)?;
            writer.remove(lock, &mut locks)?;
        }
        applied.conflicts.extend(locks.conflicts);
        let settled = displaced.settle(view)?;
        applied.add_settled(settled);
        self.close()?;
        Ok(applied)
    }

    /// Adds a plan to the journal. The entries of an unfinished run stay until this run is done.
    fn record(&mut self, plan: &WritePlan<'_>) -> Result<(), ApplyError> {
        let journal = self.journal.get_mut();
        journal.files.extend(plan.edits.iter().map(FileEntry::from_edit));
        // The states of locks do not matter; their folder may hold a temporary file.
        let lock = |edit: &Edit| FileEntry { path: edit.path().clone(), was: None, now: None };
        journal.files.extend(plan.locks.iter().map(lock));
        journal.save(&self.folder).map_err(ApplyError::io(self.folder.display(), "the journal cannot be written"))
    }

    fn close(&mut self) -> Result<(), ApplyError> {
        let journal = self.journal.get_mut();
        journal.files.clear();
        journal.save(&self.folder).map_err(ApplyError::io(self.folder.display(), "the journal cannot be removed"))
    }

    /// The log transaction that another run left unfinished.
    pub(super) fn unfinished_log(&self) -> Result<Option<LogEntry>, ApplyError> {
        match &self.journal.borrow().log {
            LogSlot::Empty => Ok(None),
            LogSlot::Entry(entry) => Ok(Some((**entry).clone())),
            LogSlot::Unreadable { error, .. } => {
                let error = io::Error::new(io::ErrorKind::InvalidData, error.clone());
                let path = self.folder.join("journal");
                Err(ApplyError::io(path.display(), "the entry of an unfinished run is not readable")(error))
            }
        }
    }

    /// Replaces the journal's log transaction; `None` removes it.
    pub(super) fn save_log(&self, entry: Option<&LogEntry>) -> io::Result<()> {
        let mut journal = self.journal.borrow_mut();
        journal.log = entry.map_or(LogSlot::Empty, |entry| LogSlot::Entry(Box::new(entry.clone())));
        journal.save(&self.folder)
    }

    /// The names that an unfinished log transaction uses in the undo store; `None` if they cannot be read.
    pub(super) fn stored_names(&self) -> Option<BTreeSet<String>> {
        match &self.journal.borrow().log {
            LogSlot::Empty => Some(BTreeSet::new()),
            LogSlot::Entry(entry) => Some(entry.stored_names().map(str::to_owned).collect()),
            LogSlot::Unreadable { .. } => None,
        }
    }
}

/// Refuses paths in submodules and other repositories, and behind links that leave this one.
fn refuse_elsewhere<'p>(view: &View, paths: impl Iterator<Item = &'p RepoPath>) -> Result<(), ApplyError> {
    let mut known = BTreeSet::from([RepoPath::default()]);
    for path in paths {
        let mut folders: Vec<RepoPath> = std::iter::successors(path.parent(), RepoPath::parent)
            .take_while(|folder| !known.contains(folder))
            .collect();
        folders.reverse();
        for folder in folders {
            let place = match view.root(&folder) {
                MirrorRoot::Submodule(by) => format!("it is in `{by}`, a submodule or another repository"),
                MirrorRoot::LinkOutside(to) => format!("a folder above it is a link to {to}"),
                MirrorRoot::Folder | MirrorRoot::LinkInside(_) | MirrorRoot::NotAFolder(_) => {
                    known.insert(folder);
                    continue;
                }
            };
            return Err(ApplyError::Elsewhere { path: path.clone(), place });
        }
    }
    Ok(())
}

/// The name of the marker file that `init` leaves until the first sync. It lists the ids of the locks, one per line, for
/// which the marker holds: as soon as the lock is another one, missing mirrors are drift again.
const FIRST_SYNC_MARKER: &str = "first-sync-due";

/// A lock by its content; `-` if there is none.
fn lock_id(lock: Option<&[u8]>) -> io::Result<String> {
    let Some(lock) = lock else { return Ok("-".to_owned()) };
    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, lock);
    id.map(|id| id.to_string()).map_err(io::Error::other)
}

/// Whether `init` created the canon in this clone and no sync has followed. Missing mirrors are not drift then. `lock`
/// reads the mirrors' lock and is only called if there is a marker.
pub fn first_sync_is_due(git_dir: &Path, lock: impl FnOnce() -> Option<Vec<u8>>) -> bool {
    // Without the marker, missing mirrors are drift, which a sync repairs.
    let marker = crate::fs::read_to_string(git_dir.join("canonry").join(FIRST_SYNC_MARKER)).unwrap_or_default();
    !marker.is_empty() && lock_id(lock().as_deref()).is_ok_and(|id| marker.lines().any(|line| line == id))
}

impl Session {
    /// Records that the first sync is due, as long as the mirrors' lock is the current one or `lock`.
    ///
    /// # Errors
    /// [`ApplyError::Io`] if the folder cannot be used.
    pub fn expect_first_sync(&self, lock: Option<&[u8]>) -> Result<(), ApplyError> {
        let path = self.folder.join(FIRST_SYNC_MARKER);
        let text = crate::fs::read_if_exists(&path).map_err(ApplyError::io(path.display(), "cannot be read"))?;
        let mut text = String::from_utf8_lossy(&text.unwrap_or_default()).into_owned();
        let id = lock_id(lock).map_err(ApplyError::io(path.display(), "the lock's id cannot be computed"))?;
        if !text.lines().any(|line| line == id) {
            text.push_str(&format!("{id}\n"));
        }
        write_atomically(&self.folder, &path, text.as_bytes())
            .map_err(ApplyError::io(path.display(), "cannot be written"))
    }

    /// Records that the first sync has happened.
    pub fn first_sync_is_done(&self) {
        // If the marker stays, the lock's new content disables it too.
        let _ = writes::remove_file(&self.folder.join(FIRST_SYNC_MARKER));
    }
}
