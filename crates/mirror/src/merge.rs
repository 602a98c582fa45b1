//! Three-way merge of text files.

use bstr::ByteSlice;
use canonry_text::conflict::ConflictMarker;
use gix_diff::blob::InternedInput;
use gix_hash::ObjectId;
use gix_merge::blob::Resolution;
use gix_merge::blob::builtin_driver::text as merged_text;
use gix_merge::blob::builtin_driver::text::{Labels, Options};

/// The number of leading bytes in which git looks for a NUL to detect binary files.
const BINARY_DETECTION_BYTES: usize = 8000;

/// A mirror file merged into its canonical file: the content as in the work tree, with its git object id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedFile {
    pub bytes: Vec<u8>,
    pub id: ObjectId,
}

/// The three versions of a file, as git stores them.
#[derive(Clone, Copy, Debug)]
pub struct MergeSides<'a> {
    /// The common version.
    pub base: &'a [u8],
    pub canon: &'a [u8],
    pub mirror: &'a [u8],
}

/// The labels of the two sides in conflict markers.
#[derive(Clone, Copy, Debug)]
pub struct MergeLabels<'a> {
    pub canon: &'a str,
    pub mirror: &'a str,
}

/// Why two versions cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There is no common version, or one side is not text.
    #[error("there is no common version, or it is not text")]
    Impossible,
    /// The conflicting lines, between conflict markers.
    #[error("both sides change the same lines")]
    Conflict(String),
    /// Rendering the merged document would not reproduce the edited copy.
    #[error("the edit concerns content that only this tool gets")]
    ToolSpecific,
}

/// Merges line by line, as git does.
///
/// # Errors
/// See [`MergeError`].
pub fn merge(sides: &MergeSides<'_>, labels: &MergeLabels<'_>) -> Result<Vec<u8>, MergeError> {
    let MergeSides { base, canon, mirror } = *sides;
    let is_binary = |text: &[u8]| text.iter().take(BINARY_DETECTION_BYTES).any(|byte| *byte == 0);
    if [base, canon, mirror].into_iter().any(is_binary) {
        return Err(MergeError::Impossible);
    }
    let labels = Labels { ancestor: None, current: Some(labels.canon.into()), other: Some(labels.mirror.into()) };
    let mut out = Vec::new();
    let mut input = InternedInput::default();
    match merged_text(&mut out, &mut input, labels, canon, base, mirror, Options::default()) {
        Resolution::Complete => Ok(out),
        Resolution::Conflict | Resolution::CompleteWithAutoResolvedConflict => {
            Err(MergeError::Conflict(conflicts(&out)))
        }
    }
}

/// Extracts the parts between conflict markers.
fn conflicts(text: &[u8]) -> String {
    let mut inside = false;
    let lines = text.lines_with_terminator().filter(|line| {
        let marker = ConflictMarker::of(line);
        inside |= marker == Some(ConflictMarker::Ours);
        let keep = inside;
        inside &= marker != Some(ConflictMarker::End);
        keep
    });
    let mut found: String = lines.map(|line| line.to_str_lossy().into_owned()).collect();
    if !found.ends_with('\n') {
        found.push('\n');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::conflict::has_conflict;
    use proptest::prelude::*;

    const LABELS: MergeLabels<'_> = MergeLabels { canon: "c", mirror: "m" };

    fn merged(base: &[u8], canon: &[u8], mirror: &[u8]) -> Result<Vec<u8>, MergeError> {
        merge(&MergeSides { base, canon, mirror }, &LABELS)
    }

    #[test]
    fn merges_both_changes_or_returns_the_conflict() {
        assert_eq!(merged(b"1\n2\n3\n4\n5\n", b"0\n2\n3\n4\n5\n", b"1\n2\n3\n4\n6\n"), Ok(b"0\n2\n3\n4\n6\n".to_vec()));
        let conflict = "<<<<<<< c\nours\n=======\ntheirs\n>>>>>>> m\n";
        assert_eq!(
            merged(b"1\n2\n3\n", b"1\nours\n3\n", b"1\ntheirs\n3\n"),
            Err(MergeError::Conflict(conflict.to_owned()))
        );
        assert_eq!(merged(b"a\0", b"b\0", b"a\0"), Err(MergeError::Impossible));
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
        fn a_change_on_one_side_is_kept(base in text(), change in text()) {
            prop_assert_eq!(merged(&base, &change, &base), Ok(change.clone()));
            prop_assert_eq!(merged(&base, &base, &change), Ok(change.clone()));
            prop_assert_eq!(merged(&base, &change, &change), Ok(change));
        }

        #[test]
        fn merged_text_has_no_markers(base in text(), canon in text(), mirror in text()) {
            if let Ok(text) = merged(&base, &canon, &mirror) {
                prop_assert!(!has_conflict(&text) && !text.contains(&b'<'));
            }
        }
    }
}
