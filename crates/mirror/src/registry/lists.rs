//! Renders the list of skills: a table for people, JSON lines for programs, and a block for agents.

use super::entry::ManifestEntry;
use super::seal;
use canonry_text::markup::escape_markup;
use std::fmt::Write as _;

/// The schema name in the first line of the manifest.
pub const MANIFEST: &str = "canonry/skills-manifest/v1";

/// Renders `_index.md`. The entries are sorted by name.
pub fn render_index(entries: &[ManifestEntry]) -> String {
    let mut body = "\n# Skills\n\n| name | description | category | triggers |\n|---|---|---|---|\n".to_owned();
    for entry in entries {
        let name = cell(&entry.name);
        let description = cell(&entry.description);
        let category = cell(entry.category.as_deref().unwrap_or_default());
        let row = format!("| {name} | {description} | {category} | {} |", cell(&entry.triggers.join(", ")));
        body.push_str(&(row.replace("|  |", "| |").replace("|  |", "| |") + "\n"));
    }
    seal::markdown(&body)
}

/// Escapes Markdown in a table cell.
fn cell(text: &str) -> String {
    text.replace('\\', "\\\\").replace('|', "\\|").replace('<', "&lt;")
}

/// Renders `_manifest.jsonl`. The entries are sorted by name.
pub fn render_manifest(entries: &[ManifestEntry]) -> String {
    let mut body = String::new();
    for entry in entries {
        body.push_str(&serde_json::to_string(entry).expect("an entry of texts has a JSON form"));
        body.push('\n');
    }
    seal::json_lines(MANIFEST, &body)
}

/// Parses an unedited manifest; returns nothing if it was edited. A line of another version of canonry is no entry.
pub fn parse_manifest(manifest: &str) -> Vec<ManifestEntry> {
    if !seal::is_unedited(manifest) {
        return Vec::new();
    }
    manifest.lines().skip(1).filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Renders the `<available_skills>` block of the Agent Skills specification.
pub fn render_xml(entries: &[ManifestEntry]) -> String {
    render_xml_within(entries, usize::MAX)
}

/// Renders the first skills whose block has at most `limit` bytes, and counts the others.
pub fn render_xml_within(entries: &[ManifestEntry], limit: usize) -> String {
    let open = "<available_skills>\n";
    let close = "</available_skills>\n";
    let mut out = open.to_owned();
    for (at, entry) in entries.iter().enumerate() {
        let skill = skill_xml(entry);
        // The note on the others is short.
        if out.len() + skill.len() + close.len() > limit {
            let _ = writeln!(out, "  <!-- {} more; run `canonry skills list` -->", entries.len() - at);
            break;
        }
        out.push_str(&skill);
    }
    out + close
}

fn skill_xml(entry: &ManifestEntry) -> String {
    let name = escape_markup(&entry.name);
    let description = escape_markup(&entry.description);
    let location = escape_markup(&entry.path);
    format!(
        "  <skill>\n    <name>{name}</name>\n    <description>{description}</description>\n    \
         <location>{location}</location>\n  </skill>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(name: &str, description: &str) -> ManifestEntry {
        ManifestEntry { name: name.to_owned(), description: description.to_owned(), ..ManifestEntry::default() }
    }

    #[test]
    fn special_characters_are_escaped() {
        let entries = [entry("a", "x | y <b> & \"z\"")];
        assert!(render_index(&entries).contains("| a | x \\| y &lt;b> & \"z\" | | |\n"));
        assert!(render_xml(&entries).contains("<description>x | y &lt;b&gt; &amp; &quot;z&quot;</description>"));
    }

    #[test]
    fn a_long_block_counts_the_skills_it_leaves_out() {
        let entries = [entry("a", "first"), entry("b", "second"), entry("c", "third")];
        let whole = render_xml(&entries);
        assert_eq!(render_xml_within(&entries, whole.len()), whole);
        let cut = render_xml_within(&entries, whole.len() - 1);
        assert!(cut.contains("<name>b</name>") && !cut.contains("<name>c</name>"), "{cut}");
        assert!(cut.ends_with("  <!-- 1 more; run `canonry skills list` -->\n</available_skills>\n"), "{cut}");
    }

    proptest! {
        #[test]
        fn a_manifest_round_trips(names in prop::collection::vec("\\PC{0,12}", 0..5), description in "\\PC{0,40}") {
            let entries: Vec<ManifestEntry> = names.iter().map(|name| entry(name, &description)).collect();
            let text = render_manifest(&entries);
            prop_assert_eq!(text.lines().count(), entries.len() + 1);
            prop_assert_eq!(parse_manifest(&text), entries);
        }

        #[test]
        fn a_row_has_four_cells(name in "[a|\\\\<`]{0,8}", description in "[a|\\\\<`]{0,8}") {
            let text = render_index(&[entry(&name, &description)]);
            let row = text.lines().last().unwrap();
            let borders = row.char_indices().filter(|(at, c)| {
                let slashes = row[..*at].bytes().rev().take_while(|b| *b == b'\\').count();
                *c == '|' && slashes % 2 == 0
            });
            prop_assert_eq!(borders.count(), 5, "{}", row);
        }
    }
}
