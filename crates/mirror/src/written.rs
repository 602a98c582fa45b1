//! The record of what sync wrote in this clone, one line for each change, oldest first.
//!
//! It is the file `canonry/written` in git's folder. `<git object id> <mode> <path>` says that sync wrote a file or a part of
//! one, `- - <path>` that sync removed it. The lock has only the last sync, and git may replace it together with the canon;
//! this record is what recognises the mirrors of an older sync.

use bstr::ByteSlice;
use canonry_model::canon::{FileMode, FileState};
use canonry_text::RepoPath;
use gix_hash::ObjectId;
use std::collections::{BTreeMap, HashMap};

/// A change that sync made; `None` if it removed the file.
pub type WrittenChange = (RepoPath, Option<FileState>);

/// Recorded states of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenStates {
    /// States that sync wrote since it last removed the file.
    pub states: Vec<FileState>,
}

/// Returns the lines for changes.
pub fn to_lines(changes: &[WrittenChange]) -> Vec<u8> {
    let mut text = Vec::with_capacity(changes.len() * 96);
    for (path, state) in changes {
        let head = state.map_or("- - ".to_owned(), |state| format!("{} {} ", state.id, state.mode));
        text.extend_from_slice(head.as_bytes());
        text.extend_from_slice(path.as_bstr());
        text.push(b'\n');
    }
    text
}

/// Returns what a record says about the paths that `is_wanted` accepts. Incomplete lines, which a killed run may leave, are
/// skipped.
pub fn find(text: &[u8], is_wanted: impl Fn(&[u8]) -> bool) -> HashMap<RepoPath, WrittenStates> {
    let mut found: HashMap<RepoPath, WrittenStates> = HashMap::new();
    for (path, state) in text.lines_with_terminator().filter_map(|line| parse_line(line, &is_wanted)) {
        let written = found.entry(path).or_default();
        match state {
            Some(state) if !written.states.contains(&state) => written.states.push(state),
            Some(_) => {}
            None => written.states.clear(),
        }
    }
    found
}

/// Returns the record without repetitions and without the states that a removal made meaningless. Every other state stays: a
/// state is recorded before the file is written, so the last ones may have never been on disk.
pub fn compact(text: &[u8]) -> Vec<u8> {
    let mut by_path: BTreeMap<RepoPath, Vec<FileState>> = BTreeMap::new();
    for (path, state) in text.lines_with_terminator().filter_map(|line| parse_line(line, &|_| true)) {
        let states = by_path.entry(path).or_default();
        match state {
            Some(state) if !states.contains(&state) => states.push(state),
            Some(_) => {}
            None => states.clear(),
        }
    }
    let all = |(path, states): (RepoPath, Vec<FileState>)| {
        states.into_iter().map(|state| (path.clone(), Some(state))).collect::<Vec<_>>()
    };
    to_lines(&by_path.into_iter().flat_map(all).collect::<Vec<_>>())
}

fn parse_line(line: &[u8], is_wanted: &dyn Fn(&[u8]) -> bool) -> Option<WrittenChange> {
    let mut parts = line.strip_suffix(b"\n")?.splitn(3, |b| *b == b' ');
    let id = parts.next()?;
    let mode = parts.next()?;
    let path = parts.next()?;
    if path.is_empty() || !is_wanted(path) {
        return None;
    }
    let state = match id {
        b"-" => None,
        id => Some(FileState { id: ObjectId::from_hex(id).ok()?, mode: FileMode::from_octal(mode)? }),
    };
    Some((RepoPath::new(path), state))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(byte: u8) -> Option<FileState> {
        Some(FileState { id: ObjectId::from_bytes_or_panic(&[byte; 20]), mode: FileMode::Executable })
    }

    fn changes(list: &[(&str, Option<FileState>)]) -> Vec<u8> {
        to_lines(&list.iter().map(|(path, state)| (RepoPath::from(*path), *state)).collect::<Vec<_>>())
    }

    #[test]
    fn finds_the_states_since_the_last_removal() {
        let mut text =
            changes(&[("a b", state(1)), ("c", state(2)), ("a b", None), ("a b", state(3)), ("a b", state(4))]);
        text.extend_from_slice(b"0101 100644 a b\n0303030303030303030303030303030303030303 100644 a");
        let found = find(&text, |path| path == b"a b");
        let states = [state(3), state(4)].into_iter().flatten().collect();
        assert_eq!(found, HashMap::from([(RepoPath::from("a b"), WrittenStates { states })]));
    }

    #[test]
    fn a_compacted_record_keeps_each_state_once_since_the_last_removal() {
        let list = [
            ("a", state(1)),
            ("a", state(2)),
            ("b", state(1)),
            ("a", state(1)),
            ("b", None),
            ("b", state(2)),
            ("c", state(3)),
            ("c", None),
        ];
        let text = compact(&changes(&list));
        assert_eq!(text, changes(&[("a", state(1)), ("a", state(2)), ("b", state(2))]));
        assert_eq!(compact(&text), text);
    }
}
