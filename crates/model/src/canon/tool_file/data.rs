//! The data in a tool file: JSON, TOML, or the YAML at the top of a Markdown file.

use super::kind::{FileFormat, Role, ToolFileKind, ToolFileReader};
use canonry_text::frontmatter::{self, FrontmatterError};
use canonry_text::yaml::ParsedDocument;
use canonry_text::{Span, json, toml, yaml};

/// Why the data cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The error in lower case, without a full stop.
    pub message: String,
    pub span: Span,
    /// Whether a reader that accepts comments and trailing commas would read the file.
    pub is_jsonc: bool,
}

/// Parses the data; `None` for Markdown without frontmatter. TOML has no duplicate keys.
pub fn parse(kind: ToolFileKind, text: &str) -> Option<Result<ParsedDocument, SyntaxError>> {
    let text_without_mark = text.strip_prefix('\u{feff}').unwrap_or(text);
    let offset = text.len() - text_without_mark.len();
    let invalid = |message: String, span: Span| SyntaxError { message, span, is_jsonc: false };
    Some(match kind.format {
        FileFormat::Markdown => return frontmatter_data(kind, text),
        FileFormat::Yaml => yaml::parse(text_without_mark, offset).map_err(|error| invalid(error.message, error.span)),
        FileFormat::Toml => toml::parse(text)
            .map(|root| ParsedDocument { root, duplicates: Vec::new(), has_anchors: false })
            .map_err(|error| invalid(error.message, error.span)),
        FileFormat::Jsonc => {
            json::parse_jsonc(text_without_mark, offset).map_err(|error| invalid(error.message, error.span))
        }
        FileFormat::Json => json::parse(text_without_mark, offset).map_err(|error| {
            let is_jsonc = json::parse_jsonc(text_without_mark, offset).is_ok();
            SyntaxError { message: error.message, span: error.span, is_jsonc }
        }),
    })
}

fn frontmatter_data(kind: ToolFileKind, text: &str) -> Option<Result<ParsedDocument, SyntaxError>> {
    let span = match frontmatter::split(text) {
        Ok(parts) => parts.yaml,
        Err(FrontmatterError::Unclosed { opening, .. }) if starts_with_key(&text[opening.end()..]) => {
            let message = "the frontmatter is not closed".to_owned();
            return Some(Err(SyntaxError { message, span: opening, is_jsonc: false }));
        }
        Err(_) => return late_frontmatter(kind, text).map(Err),
    };
    let head = &text[span.range()];
    Some(yaml::parse(head, span.offset).or_else(|error| {
        // Claude Code quotes values with a colon and tries again. A tool with a strict parser would drop the file, but
        // the tools without a strict specification have not been seen to.
        let is_lenient = !matches!(kind.reader, ToolFileReader::GEMINI | ToolFileReader::Canonry);
        let repaired = is_lenient.then(|| yaml::parse(&with_quoted_values(head), span.offset).ok()).flatten();
        let error = SyntaxError { message: error.message, span: error.span, is_jsonc: false };
        repaired.ok_or(error)
    }))
}

/// Frontmatter of a subagent of Claude Code below comments, where it is not looked for.
fn late_frontmatter(kind: ToolFileKind, text: &str) -> Option<SyntaxError> {
    let mut at = 0;
    let mut in_comment = false;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim();
        if trimmed == "---" && !in_comment && at > 0 {
            let is_late = (kind.reader, kind.role) == (ToolFileReader::CLAUDE, Role::Subagent)
                && starts_with_key(&text[at + line.len()..]);
            let message = "the frontmatter does not start on the first line".to_owned();
            return is_late.then(|| SyntaxError { message, span: Span::new(at, at + 3), is_jsonc: false });
        }
        in_comment |= trimmed.starts_with("<!--");
        if !in_comment && !trimmed.is_empty() {
            return None;
        }
        in_comment &= !trimmed.ends_with("-->");
        at += line.len();
    }
    None
}

/// Whether the first line is a key of a mapping. Otherwise, the `---` above is a horizontal line.
fn starts_with_key(text: &str) -> bool {
    let key = text.lines().map(str::trim_end).find(|line| !line.is_empty()).and_then(|line| line.split_once(':'));
    key.is_some_and(|(key, value)| {
        let is_name = !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        is_name && (value.is_empty() || value.starts_with(' '))
    })
}

/// A Markdown file whose frontmatter is not YAML, as Claude Code repairs it; `None` if it cannot.
pub fn repaired(text: &str) -> Option<String> {
    let yaml = frontmatter::split(text).ok()?.yaml;
    let head = with_quoted_values(&text[yaml.range()]);
    yaml::parse(&head, 0).ok()?;
    Some(format!("{}{head}{}", &text[..yaml.offset], &text[yaml.end()..]))
}

/// Characters that Claude Code 2.1.330 takes as a reason to quote a value, besides a colon with a space.
const SPECIAL: [char; 13] = ['[', ']', '{', '}', '*', '&', '#', '!', '|', '>', '%', '@', '`'];

/// Quotes the plain values with special characters of keys at the start of a line. Spans after the first such value are
/// off by some bytes, which only affects the column of a finding.
fn with_quoted_values(yaml: &str) -> String {
    let quoted = |line: &str| {
        let (key, value) = line.split_once(": ")?;
        let is_key = key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')) && !key.is_empty();
        let value = value.trim();
        let is_block = value.starts_with(['|', '>']) && value.len() <= 2;
        let needs_quotes = value.contains(": ") || value.contains(SPECIAL);
        let escaped = || value.replace('\\', "\\\\").replace('"', "\\\"");
        let is_plain = !value.starts_with(['"', '\'']) && !is_block;
        (is_key && is_plain && needs_quotes).then(|| format!("{key}: \"{}\"\n", escaped()))
    };
    yaml.split_inclusive('\n').map(|line| quoted(line).unwrap_or_else(|| line.to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::tool_file::Role;

    #[test]
    fn frontmatter_that_nothing_closes_is_an_error() {
        let kind = |format| ToolFileKind {
            reader: ToolFileReader::COPILOT,
            role: Role::Instructions,
            format,
            in_plugin: false,
        };
        for (text, want) in [
            ("---\ndescription: Plans\n\n# Plan\n", Some(true)),
            ("---\ntools:\n  - Read\n", Some(true)),
            ("---\n\nname: a\n---\nText\n", Some(false)),
            ("---\nA rule of three: count.\n", None),
            ("---\n# Title\n", None),
            ("# Title\n---\nname: a\n", None),
        ] {
            let parsed = parse(kind(FileFormat::Markdown), text);
            assert_eq!(parsed.map(|parsed| parsed.is_err()), want, "{text}");
        }
    }

    /// Results of `claude plugin validate` of Claude Code 2.1.330 for the frontmatter of a command.
    #[test]
    fn frontmatter_is_repaired_as_claude_code_does() {
        let command = ToolFileKind {
            reader: ToolFileReader::CLAUDE,
            role: Role::Command,
            format: FileFormat::Markdown,
            in_plugin: false,
        };
        for (yaml, is_valid) in [
            ("description: Use when: \"x\" fails", true),
            ("argument-hint: [--hard] | [--soft]", true),
            ("description: {a} b", true),
            ("description: `a` b", true),
            ("description: *a* b: c", true),
            ("description: a\nallowed-tools: - Read", false),
            ("description: \"a\" b", false),
            ("description: a\n  b: c", false),
            ("description: a\nfoo", false),
            ("description: 'it's'", false),
        ] {
            let parsed = parse(command, &format!("---\n{yaml}\n---\nx\n"));
            assert_eq!(parsed.map(|parsed| parsed.is_ok()), Some(is_valid), "{yaml}");
        }
    }
}
