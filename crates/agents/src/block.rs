//! The managed block in a text that users also write. Removing a block restores the text from before the insertion.

use std::ops::Range;

/// The marker lines of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockMarkers {
    /// `<!-- … -->`
    Markdown,
    /// `# …`
    Hash,
    /// `# …`, for the merge driver's block, which can be in the same file as a `Hash` block.
    MergeDriver,
}

/// A marker is missing or occurs twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a marker of the canonry block is missing or occurs twice")]
pub struct MalformedBlock;

/// A block in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedBlock {
    /// The block with its markers.
    pub range: Range<usize>,
    /// The text between the markers, with `\n` line endings.
    pub inner: String,
}

const BEGIN: &str = ">>> canonry >>>";
const END: &str = "<<< canonry <<<";

impl BlockMarkers {
    fn lines(self) -> (String, String) {
        match self {
            Self::Markdown => (format!("<!-- {BEGIN} -->"), format!("<!-- {END} -->")),
            Self::Hash => (format!("# {BEGIN}"), format!("# {END}")),
            Self::MergeDriver => ("# >>> canonry merge >>>".to_owned(), "# <<< canonry merge <<<".to_owned()),
        }
    }
}

/// Finds the block of a text.
///
/// # Errors
/// See [`MalformedBlock`].
pub fn find(text: &str, markers: BlockMarkers) -> Result<Option<ManagedBlock>, MalformedBlock> {
    let (begin, end) = markers.lines();
    let mut begins = Vec::new();
    let mut ends = Vec::new();
    let mut offset = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches(['\n', '\r']);
        // The first line may start with a byte order mark.
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
            Ok(Some(ManagedBlock { range: begin.start..end.end, inner }))
        }
        _ => Err(MalformedBlock),
    }
}

/// Replaces the block of a text, or appends one. `inner` ends with `\n`.
///
/// # Errors
/// See [`MalformedBlock`].
pub fn insert(text: &str, markers: BlockMarkers, inner: &str) -> Result<String, MalformedBlock> {
    let line_ending = line_ending(text);
    let (begin, end) = markers.lines();
    let block = format!("{begin}\n{inner}{end}\n").replace('\n', line_ending);
    let without_end = || block.strip_suffix(line_ending).unwrap_or(&block);
    if let Some(found) = find(text, markers)? {
        let ended = text[found.range.clone()].ends_with('\n');
        let block = if ended { &block } else { without_end() };
        return Ok(format!("{}{block}{}", &text[..found.range.start], &text[found.range.end..]));
    }
    let bare = text.trim_start_matches('\u{feff}');
    Ok(if bare.is_empty() {
        format!("{text}{block}")
    } else if text.ends_with('\n') {
        format!("{text}{line_ending}{block}")
    } else {
        // If the last line has no line ending, the block gets none either. `remove` uses this to restore the text.
        format!("{text}{line_ending}{line_ending}{}", without_end())
    })
}

/// Removes the block of a text.
///
/// # Errors
/// See [`MalformedBlock`].
pub fn remove(text: &str, markers: BlockMarkers) -> Result<String, MalformedBlock> {
    let Some(found) = find(text, markers)? else { return Ok(text.to_owned()) };
    let mut before = &text[..found.range.start];
    let added_line_endings = if text[found.range.clone()].ends_with('\n') { 1 } else { 2 };
    let line_ending = line_ending(&text[found.range.clone()]);
    // At the start of a text, the block has no blank line before it.
    if !before.trim_start_matches('\u{feff}').is_empty() {
        for _ in 0..added_line_endings {
            before = before.strip_suffix(line_ending).unwrap_or(before);
        }
    }
    Ok(format!("{before}{}", &text[found.range.end..]))
}

/// Returns the line ending of the first line.
fn line_ending(text: &str) -> &'static str {
    if text.find('\n').is_some_and(|at| text[..at].ends_with('\r')) { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_new_block_follows_a_blank_line_at_the_end() {
        let made = insert("# Mine\n", BlockMarkers::Markdown, "@AGENTS.md\n").unwrap();
        assert_eq!(made, "# Mine\n\n<!-- >>> canonry >>> -->\n@AGENTS.md\n<!-- <<< canonry <<< -->\n");
        assert_eq!(insert(&made, BlockMarkers::Markdown, "@AGENTS.md\n").unwrap(), made);
        assert_eq!(find(&made, BlockMarkers::Markdown).unwrap().unwrap().inner, "@AGENTS.md\n");
        assert_eq!(find(&made.replace('\n', "\r\n"), BlockMarkers::Markdown).unwrap().unwrap().inner, "@AGENTS.md\n");
    }

    #[test]
    fn malformed_blocks_are_errors() {
        for text in ["# >>> canonry >>>\n", "# <<< canonry <<<\n", "# <<< canonry <<<\n# >>> canonry >>>\n"] {
            assert_eq!(insert(text, BlockMarkers::Hash, "x\n"), Err(MalformedBlock));
            assert_eq!(remove(text, BlockMarkers::Hash), Err(MalformedBlock));
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
        fn remove_restores_the_text_before_insert(text in text(), other in text(), toml in any::<bool>()) {
            let markers = if toml { BlockMarkers::Hash } else { BlockMarkers::Markdown };
            let made = insert(&text, markers, "one\n\ntwo\n").unwrap();
            prop_assert_eq!(find(&made, markers).unwrap().unwrap().inner, "one\n\ntwo\n");
            prop_assert_eq!(remove(&made, markers).unwrap(), text.clone());
            let renewed = insert(&made, markers, "three\n").unwrap();
            prop_assert_eq!(remove(&renewed, markers).unwrap(), text);
            // Text below the block stays below it.
            if made.ends_with('\n') {
                let longer = format!("{made}{other}");
                prop_assert!(remove(&longer, markers).unwrap().ends_with(&other));
            }
        }
    }
}
