//! Small contents that undoing a dream needs, each in a file named by its BLAKE3 hash, in `canonry/undo/`.

use crate::apply::Session;
use crate::apply::journal::{LogEntry, load_record};
use crate::apply::temporary::write_atomically;
use crate::fs as writes;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn store(folder: &Path) -> PathBuf {
    folder.join("undo")
}

/// Stores a content; returns its name.
pub(super) fn put(folder: &Path, bytes: &[u8]) -> io::Result<String> {
    let name = blake3::hash(bytes).to_hex().to_string();
    let store = store(folder);
    writes::create_dir_all(&store)?;
    let path = store.join(&name);
    if !path.is_file() {
        // The temporary file is created in the folder above, which every run sweeps.
        write_atomically(folder, &path, bytes)?;
    }
    Ok(name)
}

/// Reads a content and compares it with its hash.
pub(super) fn get(folder: &Path, name: &str) -> io::Result<Vec<u8>> {
    let bytes = crate::fs::read(store(folder).join(name))?;
    if blake3::hash(&bytes).to_hex().as_str() == name {
        Ok(bytes)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidData, format!("undo/{name} was changed")))
    }
}

/// Removes the contents that neither the journal nor the record of the last dream uses; failures are ignored. If one of
/// the two cannot be read, everything stays.
pub(super) fn sweep(session: &Session) {
    let folder = session.folder();
    let (Some(mut used), Ok(record)) = (session.stored_names(), load_record(folder)) else { return };
    let Ok(entries) = fs::read_dir(store(folder)) else { return };
    used.extend(record.iter().flat_map(LogEntry::stored_names).map(str::to_owned));
    for entry in entries.flatten() {
        if entry.file_name().to_str().is_none_or(|name| !used.contains(name)) {
            let _ = writes::remove_file(&entry.path());
        }
    }
    let _ = writes::remove_dir(&store(folder));
}
