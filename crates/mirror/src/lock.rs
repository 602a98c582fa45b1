//! `mirrors.lock`: the files that sync last wrote and may therefore change or remove.

use bstr::{BStr, ByteSlice};
use canonry_model::canon::{FileMode, FileState};
use canonry_model::config::{is_mirror_path, mirror_root};
use canonry_text::RepoPath;
use canonry_text::conflict::ConflictMarker;
use gix_hash::ObjectId;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;

/// The owned paths with the states that sync wrote: one line `<git object id> <mode> <path>` each, sorted by path.
///
/// A path can have several entries while it is unknown which write came last; then each of the states is owned. Clones share
/// the entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    entries: Arc<Vec<(RepoPath, FileState)>>,
}

/// An invalid line of the lock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct LockError {
    /// Counted from 1.
    pub line: usize,
    pub message: String,
}

impl Lock {
    /// Builds a lock from entries in any order.
    pub fn new(mut entries: Vec<(RepoPath, FileState)>) -> Self {
        let order = |a: &(RepoPath, FileState), b: &(RepoPath, FileState)| {
            a.0.cmp(&b.0).then_with(|| (a.1.id, a.1.mode).cmp(&(b.1.id, b.1.mode)))
        };
        // A stable sort needs only one pass over sorted input, which is the usual case.
        entries.sort_by(order);
        entries.dedup();
        Self { entries: Arc::new(entries) }
    }

    /// Parses the file.
    ///
    /// # Errors
    /// The first line that is not `<id> <mode> <path>`.
    pub fn parse(bytes: &[u8]) -> Result<Self, LockError> {
        let mut entries = Vec::new();
        for (at, line) in bytes.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let error = |message: &str| LockError { line: at + 1, message: message.to_owned() };
            if ConflictMarker::of(line).is_some() {
                return Err(error("unresolved merge conflict"));
            }
            let mut parts = line.splitn(3, |b| *b == b' ');
            let id = parts.next();
            let mode = parts.next();
            let path = parts.next();
            let id = id.and_then(|id| ObjectId::from_hex(id).ok()).ok_or_else(|| error("expected an object id"))?;
            let mode =
                mode.and_then(FileMode::from_octal).ok_or_else(|| error("expected a mode after the object id"))?;
            let path = path.filter(|path| !path.is_empty()).ok_or_else(|| error("expected a path after the mode"))?;
            let path = Some(RepoPath::new(path)).filter(|path| !path.is_empty());
            let path = path.ok_or_else(|| error("the path is empty"))?;
            entries.push((path, FileState { id, mode }));
        }
        Ok(Self::new(entries))
    }

    /// Parses a file with git merge conflicts. The entries of both sides are owned, so a path can have two states until the
    /// next sync.
    ///
    /// # Errors
    /// The first invalid line, or an incomplete conflict.
    pub fn parse_conflicted(bytes: &[u8]) -> Result<Self, LockError> {
        both_sides(bytes).and_then(|text| Self::parse(&text))
    }

    /// Returns the text of the file.
    pub fn to_text(&self) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.entries.len() * 96);
        let mut head = String::new();
        for (path, state) in self.entries() {
            head.clear();
            // Writing to a String cannot fail.
            let _ = write!(head, "{} {} ", state.id, state.mode);
            text.extend_from_slice(head.as_bytes());
            text.extend_from_slice(path.as_bstr());
            text.push(b'\n');
        }
        text
    }

    /// Adds entries.
    #[must_use]
    pub fn with(&self, more: impl IntoIterator<Item = (RepoPath, FileState)>) -> Self {
        let mut more = more.into_iter().peekable();
        if more.peek().is_none() {
            return self.clone();
        }
        Self::new(self.entries.iter().cloned().chain(more).collect())
    }

    /// Replaces the entries of `paths` by those of another lock.
    #[must_use]
    pub fn with_entries_from(&self, other: &Self, paths: &[RepoPath]) -> Self {
        if paths.is_empty() {
            return self.clone();
        }
        let unique: HashSet<&RepoPath> = paths.iter().collect();
        let kept = self.entries.iter().filter(|(path, _)| !unique.contains(path)).cloned();
        let replaced = paths.iter().flat_map(|path| other.states(path).map(|state| (path.clone(), state)));
        Self::new(kept.chain(replaced).collect())
    }

    /// Keeps only entries in mirrors.
    #[must_use]
    pub fn in_mirrors(&self) -> Self {
        let entries = self.entries.iter().filter(|(path, _)| is_mirror_path(path));
        Self { entries: Arc::new(entries.cloned().collect()) }
    }

    /// Keeps only entries outside mirrors.
    #[must_use]
    pub fn outside_mirrors(&self) -> Self {
        let entries = self.entries.iter().filter(|(path, _)| !is_mirror_path(path));
        Self { entries: Arc::new(entries.cloned().collect()) }
    }

    /// Lists the folders of the mirrors with entries.
    pub fn mirror_roots(&self) -> Vec<RepoPath> {
        let mut roots = Vec::new();
        let mut rest = self.entries.as_slice();
        while let Some((path, _)) = rest.first() {
            let root = mirror_root(path);
            // The entries of a mirror are next to each other.
            let count = root.as_ref().map_or(1, |root| rest.partition_point(|(path, _)| path.is_within(root)).max(1));
            rest = &rest[count..];
            roots.extend(root);
        }
        roots
    }

    /// Lists the states that sync wrote at a path.
    pub fn states<'a>(&'a self, path: &RepoPath) -> impl Iterator<Item = FileState> + use<'a> {
        let start = self.entries.partition_point(|(p, _)| p < path);
        let path = path.clone();
        self.entries[start..].iter().take_while(move |(p, _)| *p == path).map(|(_, state)| *state)
    }

    pub fn owns(&self, path: &RepoPath) -> bool {
        self.states(path).next().is_some()
    }

    /// Lists the entries below a folder.
    pub fn below(&self, folder: &RepoPath) -> &[(RepoPath, FileState)] {
        below(&self.entries, folder)
    }

    /// The entries below a folder, by the name directly inside it.
    pub fn children(&self, folder: &RepoPath) -> HashMap<&BStr, &[(RepoPath, FileState)]> {
        let groups = self.below(folder).chunk_by(|a, b| name_below(a, folder) == name_below(b, folder));
        groups.map(|group| (name_below(&group[0], folder), group)).collect()
    }

    pub fn owns_below(&self, folder: &RepoPath) -> bool {
        !self.below(folder).is_empty()
    }

    pub fn entries(&self) -> &[(RepoPath, FileState)] {
        &self.entries
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Returns the name of an entry directly inside a folder, or of the folder there that contains it.
fn name_below<'a>((path, _): &'a (RepoPath, FileState), folder: &RepoPath) -> &'a BStr {
    let below = path.below(folder).unwrap_or_default();
    below[..below.find_byte(b'/').unwrap_or(below.len())].as_bstr()
}

/// Returns the entries below a folder, without the folder itself, from a list sorted by path.
pub(super) fn below<'a>(sorted: &'a [(RepoPath, FileState)], folder: &RepoPath) -> &'a [(RepoPath, FileState)] {
    let mut prefix = folder.as_bstr().to_vec();
    prefix.push(b'/');
    let start = sorted.partition_point(|(path, _)| path.as_bstr() < prefix.as_slice());
    // Most folders are small.
    let length = sorted[start..].iter().take_while(|(path, _)| path.as_bstr().starts_with(&prefix)).count();
    &sorted[start..start + length]
}

/// Returns the lines of both sides of all conflicts. Marker lines and base versions become empty lines, so that line numbers
/// stay the same.
fn both_sides(bytes: &[u8]) -> Result<Vec<u8>, LockError> {
    use ConflictMarker::{Base, End, Ours, Theirs};
    // The marker above the line, inside a conflict.
    let mut within = None;
    let mut text = Vec::with_capacity(bytes.len());
    for (at, line) in bytes.lines().enumerate() {
        let next = match (within, ConflictMarker::of(line)) {
            (None, Some(Ours)) => Some(Ours),
            (Some(Ours), Some(Base)) => Some(Base),
            (Some(Ours | Base), Some(Theirs)) => Some(Theirs),
            (Some(Theirs), Some(End)) => None,
            // The base can contain a conflict itself.
            (same, None) | (same @ Some(Base), Some(_)) => same,
            _ => return Err(LockError { line: at + 1, message: INCOMPLETE.to_owned() }),
        };
        if next == within && within != Some(Base) {
            text.extend_from_slice(line);
        }
        text.push(b'\n');
        within = next;
    }
    match within {
        None => Ok(text),
        Some(_) => Err(LockError { line: bytes.lines().count(), message: INCOMPLETE.to_owned() }),
    }
}

const INCOMPLETE: &str = "incomplete merge conflict";

#[cfg(test)]
mod tests {
    use super::*;

    fn state(byte: u8) -> FileState {
        FileState { id: ObjectId::from_bytes_or_panic(&[byte; 20]), mode: FileMode::File }
    }

    #[test]
    fn text_round_trips_sorted() {
        let lock = Lock::new(vec![(RepoPath::from("b c"), state(2)), (RepoPath::from("a"), state(1))]);
        let text = lock.to_text();
        assert!(text.starts_with(b"0101010101010101010101010101010101010101 100644 a\n"));
        assert_eq!(Lock::parse(&text), Ok(lock));
    }

    #[test]
    fn reports_the_invalid_line() {
        let good = "0101010101010101010101010101010101010101 100644 a\n";
        for (text, line, words) in [
            ("x y z\n".to_owned(), 1, "object id"),
            (format!("{good}0101010101010101010101010101010101010101 7 a\n"), 2, "mode"),
            (format!("{good}\n<<<<<<< HEAD\n"), 3, "merge conflict"),
            ("0101010101010101010101010101010101010101 100644 \n".to_owned(), 1, "path"),
            ("0101010101010101010101010101010101010101 100644 .\n".to_owned(), 1, "path is empty"),
        ] {
            let problem = Lock::parse(text.as_bytes()).expect_err("bad");
            assert_eq!(problem.line, line, "{text}");
            assert!(problem.message.contains(words), "{problem}");
        }
    }

    #[test]
    fn a_conflict_gives_both_sides_without_the_base() {
        let line = |byte: u8, path: &str| format!("{} 100644 {path}\n", state(byte).id);
        let text = format!(
            "{}<<<<<<< HEAD\r\n{}||||||| base\n<<<<<<<<< x\n{}=========\n>>>>>>>>> x\n=======\n{}{}>>>>>>> other\n{}",
            line(1, "a"),
            line(2, "b"),
            line(3, "b"),
            line(4, "b"),
            line(5, "c"),
            line(6, "d")
        );
        let all = [("a", 1), ("b", 2), ("b", 4), ("c", 5), ("d", 6)];
        let entries = all.map(|(path, byte)| (RepoPath::from(path), state(byte)));
        assert_eq!(Lock::parse_conflicted(text.as_bytes()).as_ref().map(Lock::entries), Ok(&entries[..]));
        let plain = line(1, "a");
        assert_eq!(Lock::parse_conflicted(plain.as_bytes()), Lock::parse(plain.as_bytes()));
    }

    #[test]
    fn an_incomplete_conflict_is_an_error() {
        for (text, line) in [
            ("<<<<<<< HEAD\n", 1),
            ("\n=======\n", 2),
            (">>>>>>> x\n", 1),
            ("<<<<<<< HEAD\n=======\n=======\n", 3),
            ("<<<<<<< HEAD\n=======\nnonsense\n>>>>>>> x\n", 3),
        ] {
            assert_eq!(Lock::parse_conflicted(text.as_bytes()).expect_err("bad").line, line, "{text}");
        }
    }

    #[test]
    fn all_states_of_a_path_are_owned() {
        let path = RepoPath::from("p");
        let lock = Lock::new(vec![(path.clone(), state(1))]).with([(path.clone(), state(2))]);
        assert_eq!(lock.states(&path).collect::<Vec<_>>(), [state(1), state(2)]);
        assert!(lock.owns(&path) && !lock.owns(&RepoPath::from("q")));
    }

    #[test]
    fn owns_below_compares_whole_path_components() {
        let lock = Lock::new(vec![(RepoPath::from("m/a-b/x"), state(1)), (RepoPath::from("m/a/x"), state(1))]);
        assert!(lock.owns_below(&RepoPath::from("m/a")));
        assert!(!lock.owns_below(&RepoPath::from("m/b")));
        assert!(!lock.owns_below(&RepoPath::from("m/a/x")));
    }
}
