//! `agents/openai.yaml`: how Codex shows a skill in its menus.

use super::markdown_header::MarkdownHeader;
use serde_json::json;

/// Characters of the short description that are shown.
const SHORT: usize = 100;

/// Where it lies in a skill's folder.
pub const PATH: &str = "agents/openai.yaml";

/// The file for a skill's document; `None` where that names no skill.
pub fn sidecar(document: &str) -> Option<String> {
    let head = MarkdownHeader::of(document).ok()?;
    let name = head.field(&["name"])?;
    let short = head.field(&["metadata", "short-description"]).or_else(|| head.field(&["description"]))?;
    let first = short.split_once(". ").map_or(short.as_str(), |(first, _)| first).trim_end_matches('.');
    let cut: String = first.chars().take(SHORT).collect();
    Some(format!("interface:\n  display_name: {}\n  short_description: {}\n", json!(name), json!(cut.trim_end())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_the_name_and_the_first_sentence() {
        let text = "---\nname: notes\ndescription: \"Drafts: notes. Use before a release.\"\n---\n# x\n";
        let want = "interface:\n  display_name: \"notes\"\n  short_description: \"Drafts: notes\"\n";
        assert_eq!(sidecar(text).as_deref(), Some(want));
        let own = "---\nname: notes\ndescription: d\nmetadata:\n  short-description: Short\n---\n";
        assert!(sidecar(own).unwrap().ends_with("\"Short\"\n"));
        assert_eq!(sidecar("# no frontmatter\n"), None);
    }
}
