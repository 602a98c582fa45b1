//! Number of failures that each session was reminded of, so that a hook never stops an agent twice for the same
//! failure.

use crate::fs as writes;
use std::fs::OpenOptions;
use std::io;
use std::path::Path;

/// Size in bytes from which the file is started again. At worst, an open session gets one reminder more.
const MAX_BYTES: usize = 64 << 10;

/// Number of failures that a session was reminded of; `None` if it was not reminded yet.
///
/// # Errors
/// The file exists and cannot be read.
pub fn reminded_failures(git_dir: &Path, session: &str) -> io::Result<Option<usize>> {
    let text = read(git_dir)?;
    let name = session_name(session);
    let own = text.lines().rev().filter_map(|line| line.split_once(' ')).find(|(other, _)| *other == name);
    Ok(own.and_then(|(_, count)| count.parse().ok()))
}

/// Records that a session is reminded.
///
/// # Errors
/// The file cannot be written.
pub fn record_reminder(git_dir: &Path, session: &str, failures: usize) -> io::Result<()> {
    let full = read(git_dir)?.len() >= MAX_BYTES;
    let path = path(git_dir);
    path.parent().map_or(Ok(()), writes::create_dir_all)?;
    let mut options = OpenOptions::new();
    let options = if full { options.write(true).truncate(true) } else { options.append(true) };
    let mut file = writes::open_or_create(options, &path)?;
    writes::write_all(&mut file, format!("{} {failures}\n", session_name(session)).as_bytes())
}

fn path(git_dir: &Path) -> std::path::PathBuf {
    git_dir.join("canonry").join("reminded")
}

fn read(git_dir: &Path) -> io::Result<String> {
    let bytes = crate::fs::read_if_exists(path(git_dir))?;
    Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
}

/// A name without spaces or line breaks; a session's id may be any text.
fn session_name(session: &str) -> String {
    blake3::hash(session.as_bytes()).to_hex().chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_last_entry_of_a_session_counts() {
        let dir = tempfile::tempdir().unwrap();
        let count = |session: &str| reminded_failures(dir.path(), session).unwrap();
        assert_eq!(count("a b\nc"), None);
        record_reminder(dir.path(), "a b\nc", 1).unwrap();
        record_reminder(dir.path(), "other", 7).unwrap();
        record_reminder(dir.path(), "a b\nc", 3).unwrap();
        assert_eq!((count("a b\nc"), count("other"), count("a")), (Some(3), Some(7), None));
    }

    #[test]
    fn the_file_stays_small() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("canonry")).unwrap();
        fs::write(path(dir.path()), "x 1\n".repeat(MAX_BYTES / 4)).unwrap();
        record_reminder(dir.path(), "s", 2).unwrap();
        assert_eq!(reminded_failures(dir.path(), "s").unwrap(), Some(2));
        assert!(fs::metadata(path(dir.path())).unwrap().len() < 100);
    }
}
