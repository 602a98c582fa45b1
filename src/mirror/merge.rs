//! Two changes of the same text become one, where they do not touch the same lines.

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::diff::blob::InternedInput;
use gix::merge::blob::Resolution;
use gix::merge::blob::builtin_driver::text as merged_text;
use gix::merge::blob::builtin_driver::text::{Labels, Options};

/// Bytes at the start of a file in which git looks for a NUL to tell that it is no text.
const LOOKED_AT: usize = 8000;

/// What merging a mirror's file with the canon's gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeOutcome {
    /// Both changes.
    Text {
        /// As the file stands in the work tree.
        bytes: Vec<u8>,
        /// The id that git gives it.
        id: ObjectId,
    },
    /// Both change the same lines: these, between the usual markers.
    Conflict(String),
    /// There is nothing to begin with, or something that is no text.
    Impossible,
    /// The canon's with the change would not give the mirror's with it: it is made for the tool.
    ToolSpecific,
}

/// Three texts as git stores them.
#[derive(Clone, Copy, Debug)]
pub struct MergeSides<'a> {
    /// What both began with.
    pub base: &'a [u8],
    /// The canon's.
    pub canon: &'a [u8],
    /// The mirror's.
    pub mirror: &'a [u8],
}

/// What the two sides are called between the markers.
#[derive(Clone, Copy, Debug)]
pub struct MergeLabels<'a> {
    /// The canon's.
    pub canon: &'a str,
    /// The mirror's.
    pub mirror: &'a str,
}

/// Merges line by line, as git does.
///
/// # Errors
/// The lines that both change, between markers; nothing where a side is no text.
pub fn merge(sides: &MergeSides<'_>, names: &MergeLabels<'_>) -> Result<Vec<u8>, Option<String>> {
    let MergeSides { base, canon, mirror } = *sides;
    if [base, canon, mirror].iter().any(|text| text.iter().take(LOOKED_AT).any(|byte| *byte == 0)) {
        return Err(None);
    }
    let labels = Labels { ancestor: None, current: Some(names.canon.into()), other: Some(names.mirror.into()) };
    let (mut out, mut input) = (Vec::new(), InternedInput::default());
    match merged_text(&mut out, &mut input, labels, canon, base, mirror, Options::default()) {
        Resolution::Complete => Ok(out),
        Resolution::Conflict | Resolution::CompleteWithAutoResolvedConflict => Err(Some(conflicts(&out))),
    }
}

/// The parts of a merged text that are between markers.
fn conflicts(text: &[u8]) -> String {
    let mut inside = false;
    let lines = text.lines_with_terminator().filter(|line| {
        inside |= is_marker(line, b'<');
        let told = inside;
        inside &= !is_marker(line, b'>');
        told
    });
    let mut told: String = lines.map(|line| line.to_str_lossy().into_owned()).collect();
    if !told.ends_with('\n') {
        told.push('\n');
    }
    told
}

/// Whether a line is git's marker of this kind: seven of it, then nothing or a label.
pub fn is_marker(line: &[u8], kind: u8) -> bool {
    let line = line.trim_end_with(|c| matches!(c, '\n' | '\r'));
    let (marker, rest) = line.split_at(line.len().min(7));
    marker == [kind; 7] && rest.first().is_none_or(|byte| *byte == b' ')
}

/// Whether git has left a conflict in a text.
pub fn has_conflict(text: &[u8]) -> bool {
    let mut lines = text.lines();
    [b'<', b'=', b'>'].into_iter().all(|kind| lines.any(|line| is_marker(line, kind)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NAMES: MergeLabels<'_> = MergeLabels { canon: "c", mirror: "m" };

    fn merged(base: &[u8], canon: &[u8], mirror: &[u8]) -> Result<Vec<u8>, Option<String>> {
        merge(&MergeSides { base, canon, mirror }, &NAMES)
    }

    #[test]
    fn both_changes_or_the_lines_in_conflict() {
        assert_eq!(merged(b"1\n2\n3\n4\n5\n", b"0\n2\n3\n4\n5\n", b"1\n2\n3\n4\n6\n"), Ok(b"0\n2\n3\n4\n6\n".to_vec()));
        let told = "<<<<<<< c\nours\n=======\ntheirs\n>>>>>>> m\n";
        assert_eq!(merged(b"1\n2\n3\n", b"1\nours\n3\n", b"1\ntheirs\n3\n"), Err(Some(told.to_owned())));
        assert_eq!(merged(b"a\0", b"b\0", b"a\0"), Err(None));
    }

    #[test]
    fn knows_a_conflict_from_a_text_about_one() {
        assert!(has_conflict(b"a\n<<<<<<< HEAD\r\nx\n=======\ny\n>>>>>>> other\n"));
        for text in ["a\n=======\n", "<<<<<<< HEAD\n", "<<<<<<<<< HEAD\n=======\n>>>>>>> x\n", ">>>>>>> x\n<<<<<<< y\n"]
        {
            assert!(!has_conflict(text.as_bytes()), "{text}");
        }
    }

    fn text() -> impl Strategy<Value = Vec<u8>> {
        let lines = prop::collection::vec(0..4u8, 0..8);
        (lines, any::<bool>()).prop_map(|(lines, ends)| {
            let mut text: Vec<u8> = lines.iter().flat_map(|line| [b'a' + line, b'\n']).collect();
            if !ends {
                text.pop();
            }
            text
        })
    }

    proptest! {
        #[test]
        fn a_change_on_one_side_alone_is_taken_as_it_is(base in text(), change in text()) {
            prop_assert_eq!(merged(&base, &change, &base), Ok(change.clone()));
            prop_assert_eq!(merged(&base, &base, &change), Ok(change.clone()));
            prop_assert_eq!(merged(&base, &change, &change), Ok(change));
        }

        #[test]
        fn what_merges_holds_no_markers(base in text(), canon in text(), mirror in text()) {
            if let Ok(text) = merged(&base, &canon, &mirror) {
                prop_assert!(!has_conflict(&text) && !text.contains(&b'<'));
            }
        }
    }
}
