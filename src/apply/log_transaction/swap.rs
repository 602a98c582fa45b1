//! The new log in place of the old.

use super::holders::{Writers, writers};
use super::journal::Swap;
use super::{Age, LogTransaction};
use crate::apply::ApplyError;
use crate::apply::log::{LogLock, ends_a_line};
use crate::fs as writes;
use crate::view::log::Mark;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long a writer is waited for that has the old log open.
const PATIENCE: Duration = Duration::from_secs(2);
/// The same where it cannot be known whether there is one.
const QUIET: Duration = Duration::from_millis(50);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(2);

/// The old log, kept open, and the new one: what a writer that had opened the old one before the swap writes to it goes
/// into the new one.
#[derive(Debug)]
pub struct Drain {
    folder: PathBuf,
    log: PathBuf,
    old: File,
    unended: bool,
}

impl LogTransaction<'_> {
    /// Whether the log begins with what was read, as it does once it is in place.
    pub(super) fn is_still(&self, swap: &Swap) -> io::Result<bool> {
        let (log, made) = self.places(&swap.path, &swap.made)?;
        if fs::symlink_metadata(&made).is_err() {
            return Ok(true);
        }
        let mut old = match File::open(&log) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(false),
            old => old?,
        };
        Ok(match self.age {
            // Its hash was compared a moment ago.
            Age::Fresh => old.metadata()?.len() >= swap.size,
            Age::Found => is_the_one(&Mark::of(&mut old, swap.size)?, swap),
        })
    }

    /// `None` where it is in place already.
    pub(super) fn swap(&self, swap: &Swap) -> io::Result<Option<Drain>> {
        let (log, made) = self.places(&swap.path, &swap.made)?;
        if fs::symlink_metadata(&made).is_err() {
            return Ok(None);
        }
        let folder = self.session.folder().to_owned();
        let _lock = LogLock::take(&folder)?;
        let mut old = File::open(&log)?;
        old.seek(SeekFrom::Start(swap.size))?;
        let mut new = File::options().read(true).write(true).open(&made)?;
        // What a run that was killed has carried over already would be carried over twice.
        writes::set_len(&new, swap.length)?;
        if carry(&mut old, &mut new, swap.unended, Part::All)? > 0 {
            writes::sync_all(&new)?;
        }
        writes::rename(&made, &log)?;
        let mut drain = Drain { folder, log, old, unended: swap.unended };
        drain.carry_over(Part::All)?;
        Ok(Some(drain))
    }
}

fn is_the_one(mark: &Mark, swap: &Swap) -> bool {
    mark.size == swap.size && mark.digest.to_hex().as_str() == swap.digest
}

/// How much is carried over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Whole lines: of one that is still being written the end would come behind whatever another program writes meanwhile.
    Lines,
    /// All that is there.
    All,
}

/// What stands in `old` from where it is read goes behind all of `new`.
fn carry(old: &mut File, new: &mut File, unended: bool, part: Part) -> io::Result<u64> {
    let from = old.stream_position()?;
    let mut more = Vec::new();
    old.read_to_end(&mut more)?;
    if part == Part::Lines {
        more.truncate(more.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1));
        old.seek(SeekFrom::Start(from + more.len() as u64))?;
    }
    if more.is_empty() {
        return Ok(0);
    }
    let length = new.metadata()?.len();
    if unended && !ends_a_line(new, length)? {
        new.seek(SeekFrom::End(0))?;
        writes::write_all(new, b"\n")?;
    }
    new.seek(SeekFrom::End(0))?;
    writes::write_all(new, &more)?;
    Ok(more.len() as u64)
}

impl Drain {
    /// Carries over what has been written since, until no other program can write to the old log any more. The process
    /// that still can after two seconds, where there is one.
    ///
    /// # Errors
    /// The file system refused.
    pub fn again(&mut self) -> Result<Option<u32>, ApplyError> {
        let begin = Instant::now();
        loop {
            // Before what they wrote is carried over: nobody opens a file anew that has no name.
            let writers = writers(&self.old);
            let may_write = match writers {
                Writers::None => false,
                Writers::Process(_) => true,
                Writers::Unknown => begin.elapsed() < QUIET,
            };
            self.once_more(if may_write { Part::Lines } else { Part::All })?;
            match writers {
                _ if !may_write => return Ok(None),
                Writers::Process(id) if begin.elapsed() > PATIENCE => {
                    self.once_more(Part::All)?;
                    return Ok(Some(id));
                }
                _ => std::thread::sleep(PAUSE),
            }
        }
    }

    /// The same for one more time, without waiting.
    ///
    /// # Errors
    /// The file system refused.
    pub fn at_last(&mut self) -> Result<(), ApplyError> {
        self.once_more(Part::All)
    }

    fn once_more(&mut self, part: Part) -> Result<(), ApplyError> {
        if self.old.stream_position().ok() == self.old.metadata().ok().map(|meta| meta.len()) {
            return Ok(());
        }
        let lock = LogLock::take(&self.folder);
        let carried = lock.and_then(|_lock| self.carry_over(part));
        carried.map_err(ApplyError::io(self.log.display(), "late rows cannot be carried over"))
    }

    fn carry_over(&mut self, part: Part) -> io::Result<()> {
        let mut new = File::options().read(true).append(true).open(&self.log)?;
        carry(&mut self.old, &mut new, self.unended, part).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    /// A row of which half is written stays where it is until the other half is there too.
    #[test]
    fn half_a_row_waits() {
        let dir = tempfile::tempdir().unwrap();
        let open =
            |name: &str| File::options().read(true).append(true).create(true).open(dir.path().join(name)).unwrap();
        let (mut writer, mut new) = (open("old"), open("new"));
        let mut old = File::open(dir.path().join("old")).unwrap();
        let text = || fs::read_to_string(dir.path().join("new")).unwrap();
        writer.write_all(b"one\ntw").unwrap();
        assert_eq!(carry(&mut old, &mut new, false, Part::Lines).unwrap(), 4);
        assert_eq!(carry(&mut old, &mut new, false, Part::Lines).unwrap(), 0);
        new.write_all(b"other\n").unwrap();
        writer.write_all(b"o\nthr").unwrap();
        assert_eq!(carry(&mut old, &mut new, false, Part::Lines).unwrap(), 4);
        assert_eq!(text(), "one\nother\ntwo\n");
        assert_eq!(carry(&mut old, &mut new, false, Part::All).unwrap(), 3);
        assert_eq!(text(), "one\nother\ntwo\nthr");
    }
}
