//! See `description_markup.md`.

use super::fields::Field;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::Span;

pub(super) static RULE: Rule = Rule {
    id: "description-markup",
    summary: "markup tag in the description",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("description_markup.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(field) = Field::find(skill, "description") else { return };
    let Some(tag) = field.text().and_then(first_tag) else { return };
    let value = field.value().span;
    // An escape such as `\u003c` hides the tag in the source; then the whole value is highlighted.
    let span = match field.source.slice(value).find(tag) {
        Some(at) => Span::new(value.offset + at, value.offset + at + tag.len()),
        None => value,
    };
    let message =
        format!("the description contains `{tag}`, and an upload to claude.ai or the Claude API rejects XML tags");
    findings.push(RULE.at(Location::at(field.source, span), message).help("remove the angle brackets"));
}

/// The first `<name …>`, `</name>` or `<name/>`; not `a < b`, `<https://…>` or `<me@example.org>`.
fn first_tag(text: &str) -> Option<&str> {
    text.match_indices('<').find_map(|(start, _)| {
        let inner = &text[start + 1..];
        let length = inner.find(['<', '>']).filter(|end| inner[*end..].starts_with('>'))?;
        is_tag(&inner[..length]).then(|| &text[start..start + length + 2])
    })
}

fn is_tag(inner: &str) -> bool {
    let inner = inner.strip_prefix('/').unwrap_or(inner);
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let rest = inner.trim_start_matches(is_name);
    inner.starts_with(char::is_alphabetic) && (rest.is_empty() || rest.starts_with(['/', ' ', '\n', '\t']))
}
