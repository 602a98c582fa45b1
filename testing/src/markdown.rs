//! Random Markdown documents.

use proptest::prelude::*;

/// Up to 13 lines with lists, headings, fences and other starts of blocks, with either kind of line ending.
pub fn documents() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("# Title"),
        Just("## Lessons"),
        Just("## Other"),
        Just(""),
        Just("- item"),
        Just("  - nested"),
        Just("* star"),
        Just(" - deep"),
        Just("1. one"),
        Just("text"),
        Just("  more"),
        Just("```"),
        Just("<!-- c -->"),
        Just("> - quoted"),
        Just("---"),
        Just("\t- tab"),
        Just("| a | b |"),
        Just("- [ ] task"),
        Just("==="),
        Just("Use tabs"),
        Just("\u{feff}"),
        Just("ä")
    ];
    (prop::collection::vec(line, 0..14), any::<bool>(), any::<bool>()).prop_map(|(lines, crlf, end)| {
        let text = lines.join("\n") + if end { "\n" } else { "" };
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}
