//! Which sessions were reminded of how many failures: by that a hook never holds an agent up twice for the same.

use crate::fs as writes;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

/// Bytes from which the file begins anew. At worst a session that is still open is reminded once more.
const LIMIT: usize = 64 << 10;

/// How many failures a session was reminded of; `None` where it was not reminded yet.
///
/// # Errors
/// The file is there and cannot be read.
pub fn reminded(git_dir: &Path, session: &str) -> io::Result<Option<usize>> {
    let text = read(git_dir)?;
    let name = name(session);
    let own = text.lines().rev().filter_map(|line| line.split_once(' ')).find(|(of, _)| *of == name);
    Ok(own.and_then(|(_, count)| count.parse().ok()))
}

/// Notes that a session is reminded.
///
/// # Errors
/// It cannot be written.
pub fn remind(git_dir: &Path, session: &str, failures: usize) -> io::Result<()> {
    let full = read(git_dir)?.len() >= LIMIT;
    let path = path(git_dir);
    path.parent().map_or(Ok(()), writes::create_dir_all)?;
    let mut options = OpenOptions::new();
    let options = if full { options.write(true).truncate(true) } else { options.append(true) };
    let mut file = writes::open_or_create(options, &path)?;
    writes::write_all(&mut file, format!("{} {failures}\n", name(session)).as_bytes())
}

fn path(git_dir: &Path) -> std::path::PathBuf {
    git_dir.join("canonry").join("reminded")
}

fn read(git_dir: &Path) -> io::Result<String> {
    match fs::read(path(git_dir)) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(String::new()),
        Err(e) => Err(e),
    }
}

/// A session's id may be any text.
fn name(session: &str) -> String {
    blake3::hash(session.as_bytes()).to_hex().chars().take(16).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_on_a_session_counts() {
        let dir = tempfile::tempdir().unwrap();
        let of = |session: &str| reminded(dir.path(), session).unwrap();
        assert_eq!(of("a b\nc"), None);
        remind(dir.path(), "a b\nc", 1).unwrap();
        remind(dir.path(), "other", 7).unwrap();
        remind(dir.path(), "a b\nc", 3).unwrap();
        assert_eq!((of("a b\nc"), of("other"), of("a")), (Some(3), Some(7), None));
    }

    #[test]
    fn it_does_not_grow_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("canonry")).unwrap();
        fs::write(path(dir.path()), "x 1\n".repeat(LIMIT / 4)).unwrap();
        remind(dir.path(), "s", 2).unwrap();
        assert_eq!(reminded(dir.path(), "s").unwrap(), Some(2));
        assert!(fs::metadata(path(dir.path())).unwrap().len() < 100);
    }
}
