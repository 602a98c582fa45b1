//! The journal: what a run is about to do, for the run after it.

use crate::canon::{FileMode, FileState};
use crate::edit::Edit;
use crate::syntax::RepoPath;
use gix::ObjectId;
use gix::bstr::ByteSlice;

/// One change that an unfinished run may or may not have made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// Where.
    pub path: RepoPath,
    /// What stood there before the run.
    pub was: Option<FileState>,
    /// What the run puts there.
    pub now: Option<FileState>,
}

impl Intent {
    /// Of an edit.
    pub fn of(edit: &Edit) -> Self {
        Self { path: edit.path().clone(), was: edit.was(), now: edit.now() }
    }
}

/// One line each: `<id> <mode> <id> <mode> <path>`, `- -` where nothing stands.
pub(super) fn to_text(intents: &[Intent]) -> Vec<u8> {
    let mut text = Vec::with_capacity(intents.len() * 140);
    for intent in intents {
        for state in [intent.was, intent.now] {
            let words = state.map_or("- - ".to_owned(), |s| format!("{} {} ", s.id, s.mode));
            text.extend_from_slice(words.as_bytes());
        }
        text.extend_from_slice(intent.path.as_bstr());
        text.push(b'\n');
    }
    text
}

/// Lines that are none are passed over: what they meant is then judged as anyone's file would be.
pub(super) fn parse(text: &[u8]) -> Vec<Intent> {
    text.lines().filter_map(intent).collect()
}

fn intent(line: &[u8]) -> Option<Intent> {
    let mut parts = line.splitn(5, |b| *b == b' ');
    let mut state = || -> Option<Option<FileState>> {
        let (id, mode) = (parts.next()?, parts.next()?);
        if id == b"-" {
            return Some(None);
        }
        Some(Some(FileState { id: ObjectId::from_hex(id).ok()?, mode: FileMode::from_octal(mode)? }))
    };
    let (was, now) = (state()?, state()?);
    let path = parts.next().filter(|path| !path.is_empty())?;
    Some(Intent { path: RepoPath::new(path), was, now })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trips() {
        let state =
            |byte: u8| Some(FileState { id: ObjectId::from_bytes_or_panic(&[byte; 20]), mode: FileMode::Executable });
        let intents = vec![
            Intent { path: RepoPath::from("a b"), was: None, now: state(1) },
            Intent { path: RepoPath::from("c"), was: state(2), now: None },
            Intent { path: RepoPath::from("d"), was: state(3), now: state(4) },
        ];
        let mut text = to_text(&intents);
        assert_eq!(parse(&text), intents);
        text.extend_from_slice(b"torn 1");
        assert_eq!(parse(&text), intents);
    }
}
