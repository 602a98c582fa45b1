//! The chain of `AGENTS.md` files that Codex puts together: from the top of the repository down to a folder, at most one
//! of each folder on the way.

use super::Blob;
use super::blob::BlobError;
use crate::syntax::RepoPath;

/// What Codex looks for in a folder; the first that there is counts alone.
pub const NAMES: [&str; 2] = ["AGENTS.override.md", "AGENTS.md"];

/// A file that is read before another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AncestorContext {
    /// Where it lies.
    pub path: RepoPath,
    /// Its bytes.
    pub bytes: u64,
}

/// The files above `path`, the top first; `None` where another file of its own folder is read in its place.
pub fn above(path: &RepoPath, read: &dyn Fn(&RepoPath) -> Blob) -> Option<Vec<AncestorContext>> {
    let here = path.parent()?;
    let is_first =
        NAMES.iter().map(|name| here.join(name)).find(|file| bytes(&read(file)).is_some()).as_ref() == Some(path);
    if !is_first {
        return None;
    }
    let mut folders: Vec<RepoPath> = std::iter::successors(here.parent(), RepoPath::parent).collect();
    folders.reverse();
    let of_folder = |folder: RepoPath| {
        let mut files = NAMES.iter().map(|name| folder.join(name));
        files.find_map(|path| bytes(&read(&path)).map(|bytes| AncestorContext { path, bytes }))
    };
    Some(folders.into_iter().filter_map(of_folder).filter(|above| above.bytes > 0).collect())
}

/// How long a file is; one with nothing but white space adds nothing.
fn bytes(blob: &Blob) -> Option<u64> {
    match blob {
        Blob::Bytes(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => Some(0),
        Blob::Bytes(bytes) => Some(bytes.len() as u64),
        Blob::Missing(BlobError::TooLarge { size, .. }) => Some(*size),
        Blob::Missing(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(path: &str, files: &[(&str, usize)]) -> Option<Vec<(String, u64)>> {
        let read = |path: &RepoPath| match files.iter().find(|(name, _)| RepoPath::from(*name) == *path) {
            Some((_, length)) => Blob::Bytes(vec![b'x'; *length]),
            None => Blob::Missing(BlobError::Absent),
        };
        let found = above(&RepoPath::from(path), &read)?;
        Some(found.into_iter().map(|above| (above.path.to_string(), above.bytes)).collect())
    }

    #[test]
    fn one_file_of_each_folder_on_the_way_counts() {
        let files = [
            ("AGENTS.md", 10),
            ("a/AGENTS.md", 20),
            ("a/AGENTS.override.md", 30),
            ("a/b/AGENTS.md", 40),
            ("a/b/c/AGENTS.md", 0),
            ("a/b/c/d/AGENTS.md", 50),
            ("z/AGENTS.md", 60),
        ];
        let owned = |list: &[(&str, u64)]| list.iter().map(|(path, bytes)| ((*path).to_owned(), *bytes)).collect();
        for (path, want) in [
            ("AGENTS.md", Some(owned(&[]))),
            ("a/AGENTS.md", None),
            ("a/AGENTS.override.md", Some(owned(&[("AGENTS.md", 10)]))),
            (
                "a/b/c/d/AGENTS.md",
                Some(owned(&[("AGENTS.md", 10), ("a/AGENTS.override.md", 30), ("a/b/AGENTS.md", 40)])),
            ),
        ] {
            assert_eq!(chain(path, &files), want, "{path}");
        }
    }
}
