//! `mirrors.lock`: what sync last wrote, and so may change or remove.

use super::merge::is_marker;
use super::state::below;
use crate::canon::{FileMode, FileState};
use crate::config::Target;
use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::ByteSlice;
use std::fmt::Write;

/// Paths that sync owns, with what it wrote there: one line each, `<git object id> <mode> <path>`, sorted by path.
///
/// A path may stand more than once while it is not known which write came last: then any of its states is ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lock {
    entries: Vec<(RepoPath, FileState)>,
}

/// A line that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct LockError {
    /// From 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl Lock {
    /// From entries in any order.
    pub fn new(mut entries: Vec<(RepoPath, FileState)>) -> Self {
        let order = |a: &(RepoPath, FileState), b: &(RepoPath, FileState)| {
            a.0.cmp(&b.0).then_with(|| (a.1.id, a.1.mode).cmp(&(b.1.id, b.1.mode)))
        };
        // Sorted input, as every lock is, costs one pass.
        entries.sort_by(order);
        entries.dedup();
        Self { entries }
    }

    /// Reads the file.
    ///
    /// # Errors
    /// The first line that is not `<id> <mode> <path>`.
    pub fn parse(bytes: &[u8]) -> Result<Self, LockError> {
        let mut entries = Vec::new();
        for (at, line) in bytes.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let bad = |message: &str| LockError { line: at + 1, message: message.to_owned() };
            if b"<=>|".iter().any(|kind| is_marker(line, *kind)) {
                return Err(bad("a merge conflict that is not resolved"));
            }
            let mut parts = line.splitn(3, |b| *b == b' ');
            let (id, mode, path) = (parts.next(), parts.next(), parts.next());
            let id = id.and_then(|id| ObjectId::from_hex(id).ok()).ok_or_else(|| bad("no object id at its start"))?;
            let mode = mode.and_then(FileMode::from_octal).ok_or_else(|| bad("no mode behind the object id"))?;
            let path = path.filter(|path| !path.is_empty()).ok_or_else(|| bad("no path behind the mode"))?;
            let path = Some(RepoPath::new(path)).filter(|path| !path.is_empty());
            let path = path.ok_or_else(|| bad("a path that names nothing"))?;
            entries.push((path, FileState { id, mode }));
        }
        Ok(Self::new(entries))
    }

    /// Reads a file in which git has left a conflict: what either side says is ours. A path of which both say something
    /// has two states then, until the next sync.
    ///
    /// # Errors
    /// The first line that is none, or a marker without the others.
    pub fn parse_conflicted(bytes: &[u8]) -> Result<Self, LockError> {
        both_sides(bytes).and_then(|text| Self::parse(&text))
    }

    /// The file's text.
    pub fn to_text(&self) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.entries.len() * 96);
        let mut head = String::new();
        for (path, state) in &self.entries {
            head.clear();
            // Writing into a String cannot fail.
            let _ = write!(head, "{} {} ", state.id, state.mode);
            text.extend_from_slice(head.as_bytes());
            text.extend_from_slice(path.as_bstr());
            text.push(b'\n');
        }
        text
    }

    /// The same with `more` states that are ours too.
    #[must_use]
    pub fn with(&self, more: impl IntoIterator<Item = (RepoPath, FileState)>) -> Self {
        let mut entries = self.entries.clone();
        entries.extend(more);
        Self::new(entries)
    }

    /// The same, but with what `other` says of `paths`.
    #[must_use]
    pub fn with_those_of(&self, other: &Self, paths: &[RepoPath]) -> Self {
        let kept = self.entries.iter().filter(|(path, _)| !paths.contains(path)).cloned();
        let of_other = paths.iter().flat_map(|path| other.states(path).map(|state| (path.clone(), state)));
        Self::new(kept.chain(of_other).collect())
    }

    /// The same, but for what is in no mirror.
    #[must_use]
    pub fn in_mirrors(&self) -> Self {
        let entries = self.entries.iter().filter(|(path, _)| Target::holding(path).is_some());
        Self { entries: entries.cloned().collect() }
    }

    /// The same, but for what is in a mirror.
    #[must_use]
    pub fn beside_mirrors(&self) -> Self {
        let entries = self.entries.iter().filter(|(path, _)| Target::holding(path).is_none());
        Self { entries: entries.cloned().collect() }
    }

    /// What we wrote at a path.
    pub fn states<'a>(&'a self, path: &RepoPath) -> impl Iterator<Item = FileState> + use<'a> {
        let start = self.entries.partition_point(|(p, _)| p < path);
        let length = self.entries[start..].partition_point(|(p, _)| p == path);
        self.entries[start..start + length].iter().map(|(_, state)| *state)
    }

    /// Whether a path is ours.
    pub fn owns(&self, path: &RepoPath) -> bool {
        self.states(path).next().is_some()
    }

    /// What is ours below a folder.
    pub fn below(&self, folder: &RepoPath) -> &[(RepoPath, FileState)] {
        below(&self.entries, folder)
    }

    /// Whether anything below a folder is ours.
    pub fn owns_below(&self, folder: &RepoPath) -> bool {
        !self.below(folder).is_empty()
    }

    /// Every path and state.
    pub fn entries(&self) -> &[(RepoPath, FileState)] {
        &self.entries
    }

    /// Whether it owns nothing.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// The lines of both sides. A line stays where it was: those that are dropped, markers and what both began with, are
/// empty.
fn both_sides(bytes: &[u8]) -> Result<Vec<u8>, LockError> {
    let mut within = Part::Outside;
    let mut text = Vec::with_capacity(bytes.len());
    for (at, line) in bytes.lines().enumerate() {
        let next = match within {
            Part::Outside if is_marker(line, b'<') => Part::Ours,
            Part::Ours if is_marker(line, b'|') => Part::Base,
            Part::Ours | Part::Base if is_marker(line, b'=') => Part::Theirs,
            Part::Theirs if is_marker(line, b'>') => Part::Outside,
            // What both began with may hold a conflict of its own, under longer markers.
            same if same == Part::Base || !b"<=>|".iter().any(|kind| is_marker(line, *kind)) => same,
            _ => return Err(LockError { line: at + 1, message: HALF.to_owned() }),
        };
        if next == within && within != Part::Base {
            text.extend_from_slice(line);
        }
        text.push(b'\n');
        within = next;
    }
    match within {
        Part::Outside => Ok(text),
        _ => Err(LockError { line: bytes.lines().count(), message: HALF.to_owned() }),
    }
}

const HALF: &str = "half of a merge conflict";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Outside,
    Ours,
    Base,
    Theirs,
}

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
    fn says_which_line_is_none() {
        let good = "0101010101010101010101010101010101010101 100644 a\n";
        for (text, line, words) in [
            ("x y z\n".to_owned(), 1, "object id"),
            (format!("{good}0101010101010101010101010101010101010101 7 a\n"), 2, "mode"),
            (format!("{good}\n<<<<<<< HEAD\n"), 3, "merge conflict"),
            ("0101010101010101010101010101010101010101 100644 \n".to_owned(), 1, "path"),
            ("0101010101010101010101010101010101010101 100644 .\n".to_owned(), 1, "names nothing"),
        ] {
            let problem = Lock::parse(text.as_bytes()).expect_err("bad");
            assert_eq!(problem.line, line, "{text}");
            assert!(problem.message.contains(words), "{problem}");
        }
    }

    #[test]
    fn a_conflict_gives_both_sides_and_not_what_they_began_with() {
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
    fn half_a_conflict_is_none() {
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
    fn several_states_of_a_path_are_all_ours() {
        let path = RepoPath::from("p");
        let lock = Lock::new(vec![(path.clone(), state(1))]).with([(path.clone(), state(2))]);
        assert_eq!(lock.states(&path).collect::<Vec<_>>(), [state(1), state(2)]);
        assert!(lock.owns(&path) && !lock.owns(&RepoPath::from("q")));
    }

    #[test]
    fn owning_below_respects_borders() {
        let lock = Lock::new(vec![(RepoPath::from("m/a-b/x"), state(1)), (RepoPath::from("m/a/x"), state(1))]);
        assert!(lock.owns_below(&RepoPath::from("m/a")));
        assert!(!lock.owns_below(&RepoPath::from("m/b")));
        assert!(!lock.owns_below(&RepoPath::from("m/a/x")));
    }
}
