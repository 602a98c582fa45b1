//! Rules of tools, imported as AGENTS.md and as policies.

use super::frontmatter::MarkdownFile;
use super::plan::ImportPlan;
use super::prompts::code_list;
use crate::syntax::mdc::MdcHeader;
use crate::syntax::{RepoPath, frontmatter};

/// Globs that match every file.
const MATCH_ALL: [&str; 4] = ["**/*", "**", "*", "**/*.*"];

/// A text converted for the canon.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ConvertedText {
    /// The text.
    pub text: String,
    /// What differs from the source, one sentence each.
    pub changes: Vec<String>,
}

impl ConvertedText {
    /// A text without changes.
    pub fn unchanged(text: impl Into<String>) -> Self {
        Self { text: text.into(), changes: Vec::new() }
    }
}

/// Imports a text as AGENTS.md.
pub(super) fn import_agents_md(plan: &mut ImportPlan<'_>, from: &RepoPath, converted: ConvertedText) {
    let to = plan.source.layout.map();
    plan.add_text(from, to, converted.text, converted.changes);
}

/// Imports a text as a policy. `name` is its path below the policies.
pub(super) fn import_policy(plan: &mut ImportPlan<'_>, from: &RepoPath, name: &str, converted: ConvertedText) {
    let name = name.strip_suffix(".mdc").map_or(name.to_owned(), |stem| format!("{stem}.md"));
    let to = plan.source.layout.policies().join(name);
    plan.add_text(from, to, converted.text, converted.changes);
}

/// A body below a line with the globs and the description of its frontmatter.
pub(super) fn with_scope_line(body: &str, globs: &[String], description: Option<&str>) -> String {
    let narrow: Vec<String> = globs.iter().filter(|glob| !MATCH_ALL.contains(&glob.as_str())).cloned().collect();
    let mut line = String::new();
    if !narrow.is_empty() {
        line.push_str(&format!("For files: {}. ", code_list(&narrow)));
    }
    line.push_str(description.unwrap_or_default());
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let body = body.trim_start_matches(['\n', '\r']);
    if line.is_empty() { body.to_owned() } else { format!("> {line}\n\n{body}") }
}

/// Converts a rule of Cursor or Claude Code. Reads the frontmatter as Cursor does, which is not YAML.
pub(super) fn convert_tool_rule(text: &str) -> ConvertedText {
    let Ok(parts) = frontmatter::split(text) else { return ConvertedText::unchanged(text) };
    let head = MdcHeader::parse(&text[parts.yaml.range()], parts.yaml.offset);
    let plain = |value: &str| value.trim().trim_matches(['"', '\'']).to_owned();
    let field = |key: &str| head.get(key).map(|field| plain(&field.value)).filter(|value| !value.is_empty());
    // Claude Code uses `paths`.
    let globs: Vec<String> = match head.get("globs").or_else(|| head.get("paths")) {
        Some(field) if !field.items.is_empty() => field.items.iter().map(|item| plain(item)).collect(),
        Some(field) => {
            split_globs(&field.value).iter().map(|glob| plain(glob)).filter(|glob| !glob.is_empty()).collect()
        }
        None => Vec::new(),
    };
    let is_always_applied = field("alwaysApply").is_some_and(|value| value == "true");
    let globs = if is_always_applied { Vec::new() } else { globs };
    let text = with_scope_line(&text[parts.body.range()], &globs, field("description").as_deref());
    ConvertedText { text, changes: vec!["converted its frontmatter to a line of text".to_owned()] }
}

/// Splits a list at commas, except inside braces.
fn split_globs(list: &str) -> Vec<String> {
    let list = list.trim().trim_start_matches('[').trim_end_matches(']');
    let (mut depth, mut items) = (0usize, vec![String::new()]);
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = items.last_mut() {
            last.push(c);
        }
    }
    items
}

/// The body of a file, with the removed frontmatter keys as a change.
pub(super) fn without_frontmatter(file: &MarkdownFile<'_>) -> ConvertedText {
    let keys: Vec<String> = file.entries().iter().map(|entry| entry.key.clone()).collect();
    let removed = format!("removed its frontmatter: {}", code_list(&keys));
    let changes = if keys.is_empty() { Vec::new() } else { vec![removed] };
    ConvertedText { text: file.body().trim_start_matches(['\n', '\r']).to_owned(), changes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn converts_the_frontmatter_of_a_rule_to_a_line() {
        let converted = convert_tool_rule(
            "---\ndescription: Use a: b\nglobs: **/*.{ts,tsx}, src/**\nalwaysApply: false\n---\n\n# T\n",
        );
        assert_eq!(converted.text, "> For files: `**/*.{ts,tsx}`, `src/**`. Use a: b\n\n# T\n");
        assert_eq!(converted.changes.len(), 1);
        assert_eq!(convert_tool_rule("---\nglobs: **/*\nalwaysApply: true\n---\n# T\n").text, "# T\n");
        assert_eq!(convert_tool_rule("# T\n"), ConvertedText::unchanged("# T\n"));
    }
}
