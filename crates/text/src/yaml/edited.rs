//! A document after an edit in one item of a block list: only the item is parsed again.

use super::super::Span;
use super::super::node::{Mapping, Node, NodeValue, ScalarStyle};
use super::{ParsedDocument, parse};

impl ParsedDocument {
    /// The document of `text` after the bytes of `span` were replaced by `new`, all in the item of a block list at the JSON
    /// pointer `item`. `None` if the item does not stand for itself, or the edit does not end inside it: then the whole text
    /// has to be parsed.
    pub fn with_edited_item(&self, text: &str, item: &str, span: Span, new: &str) -> Option<Self> {
        let (node, None) = self.root.at_pointer(item)? else { return None };
        let start = text[..node.span.offset].rfind('\n').map_or(0, |newline| newline + 1);
        if self.has_anchors || text[start..node.span.offset].trim_start_matches(' ') != "- " {
            return None;
        }
        let end = text[node.span.end()..].find('\n').map_or(text.len(), |newline| node.span.end() + newline + 1);
        if span.offset <= node.span.offset || span.end() > end {
            return None;
        }
        // Nothing around it belongs to the item, if it has the same value without that.
        if parse_item(&text[start..end], start)? != *node {
            return None;
        }
        let edited = format!("{}{new}{}", &text[start..span.offset], &text[span.end()..end]);
        // The next item begins on a line of its own.
        if end < text.len() && !edited.ends_with('\n') {
            return None;
        }
        let by = isize::try_from(new.len()).ok()? - isize::try_from(span.length).ok()?;
        let new = parse_item(&edited, start).filter(|new| !ends_with_block(new))?;
        let mut root = self.root.clone();
        let path: Vec<&str> = item.split('/').skip(1).collect();
        replace(&mut root, &path, new, by)?;
        Some(Self { root, duplicates: self.duplicates.clone(), has_anchors: false })
    }
}

/// The only item of a list, if it is a mapping, without duplicate keys and anchors.
fn parse_item(text: &str, offset: usize) -> Option<Node> {
    let document = parse(text, offset).ok()?;
    if !document.duplicates.is_empty() || document.has_anchors {
        return None;
    }
    let NodeValue::Sequence(mut items) = document.root.value else { return None };
    items.pop().filter(|item| items.is_empty() && item.as_mapping().is_some())
}

/// Whether the last value is a `|` or `>` block: empty lines that follow may belong to it.
fn ends_with_block(node: &Node) -> bool {
    match &node.value {
        NodeValue::Scalar(scalar) => scalar.style == ScalarStyle::Block,
        NodeValue::Sequence(items) => items.last().is_some_and(ends_with_block),
        NodeValue::Mapping(mapping) => mapping.entries.last().is_some_and(|entry| ends_with_block(&entry.value)),
    }
}

/// Replaces the node at a path through block collections. Everything after it moves `by` bytes.
fn replace(node: &mut Node, path: &[&str], new: Node, by: isize) -> Option<()> {
    let Some((part, rest)) = path.split_first() else {
        *node = new;
        return Some(());
    };
    let end = match &mut node.value {
        NodeValue::Sequence(items) => {
            let at = part.parse::<usize>().ok()?;
            items.iter_mut().skip(at + 1).for_each(|item| shift(item, by));
            replace(items.get_mut(at)?, rest, new, by)?;
            items.last()?.span.end()
        }
        NodeValue::Mapping(Mapping { entries, flow: false }) => {
            let at = entries.iter().position(|entry| entry.key == *part)?;
            for entry in entries.iter_mut().skip(at + 1) {
                entry.key_span = moved(entry.key_span, by);
                shift(&mut entry.value, by);
            }
            replace(&mut entries.get_mut(at)?.value, rest, new, by)?;
            entries.last()?.value.span.end()
        }
        _ => return None,
    };
    node.span = Span::new(node.span.offset, end);
    Some(())
}

fn shift(node: &mut Node, by: isize) {
    node.span = moved(node.span, by);
    match &mut node.value {
        NodeValue::Scalar(_) => {}
        NodeValue::Sequence(items) => items.iter_mut().for_each(|item| shift(item, by)),
        NodeValue::Mapping(mapping) => {
            for entry in &mut mapping.entries {
                entry.key_span = moved(entry.key_span, by);
                shift(&mut entry.value, by);
            }
        }
    }
}

fn moved(span: Span, by: isize) -> Span {
    Span { offset: span.offset.saturating_add_signed(by), ..span }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ITEMS: [&str; 8] = [
        "- {id: a, status: pending} # c\n",
        "- id: a\n  status: pending\n",
        "  # c\n- id: a # b\n  deps: [x,\n    y]\n",
        "- id: 'a''b'\n  status: \"pending\"\n  text: |\n    - id: x\n\n    status: pending\n\n",
        "- status: pending\n  id: a\n  text: two\n    lines\n",
        "-   id: é\n    list:\n    - 1\n    - {a: b}\n",
        "- # c\n  id: a\n  status: pending\n",
        "- id: a\n  text: >+\n    folded\n\n  status: pending",
    ];

    proptest! {
        /// Whatever is parsed alone equals the parse of the whole text, with its spans.
        #[test]
        fn an_edited_item_is_parsed_as_in_its_document(
            items in proptest::collection::vec(0..ITEMS.len(), 1..5),
            at in 0_usize..5,
            edited in 0_usize..400,
            length in 0_usize..9,
            new in proptest::sample::select(vec![
                "complete", "'x'", "", "\n  k: v", "k: v\n", "  k: v\n", ", k: v", "|\n", "\"", "- b\n", "&x y", "*x", "#",
                "\n", "- id: z\n  ", " ",
            ]),
            indent in 0_usize..3,
            rest in proptest::sample::select(vec!["", "after: {k: v}\n", "# end\n", "\n\nafter:\n  - 1\n"]),
        ) {
            let mut text = "top: 1\nsteps:\n".to_owned();
            for item in &items {
                for line in ITEMS[*item].trim_end_matches('\n').lines() {
                    text.push_str(&format!("{}{line}\n", " ".repeat(indent)));
                }
            }
            text.push_str(rest);
            let Ok(document) = parse(&text, 0) else { return Ok(()) };
            let item = format!("/steps/{}", at % items.len());
            let end = edited.min(text.len()) + length;
            let span = Span::new(edited.min(text.len()), end.min(text.len()));
            let is_boundary = text.is_char_boundary(span.offset) && text.is_char_boundary(span.end());
            if !is_boundary || !document.duplicates.is_empty() {
                return Ok(());
            }
            let Some(alone) = document.with_edited_item(&text, &item, span, new) else { return Ok(()) };
            let whole = format!("{}{new}{}", &text[..span.offset], &text[span.end()..]);
            prop_assert_eq!(parse(&whole, 0), Ok(alone), "{} -> {}", text, whole);
        }
    }
}
