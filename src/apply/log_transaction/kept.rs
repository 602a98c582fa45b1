//! What is kept for taking a dream back: small contents beside its record, each under its BLAKE3.

use super::journal::Journal;
use crate::apply::temporary::atomic_file;
use crate::fs as writes;
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn home(folder: &Path) -> PathBuf {
    folder.join("undo")
}

/// Keeps a content, and gives its name.
pub(super) fn keep(folder: &Path, bytes: &[u8]) -> io::Result<String> {
    let name = blake3::hash(bytes).to_hex().to_string();
    let home = home(folder);
    writes::create_dir_all(&home)?;
    let path = home.join(&name);
    if !path.is_file() {
        // By way of the folder above, where what a killed run leaves is swept.
        atomic_file(folder, &path, bytes)?;
    }
    Ok(name)
}

/// A content that was kept. One that is another by now is none.
pub(super) fn kept(folder: &Path, name: &str) -> io::Result<Vec<u8>> {
    let path = home(folder).join(name);
    let bytes = fs::read(&path)?;
    match blake3::hash(&bytes).to_hex().as_str() == name {
        true => Ok(bytes),
        false => Err(io::Error::new(io::ErrorKind::InvalidData, format!("undo/{name} was changed"))),
    }
}

/// Removes what neither an unfinished run nor the record of the last dream speaks of. It matters to nobody whether that
/// succeeds; where one of them cannot be read, all stays.
pub(super) fn sweep(folder: &Path) {
    let (Ok(journal), Ok(record)) = (Journal::load(folder), Journal::load_record(folder)) else { return };
    let Ok(entries) = fs::read_dir(home(folder)) else { return };
    let wanted: BTreeSet<&str> = [&journal, &record].into_iter().flatten().flat_map(Journal::kept).collect();
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_none_or(|name| !wanted.contains(name)) {
            let _ = writes::remove_file(&entry.path());
        }
    }
    let _ = writes::remove_dir(&home(folder));
}
