//! Replaces the log, and carries over rows that other programs still write to the old one.

use super::{LogTransaction, TransactionOrigin};
use crate::apply::ApplyError;
use crate::apply::journal::LogRewrite;
use crate::apply::log_file::{LOCK, ends_with_newline};
use crate::fs as writes;
use crate::fs::lock::HeldLock;
use crate::view::log::LogPrefix;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Longest wait for a program that has the old log open.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// The wait if the system does not say whether there is such a program.
const WAIT_IF_UNKNOWN: Duration = Duration::from_millis(50);
/// The wait after the replacement before the first check. The system does not list a program that has found the old log
/// under its name and was interrupted before the file was open. A commit usually takes longer than this.
const WAIT_FOR_OPENING: Duration = Duration::from_millis(20);
/// Time between two checks.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The old log, kept open. Rows that a program writes to it, because it opened it before the replacement, are carried over
/// to the new log.
#[derive(Debug)]
pub struct OldLog {
    folder: PathBuf,
    log: PathBuf,
    old: File,
    replaced: Instant,
    lacks_final_newline: bool,
}

impl LogTransaction<'_> {
    /// Whether the log still begins with the bytes that were read, or was replaced already.
    pub(super) fn is_as_planned(&self, rewrite: &LogRewrite) -> io::Result<bool> {
        let (log, draft) = self.file_and_draft(&rewrite.path, &rewrite.draft)?;
        if fs::symlink_metadata(&draft).is_err() {
            return Ok(true);
        }
        let mut old = match crate::fs::open(&log) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
            old => old?,
        };
        Ok(match self.origin {
            // Preparing the transaction has just compared the hash.
            TransactionOrigin::ThisRun => old.metadata()?.len() >= rewrite.size,
            TransactionOrigin::EarlierRun => matches(&LogPrefix::read(&mut old, rewrite.size)?, rewrite),
        })
    }

    /// Replaces the log; `None` if it was replaced already.
    pub(super) fn replace_log(&self, rewrite: &LogRewrite) -> io::Result<Option<OldLog>> {
        let (log, draft) = self.file_and_draft(&rewrite.path, &rewrite.draft)?;
        if fs::symlink_metadata(&draft).is_err() {
            return Ok(None);
        }
        let folder = self.session.folder().to_owned();
        let _lock = HeldLock::take(&folder.join(LOCK))?;
        let mut old = crate::fs::open(&log)?;
        old.seek(SeekFrom::Start(rewrite.size))?;
        let mut new = File::options().read(true).write(true).open(&draft)?;
        // Remove the rows that a killed run carried over already.
        writes::set_len(&new, rewrite.length)?;
        if carry_over(&mut old, &mut new, rewrite.lacks_final_newline, CarryOver::Everything)? > 0 {
            writes::sync_all(&new)?;
        }
        writes::rename(&draft, &log)?;
        let lacks_final_newline = rewrite.lacks_final_newline;
        let mut old_log = OldLog { folder, log, old, replaced: Instant::now(), lacks_final_newline };
        old_log.carry_over(CarryOver::Lines)?;
        Ok(Some(old_log))
    }
}

fn matches(mark: &LogPrefix, rewrite: &LogRewrite) -> bool {
    mark.size == rewrite.size && mark.digest.to_hex().as_str() == rewrite.digest
}

/// Part of the old log that is carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CarryOver {
    /// Complete lines. The rest of a line that is still being written would end up after other programs' rows.
    Lines,
    /// Everything.
    Everything,
}

/// Appends the unread bytes of `old` to `new`; returns their number.
fn carry_over(old: &mut File, new: &mut File, lacks_final_newline: bool, amount: CarryOver) -> io::Result<u64> {
    let from = old.stream_position()?;
    let mut more = Vec::new();
    old.read_to_end(&mut more)?;
    if amount == CarryOver::Lines {
        more.truncate(more.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1));
        old.seek(SeekFrom::Start(from + more.len() as u64))?;
    }
    if more.is_empty() {
        return Ok(0);
    }
    let length = new.metadata()?.len();
    if lacks_final_newline && !ends_with_newline(new, length)? {
        new.seek(SeekFrom::End(0))?;
        writes::write_all(new, b"\n")?;
    }
    new.seek(SeekFrom::End(0))?;
    writes::write_all(new, &more)?;
    Ok(more.len() as u64)
}

impl OldLog {
    /// Carries over rows until no other program can write to the old log. Returns the id of a process that still can after
    /// two seconds.
    ///
    /// # Errors
    /// The file system reported an error.
    pub fn drain(&mut self) -> Result<Option<u32>, ApplyError> {
        std::thread::sleep(WAIT_FOR_OPENING.saturating_sub(self.replaced.elapsed()));
        let begin = Instant::now();
        loop {
            // Looked up before carrying over. No program can find the old log any more, because it has no name.
            let writers = other_writers(&self.old);
            let may_write = match writers {
                OtherWriters::None => false,
                OtherWriters::Process(_) => true,
                OtherWriters::Unknown => begin.elapsed() < WAIT_IF_UNKNOWN,
            };
            self.carry_over_locked(if may_write { CarryOver::Lines } else { CarryOver::Everything })?;
            match writers {
                _ if !may_write => return Ok(None),
                OtherWriters::Process(id) if begin.elapsed() > MAX_WAIT => {
                    self.carry_over_locked(CarryOver::Everything)?;
                    return Ok(Some(id));
                }
                _ => std::thread::sleep(POLL_INTERVAL),
            }
        }
    }

    /// Carries over rows once, without waiting.
    ///
    /// # Errors
    /// The file system reported an error.
    pub fn drain_once(&mut self) -> Result<(), ApplyError> {
        self.carry_over_locked(CarryOver::Everything)
    }

    fn carry_over_locked(&mut self, amount: CarryOver) -> Result<(), ApplyError> {
        let carried = self.is_at_end().and_then(|is_at_end| {
            if is_at_end {
                return Ok(());
            }
            let _lock = HeldLock::take(&self.folder.join(LOCK))?;
            self.carry_over(amount)
        });
        carried.map_err(ApplyError::io(self.log.display(), "late rows cannot be carried over"))
    }

    fn is_at_end(&mut self) -> io::Result<bool> {
        Ok(self.old.stream_position()? == self.old.metadata()?.len())
    }

    fn carry_over(&mut self, amount: CarryOver) -> io::Result<()> {
        let mut new = File::options().read(true).append(true).open(&self.log)?;
        carry_over(&mut self.old, &mut new, self.lacks_final_newline, amount).map(|_| ())
    }
}

/// Other programs that may still write to a file without a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OtherWriters {
    /// There is none.
    None,
    /// This process, and possibly others.
    Process(u32),
    /// The system does not say; only Linux lists open files.
    Unknown,
}

/// A process of this user that has the file open for writing.
fn other_writers(file: &File) -> OtherWriters {
    find_writer(file).unwrap_or(OtherWriters::Unknown)
}

fn find_writer(file: &File) -> Option<OtherWriters> {
    let own = file.metadata().ok()?;
    let is_it = |fd: &Path| fs::metadata(fd).is_ok_and(|meta| (meta.dev(), meta.ino()) == (own.dev(), own.ino()));
    let processes = fs::read_dir("/proc").ok()?.flatten().map(|entry| entry.path());
    let me = std::process::id().to_string();
    let others = processes.filter(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.bytes().all(|byte| byte.is_ascii_digit()) && name != me
    });
    let others = others.filter(|process| !is_starting(process, &me));
    // The files of another user's processes are not visible and count as closed.
    let has_it = |process: &PathBuf| open_files(process).any(|fd| is_writable(process, &fd) && is_it(&fd));
    let found = others.into_iter().find(has_it);
    let id = |process: PathBuf| process.file_name()?.to_str()?.parse().ok();
    Some(found.and_then(id).map_or(OtherWriters::None, OtherWriters::Process))
}

/// Whether a process was just forked by this one and has not started its program yet. Until then it has our files open, but
/// it never writes to them.
fn is_starting(process: &Path, me: &str) -> bool {
    let stat = crate::fs::read_to_string(process.join("stat")).unwrap_or_default();
    // The name of the program can contain parentheses and spaces.
    let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
    let program = fs::read_link(process.join("exe")).ok();
    parent == Some(me) && program.is_some() && program == fs::read_link("/proc/self/exe").ok()
}

/// A process's open files that were deleted. Reading the links does not touch the files.
fn open_files(process: &Path) -> impl Iterator<Item = PathBuf> {
    let listed = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
    let nameless =
        |link: io::Result<PathBuf>| link.is_ok_and(|to| to.as_os_str().as_encoded_bytes().ends_with(b" (deleted)"));
    listed.map(|entry| entry.path()).filter(move |fd| nameless(fs::read_link(fd)))
}

fn is_writable(process: &Path, fd: &Path) -> bool {
    let info = process.join("fdinfo").join(fd.file_name().unwrap_or_default());
    let text = crate::fs::read_to_string(info).unwrap_or_default();
    let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
    // Octal. The last two bits are the access mode, 0 for read-only.
    flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok()).is_none_or(|flags| flags & 3 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_partial_row_is_carried_over_when_it_is_complete() {
        let dir = tempfile::tempdir().unwrap();
        let open =
            |name: &str| File::options().read(true).append(true).create(true).open(dir.path().join(name)).unwrap();
        let mut writer = open("old");
        let mut new = open("new");
        let mut old = File::open(dir.path().join("old")).unwrap();
        let text = || fs::read_to_string(dir.path().join("new")).unwrap();
        writer.write_all(b"one\ntw").unwrap();
        assert_eq!(carry_over(&mut old, &mut new, false, CarryOver::Lines).unwrap(), 4);
        assert_eq!(carry_over(&mut old, &mut new, false, CarryOver::Lines).unwrap(), 0);
        new.write_all(b"other\n").unwrap();
        writer.write_all(b"o\nthr").unwrap();
        assert_eq!(carry_over(&mut old, &mut new, false, CarryOver::Lines).unwrap(), 4);
        assert_eq!(text(), "one\nother\ntwo\n");
        assert_eq!(carry_over(&mut old, &mut new, false, CarryOver::Everything).unwrap(), 3);
        assert_eq!(text(), "one\nother\ntwo\nthr");
    }
}

#[cfg(all(test, target_os = "linux"))]
mod process_tests {
    use super::*;
    use std::io::{BufRead as _, BufReader};
    use std::process::{Command, Stdio};

    #[test]
    fn a_writer_is_found_until_it_closes_the_file() {
        let dir = tempfile::tempdir().unwrap();
        for (redirection, want) in [("3>>", true), ("3<", false)] {
            let path = dir.path().join("log");
            let file = File::create(&path).unwrap();
            let script = format!("exec {redirection}\"$0\"; echo open; read line");
            let mut child = Command::new("sh")
                .args(["-c", &script])
                .arg(&path)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
            fs::remove_file(&path).unwrap();
            let seen = if want { OtherWriters::Process(child.id()) } else { OtherWriters::None };
            assert_eq!(other_writers(&file), seen, "{redirection}");
            drop(child.stdin.take());
            child.wait().unwrap();
            assert_eq!(other_writers(&file), OtherWriters::None, "{redirection}");
        }
    }
}
