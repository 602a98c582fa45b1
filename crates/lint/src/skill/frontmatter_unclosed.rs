//! Part of `frontmatter-missing`: frontmatter is not closed.

use super::frontmatter_missing::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::yaml_lines::{is_key_line, parse_keeping_keys};
use canonry_model::finding::{Fix, Location, TextEdit};
use canonry_text::frontmatter::FrontmatterError;
use canonry_text::{Source, Span};

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Ok(document) = &skill.document else { return };
    let Err(FrontmatterError::Unclosed { opening, dots, indented }) = &document.front else { return };
    let at = |span| Location::at(&document.source, span);
    findings.push(match (dots, indented) {
        (Some(dots), _) => RULE
            .at(at(*dots), "the frontmatter ends with `...`, which tools do not recognize")
            .help("write `---` instead of `...`")
            .related(at(*opening), "opened here"),
        (None, Some(fence)) => {
            let location = at(*fence);
            let indent = document.source.slice(*fence).len() - document.source.slice(*fence).trim_start().len();
            let edit = TextEdit::new(Span::new(fence.offset, fence.offset + indent), "");
            let message =
                format!("the frontmatter is not closed: the `---` on line {} is indented", location.position.line);
            let title = "remove the indentation";
            let fix = if ends_the_keys(&document.source, *opening, *fence) {
                Fix::safe(title, vec![edit])
            } else {
                Fix::unsafe_edits(title, vec![edit])
            };
            RULE.at(location, message).help("move it to column 1").related(at(*opening), "opened here").fix(fix)
        }
        (None, None) => RULE
            .at(at(*opening), "the frontmatter is not closed")
            .help("add a line `---` between the last key and the body"),
    });
}

/// Whether the lines above a fence are YAML in which each line with a key is one, and no key follows: otherwise the fence may
/// be part of a text.
fn ends_the_keys(source: &Source, opening: Span, fence: Span) -> bool {
    let start = source
        .text()
        .get(opening.end()..)
        .and_then(|rest| rest.find('\n'))
        .map_or(fence.offset, |at| opening.end() + at + 1);
    let yaml = Span::new(start, fence.offset.max(start));
    let below = source.text().get(fence.end()..).unwrap_or_default();
    let is_followed = below.lines().find(|line| !line.trim().is_empty()).is_some_and(is_key_line);
    !is_followed && parse_keeping_keys(source, yaml, &[]).is_some()
}
