//! The lists as text: a table for people, JSON lines for programs, and the block that agents are shown.

use super::entry::ManifestEntry;
use super::seal;
use crate::syntax::markup::escape_markup;
use std::fmt::Write as _;

/// What the manifest's first line says it is.
pub const MANIFEST: &str = "canonry/skills-manifest/v1";

/// `_index.md`. The cards are sorted by name.
pub fn render_index(cards: &[ManifestEntry]) -> String {
    let mut body = "\n# Skills\n\n| name | description | category | triggers |\n|---|---|---|---|\n".to_owned();
    for card in cards {
        let (name, description) = (cell(&card.name), cell(&card.description));
        let category = cell(card.category.as_deref().unwrap_or_default());
        let row = format!("| {name} | {description} | {category} | {} |", cell(&card.triggers.join(", ")));
        body.push_str(&(row.replace("|  |", "| |").replace("|  |", "| |") + "\n"));
    }
    seal::markdown(&body)
}

/// What Markdown would read as more than text in a cell.
fn cell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}

/// `_manifest.jsonl`. The cards are sorted by name.
pub fn render_manifest(cards: &[ManifestEntry]) -> String {
    let mut body = String::new();
    for card in cards {
        // Nothing in a card is what JSON cannot hold.
        body.push_str(&serde_json::to_string(card).unwrap_or_default());
        body.push('\n');
    }
    seal::json_lines(MANIFEST, &body)
}

/// The cards of a manifest that is as it was made; none where anyone has touched it.
pub fn parse_manifest(manifest: &str) -> Vec<ManifestEntry> {
    if !seal::is_whole(manifest) {
        return Vec::new();
    }
    manifest.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// The `<available_skills>` block, as the specification of Agent Skills has it.
pub fn render_xml(cards: &[ManifestEntry]) -> String {
    let mut out = "<available_skills>\n".to_owned();
    for card in cards {
        let (name, description, location) =
            (escape_markup(&card.name), escape_markup(&card.description), escape_markup(&card.path));
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    \
             <location>{location}</location>\n  </skill>\n"
        );
    }
    out + "</available_skills>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn card(name: &str, description: &str) -> ManifestEntry {
        ManifestEntry { name: name.to_owned(), description: description.to_owned(), ..ManifestEntry::default() }
    }

    #[test]
    fn text_breaks_no_table_and_no_tag() {
        let cards = [card("a", "x | y <b> & \"z\"")];
        assert!(render_index(&cards).contains("| a | x \\| y &lt;b> & \"z\" | | |\n"));
        assert!(render_xml(&cards).contains("<description>x | y &lt;b&gt; &amp; &quot;z&quot;</description>"));
    }

    proptest! {
        #[test]
        fn a_manifest_gives_back_its_cards(names in prop::collection::vec("\\PC{0,12}", 0..5), description in "\\PC{0,40}") {
            let cards: Vec<ManifestEntry> = names.iter().map(|name| card(name, &description)).collect();
            let text = render_manifest(&cards);
            prop_assert_eq!(text.lines().count(), cards.len() + 1);
            prop_assert_eq!(parse_manifest(&text), cards);
        }

        #[test]
        fn a_row_is_a_line_with_four_cells(name in "[a|\\\\<`]{0,8}", description in "[a|\\\\<`]{0,8}") {
            let text = render_index(&[card(&name, &description)]);
            let row = text.lines().last().unwrap();
            let borders = row.char_indices().filter(|(at, c)| {
                let slashes = row[..*at].bytes().rev().take_while(|b| *b == b'\\').count();
                *c == '|' && slashes % 2 == 0
            });
            prop_assert_eq!(borders.count(), 5, "{}", row);
        }
    }
}
