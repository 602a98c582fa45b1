//! The lines that git writes into a file with a merge conflict.

use bstr::ByteSlice as _;

/// A kind of marker line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictMarker {
    /// `<<<<<<<`: our version begins.
    Ours,
    /// `|||||||`: the common version begins.
    Base,
    /// `=======`: their version begins. The same line underlines a heading in Markdown.
    Theirs,
    /// `>>>>>>>`: the conflict ends.
    End,
}

impl ConflictMarker {
    /// The kind of a marker line: the character seven times, then nothing or a label. The line may have its line break.
    pub fn of(line: &[u8]) -> Option<Self> {
        let line = line.trim_end_with(|c| matches!(c, '\n' | '\r'));
        let (marker, rest) = line.split_at_checked(7)?;
        let kind = match marker {
            b"<<<<<<<" => Self::Ours,
            b"|||||||" => Self::Base,
            b"=======" => Self::Theirs,
            b">>>>>>>" => Self::End,
            _ => return None,
        };
        rest.first().is_none_or(|byte| *byte == b' ').then_some(kind)
    }
}

/// The place of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineStart {
    pub offset: usize,
    /// Counted from 1.
    pub line: usize,
}

/// The first marker line.
pub fn first_marker(text: &[u8]) -> Option<LineStart> {
    let mut offset = 0;
    for (at, line) in text.lines_with_terminator().enumerate() {
        if ConflictMarker::of(line).is_some() {
            return Some(LineStart { offset, line: at + 1 });
        }
        offset += line.len();
    }
    None
}

/// Whether a text has a line that nothing but a merge conflict explains, even if the conflict is not complete.
pub fn has_marker(text: &[u8]) -> bool {
    text.lines().any(|line| matches!(ConflictMarker::of(line), Some(ConflictMarker::Ours | ConflictMarker::End)))
}

/// Whether a text has a complete merge conflict.
pub fn has_conflict(text: &[u8]) -> bool {
    let mut lines = text.lines();
    [ConflictMarker::Ours, ConflictMarker::Theirs, ConflictMarker::End]
        .into_iter()
        .all(|kind| lines.any(|line| ConflictMarker::of(line) == Some(kind)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_marker() {
        let place = |text: &str| first_marker(text.as_bytes()).map(|at| (at.offset, at.line));
        assert_eq!(place("a\r\nb\n<<<<<<< HEAD\n=======\n"), Some((5, 3)));
        assert_eq!(place("=======\n"), Some((0, 1)));
        assert_eq!(place("a\n<<<<<<<<\n"), None);
    }

    #[test]
    fn detects_only_complete_conflicts() {
        assert!(has_conflict(b"a\n<<<<<<< HEAD\r\nx\n=======\ny\n>>>>>>> other\n"));
        for text in ["a\n=======\n", "<<<<<<< HEAD\n", "<<<<<<<<< HEAD\n=======\n>>>>>>> x\n", ">>>>>>> x\n<<<<<<< y\n"]
        {
            assert!(!has_conflict(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn a_marker_has_seven_characters_and_nothing_or_a_label() {
        let of = |line: &str| ConflictMarker::of(line.as_bytes());
        assert_eq!(of("<<<<<<< HEAD\r\n"), Some(ConflictMarker::Ours));
        assert_eq!(of("|||||||"), Some(ConflictMarker::Base));
        assert_eq!(of("=======\n"), Some(ConflictMarker::Theirs));
        assert_eq!(of(">>>>>>> a b"), Some(ConflictMarker::End));
        for line in ["", "<<<<<<", "<<<<<<<<", "=======x", " <<<<<<< HEAD", "<<<<===", "a"] {
            assert_eq!(of(line), None, "{line}");
        }
    }

    #[test]
    fn a_lone_separator_is_no_marker_of_a_conflict() {
        assert!(has_marker(b"{\n<<<<<<< a\n") && has_marker(b">>>>>>> b"));
        assert!(!has_marker(b"Title\n=======\n") && !has_marker(b""));
    }
}
