//! A marked block in a text that people write too: put in at its end, brought up to date, and taken out so that nothing
//! of it is left.

use std::ops::Range;

/// How a block is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockMarkers {
    /// `<!-- … -->`
    Markdown,
    /// `# …`
    Hash,
    /// `# …` of a block of its own, which may stand in a file beside one of the other kind.
    Merging,
}

/// The marks of a block cannot be told apart: one of them is missing, or stands twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a mark of canonry's block is missing or stands twice")]
pub struct MalformedBlock;

/// A block in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedBlock {
    whole: Range<usize>,
    /// What stands between the marks, with `\n` as line ends.
    pub inner: String,
}

const BEGIN: &str = ">>> canonry >>>";
const END: &str = "<<< canonry <<<";

impl BlockMarkers {
    fn lines(self) -> (String, String) {
        match self {
            Self::Markdown => (format!("<!-- {BEGIN} -->"), format!("<!-- {END} -->")),
            Self::Hash => (format!("# {BEGIN}"), format!("# {END}")),
            Self::Merging => ("# >>> canonry merge >>>".to_owned(), "# <<< canonry merge <<<".to_owned()),
        }
    }
}

/// The block of a text; `None` where it has none.
///
/// # Errors
/// See [`MalformedBlock`].
pub fn find(text: &str, marks: BlockMarkers) -> Result<Option<ManagedBlock>, MalformedBlock> {
    let (begin, end) = marks.lines();
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    let mut offset = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches(['\n', '\r']);
        // A byte order mark stands before the first line.
        let bare = if offset == 0 { line.trim_start_matches('\u{feff}') } else { line };
        let start = offset + line.len() - bare.len();
        offset += whole.len();
        match bare {
            bare if bare == begin => begins.push(start..offset),
            bare if bare == end => ends.push(start..offset),
            _ => {}
        }
    }
    match (begins.as_slice(), ends.as_slice()) {
        ([], []) => Ok(None),
        ([begin], [end]) if begin.end <= end.start => {
            let inner = text[begin.end..end.start].replace("\r\n", "\n");
            Ok(Some(ManagedBlock { whole: begin.start..end.end, inner }))
        }
        _ => Err(MalformedBlock),
    }
}

/// The text with a block that holds `inner`, in the place of the one that is there or at the end. `inner` ends with `\n`.
///
/// # Errors
/// See [`MalformedBlock`].
pub fn put(text: &str, marks: BlockMarkers, inner: &str) -> Result<String, MalformedBlock> {
    let eol = eol(text);
    let (begin, end) = marks.lines();
    let block = format!("{begin}\n{inner}{end}\n").replace('\n', eol);
    if let Some(found) = find(text, marks)? {
        let ended = text[found.whole.clone()].ends_with('\n');
        let block = if ended { &block } else { block.strip_suffix(eol).unwrap_or(&block) };
        return Ok(format!("{}{block}{}", &text[..found.whole.start], &text[found.whole.end..]));
    }
    let bare = text.trim_start_matches('\u{feff}');
    Ok(match () {
        () if bare.is_empty() => format!("{text}{block}"),
        () if text.ends_with('\n') => format!("{text}{eol}{block}"),
        // Behind a last line that has no end, the block has none either: that is how its way out knows.
        () => format!("{text}{eol}{eol}{}", block.strip_suffix(eol).unwrap_or(&block)),
    })
}

/// The text without its block.
///
/// # Errors
/// See [`MalformedBlock`].
pub fn take_out(text: &str, marks: BlockMarkers) -> Result<String, MalformedBlock> {
    let Some(found) = find(text, marks)? else { return Ok(text.to_owned()) };
    let mut before = &text[..found.whole.start];
    let ends = if text[found.whole.clone()].ends_with('\n') { 1 } else { 2 };
    let eol = eol(&text[found.whole.clone()]);
    // At the start of the text it came without a blank line.
    if !before.trim_start_matches('\u{feff}').is_empty() {
        for _ in 0..ends {
            before = before.strip_suffix(eol).unwrap_or(before);
        }
    }
    Ok(format!("{before}{}", &text[found.whole.end..]))
}

/// As the first line ends.
fn eol(text: &str) -> &'static str {
    if text.find('\n').is_some_and(|at| text[..at].ends_with('\r')) { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn stands_at_the_end_behind_a_blank_line() {
        let made = put("# Mine\n", BlockMarkers::Markdown, "@AGENTS.md\n").unwrap();
        assert_eq!(made, "# Mine\n\n<!-- >>> canonry >>> -->\n@AGENTS.md\n<!-- <<< canonry <<< -->\n");
        assert_eq!(put(&made, BlockMarkers::Markdown, "@AGENTS.md\n").unwrap(), made);
        assert_eq!(find(&made, BlockMarkers::Markdown).unwrap().unwrap().inner, "@AGENTS.md\n");
        assert_eq!(find(&made.replace('\n', "\r\n"), BlockMarkers::Markdown).unwrap().unwrap().inner, "@AGENTS.md\n");
    }

    #[test]
    fn torn_blocks_are_left_alone() {
        for text in ["# >>> canonry >>>\n", "# <<< canonry <<<\n", "# <<< canonry <<<\n# >>> canonry >>>\n"] {
            assert_eq!(put(text, BlockMarkers::Hash, "x\n"), Err(MalformedBlock));
            assert_eq!(take_out(text, BlockMarkers::Hash), Err(MalformedBlock));
        }
        assert_eq!(find("say `# >>> canonry >>>`\n", BlockMarkers::Hash), Ok(None));
    }

    fn text() -> impl Strategy<Value = String> {
        let line =
            prop::sample::select(vec!["# Title", "", "text  ", "\tcode", "<!-- a comment -->", "[table]", "é 日本"]);
        let end = prop::sample::select(vec!["\n", "\r\n", "\n\n", ""]);
        let mark = prop::sample::select(vec!["", "", "\u{feff}"]);
        (mark, prop::collection::vec((line, end), 0..6))
            .prop_map(|(mark, lines)| lines.iter().fold(mark.to_owned(), |text, (line, end)| text + line + end))
    }

    proptest! {
        #[test]
        fn what_comes_out_is_what_went_in(text in text(), other in text(), toml in any::<bool>()) {
            let marks = if toml { BlockMarkers::Hash } else { BlockMarkers::Markdown };
            let made = put(&text, marks, "one\n\ntwo\n").unwrap();
            prop_assert_eq!(find(&made, marks).unwrap().unwrap().inner, "one\n\ntwo\n");
            prop_assert_eq!(take_out(&made, marks).unwrap(), text.clone());
            let renewed = put(&made, marks, "three\n").unwrap();
            prop_assert_eq!(take_out(&renewed, marks).unwrap(), text);
            // What people write below it stays below it.
            if made.ends_with('\n') {
                let longer = format!("{made}{other}");
                prop_assert!(take_out(&longer, marks).unwrap().ends_with(&other));
            }
        }
    }
}
