//! `agents/openai.yaml`, which defines how Codex shows a skill in its menus.

use canonry_text::MarkdownFile;
use canonry_text::node::Node;
use serde_json::json;

/// The number of characters of the short description.
const MAX_DESCRIPTION_CHARS: usize = 100;

/// The path below the folder of a skill.
pub const PATH: &str = "agents/openai.yaml";

/// Returns the sidecar for a skill's document; `None` if the document has no name or description.
pub fn sidecar(document: &str) -> Option<String> {
    let file = MarkdownFile::parse(document).ok()?;
    let name = file.field("name")?;
    let own = file.get("metadata").and_then(|metadata| metadata.get("short-description")).and_then(Node::as_str);
    let own = own.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let short = own.or_else(|| file.field("description"))?;
    let first = short.split_once(". ").map_or(short.as_str(), |(first, _)| first).trim_end_matches('.');
    let cut: String = first.chars().take(MAX_DESCRIPTION_CHARS).collect();
    Some(format!("interface:\n  display_name: {}\n  short_description: {}\n", json!(name), json!(cut.trim_end())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_the_name_and_the_first_sentence() {
        let text = "---\nname: notes\ndescription: \"Drafts: notes. Use before a release.\"\n---\n# x\n";
        let want = "interface:\n  display_name: \"notes\"\n  short_description: \"Drafts: notes\"\n";
        assert_eq!(sidecar(text).as_deref(), Some(want));
        let own = "---\nname: notes\ndescription: d\nmetadata:\n  short-description: Short\n---\n";
        assert!(sidecar(own).unwrap().ends_with("\"Short\"\n"));
        assert_eq!(sidecar("# no frontmatter\n"), None);
    }
}
