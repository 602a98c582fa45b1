//! Part of `tool-file-schema`: file of a tool is not valid JSON, TOML or YAML.

use super::tool_file_schema::RULE;
use crate::Finding;
use crate::yaml_problems::quotes_inside;
use canonry_model::canon::page::{Page, PageKind};
use canonry_model::canon::tool_file::data::{self, SyntaxError};
use canonry_model::canon::tool_file::kind::CANON_RULE;
use canonry_model::canon::tool_file::{FileFormat, ToolFile, ToolFileKind, ToolFileReader};
use canonry_model::finding::Location;
use canonry_text::{Source, Span, frontmatter};
use std::sync::Arc;

const VALUES: &str = "put values with special characters in double quotes; write several lines as a block: `description: |` and indented lines";

pub(super) fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let (Ok(source), Some(Err(error))) = (&file.document, &file.data) else { return };
    if !is_form(source.text()) {
        findings.push(finding(source, file.kind, error));
    }
}

/// A rule of the canon.
pub(super) fn check_rule(page: &Page, findings: &mut Vec<Finding>) {
    let Some(document) = page.read_as(PageKind::Rule) else { return };
    let Some(Err(error)) = data::parse(CANON_RULE, document.source.text()) else { return };
    findings.push(finding(&document.source, CANON_RULE, &error));
}

fn finding(source: &Arc<Source>, kind: ToolFileKind, error: &SyntaxError) -> Finding {
    let format = match kind.format {
        FileFormat::Json | FileFormat::Jsonc => "JSON",
        FileFormat::Toml => "TOML",
        FileFormat::Yaml => "YAML",
        FileFormat::Markdown => "YAML in the frontmatter",
    };
    let reader = kind.reader_name();
    let effect = match (kind.format, kind.reader) {
        (FileFormat::Markdown, ToolFileReader::CLAUDE) => "ignores all of the frontmatter",
        (FileFormat::Markdown, ToolFileReader::Canonry) => "writes it for no tool",
        (FileFormat::Markdown, _) => "cannot read it",
        _ => "cannot read the file",
    };
    let is_empty = source.text().trim().is_empty();
    let (message, help) = if is_empty {
        (format!("the file is empty, which is not valid {format}"), "write `{}`, or remove the file".to_owned())
    } else if error.is_jsonc {
        (
            format!("{reader} cannot read the file: JSON has no comments and no trailing commas"),
            "remove the comments and the commas after the last entries".to_owned(),
        )
    } else if kind.format == FileFormat::Markdown && !source.text().starts_with("---") {
        (
            format!("{}, so {reader} does not load the subagent", error.message),
            "move what is above it below the second `---`".to_owned(),
        )
    } else if kind.format == FileFormat::Markdown && frontmatter::split(source.text()).is_err() {
        (
            format!("{}, so {reader} takes its keys for text", error.message),
            "write `---` on the line after the last key".to_owned(),
        )
    } else if kind.format == FileFormat::Markdown {
        (
            format!("invalid {format}: {}; {reader} {effect}", error.message),
            quotes_near(source, error.span).unwrap_or_else(|| VALUES.to_owned()),
        )
    } else {
        let message = format!("invalid {format}: {}; {reader} {effect}", error.message);
        (message, "correct the syntax at this position".to_owned())
    };
    RULE.at(Location::at(source, error.span), message).help(help)
}

/// Whether a program puts values into the text before a tool reads it: `[mcp_servers.{{SEARCH_SERVER}}]`.
fn is_form(text: &str) -> bool {
    let text = frontmatter::split(text).map_or(text, |parts| &text[..parts.body.offset]);
    let is_place = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    text.split("{{").skip(1).filter_map(|rest| rest.split_once("}}")).any(|(name, _)| is_place(name))
}

/// The help for quotes inside of quotes in the line of an error, or in the line before, as the parser often reports the following one.
fn quotes_near(source: &Source, error: Span) -> Option<String> {
    let line = source.line_span(error.offset);
    let before = line.offset.checked_sub(1).map(|end| source.line_span(end));
    quotes_inside(source.slice(line)).or_else(|| quotes_inside(source.slice(before?)))
}
