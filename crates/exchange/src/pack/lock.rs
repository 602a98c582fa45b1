//! `pack.lock`: what `canonry pack` last wrote.

use crate::lock_document::{self, InvalidLock};
use canonry_model::canon::{FileMode, FileState};
use canonry_text::RepoPath;
use gix_hash::ObjectId;
use semver::Version;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The document `canonry/pack-lock/v1`.
const SCHEMA: &str = "canonry/pack-lock/v1";

/// The last pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackLock {
    /// The name of the plugin, which another clone or work tree keeps.
    pub name: Option<String>,
    /// The folder of the plugin, if the user named one that is not the configured one.
    pub out: Option<RepoPath>,
    pub version: Version,
    /// Identifies the content, whatever the version is.
    pub content: ObjectId,
    /// The files that canonry wrote.
    pub files: BTreeMap<RepoPath, FileState>,
}

#[derive(Serialize, Deserialize)]
struct PackLockDocument {
    schema: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    out: Option<String>,
    version: String,
    content: String,
    files: BTreeMap<String, String>,
}

impl PackLock {
    /// Parses the text of a lock. Every path is checked, because a lock can come from anyone who commits.
    ///
    /// # Errors
    /// See [`InvalidLock`].
    pub fn parse(text: &str) -> Result<Self, InvalidLock> {
        let document: PackLockDocument = lock_document::parse(text, SCHEMA)?;
        let id = |text: &str| {
            ObjectId::from_hex(text.as_bytes()).map_err(|_| InvalidLock(format!("`{text}` is not an object id")))
        };
        let state = |text: &str| {
            let wrong = || InvalidLock(format!("`{text}` is not the mode and the id of a file"));
            let (mode, id_text) = text.split_once(' ').ok_or_else(wrong)?;
            Ok(FileState { id: id(id_text)?, mode: FileMode::from_octal(mode.as_bytes()).ok_or_else(wrong)? })
        };
        let inside = |path: &String| {
            let is_inside = !path.is_empty() && path.split('/').all(|part| !matches!(part, "" | "." | ".." | ".git"));
            if is_inside {
                Ok(RepoPath::from(path.as_str()))
            } else {
                Err(InvalidLock(format!("`{}` is not a path in this repository", path.escape_debug())))
            }
        };
        let file = |(path, text): (&String, &String)| Ok((inside(path)?, state(text)?));
        // The top of the repository has no name.
        let folder = |path: &String| if path == "." { Ok(RepoPath::default()) } else { inside(path) };
        Ok(Self {
            name: document.name,
            out: document.out.as_ref().map(folder).transpose()?,
            version: Version::parse(&document.version)
                .map_err(|_| InvalidLock(format!("`{}` is not a version", document.version)))?,
            content: id(&document.content)?,
            files: document.files.iter().map(file).collect::<Result<_, _>>()?,
        })
    }

    /// The text of the lock. Equal locks have equal texts.
    pub fn to_text(&self) -> String {
        let state = |state: &FileState| format!("{} {}", state.mode.as_octal(), state.id);
        let document = PackLockDocument {
            schema: SCHEMA.to_owned(),
            name: self.name.clone(),
            out: self.out.as_ref().map(|out| if out.is_empty() { ".".to_owned() } else { out.to_display() }),
            version: self.version.to_string(),
            content: self.content.to_string(),
            files: self.files.iter().map(|(path, file)| (path.to_display(), state(file))).collect(),
        };
        lock_document::to_text(&document)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock() -> PackLock {
        let id = ObjectId::from_hex(b"e69de29bb2d1d6434b8b29ae775ad8c2e48c5391").unwrap();
        let state = FileState { id, mode: FileMode::Executable };
        let files = BTreeMap::from([(RepoPath::from("plugins/a/skills/b/run.sh"), state)]);
        let name = Some("a".to_owned());
        let out = Some(RepoPath::from("plugins/a"));
        PackLock { name, out, version: Version::new(1, 2, 3), content: id, files }
    }

    #[test]
    fn text_is_read_back() {
        assert_eq!(PackLock::parse(&lock().to_text()), Ok(lock()));
        let at_top = PackLock { out: Some(RepoPath::default()), ..lock() };
        assert_eq!(PackLock::parse(&at_top.to_text()), Ok(at_top));
    }

    #[test]
    fn refuses_what_no_pack_wrote() {
        let text = lock().to_text();
        for (old, new, want) in [
            ("pack-lock/v1", "pack-lock/v9", "its schema is `canonry/pack-lock/v9`"),
            ("1.2.3", "1.2", "`1.2` is not a version"),
            ("plugins/a/", "../", "`../skills/b/run.sh` is not a path in this repository"),
            ("\"plugins/a\"", "\"../a\"", "`../a` is not a path in this repository"),
            ("plugins/a/", ".git/", "`.git/skills/b/run.sh` is not a path in this repository"),
            ("100755 ", "999 ", "is not the mode and the id of a file"),
            ("{\n", "<<<<<<< a\n{\n", "it has git's conflict markers"),
        ] {
            let error = PackLock::parse(&text.replacen(old, new, 1)).unwrap_err().to_string();
            assert!(error.contains(want), "{error}");
        }
    }
}
