//! See `description_cut_off.md`.

use super::fields::Field;
use crate::canon::skill::Skill;
use crate::finding::{Fix, Location, RawFinding, Severity, TextEdit};
use crate::rules::yaml_edit::{YamlEditor, quoted};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::Span;
use crate::syntax::yaml_node::ScalarStyle;

pub(super) static RULE: Rule = Rule {
    id: "description-cut-off",
    summary: "a description that YAML ends at a ` #`",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("description_cut_off.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Some(field) = Field::find(skill, "description") else { return };
    let Some(comment) = cut_off(&field) else { return };
    let message =
        format!("YAML takes `{}` for a comment, so the description ends before it", field.source.slice(comment));
    let finding = RawFinding::new(Location::at(field.source, comment), message).help("put the description in quotes");
    findings.push(finding.fix(fix(skill, &field, comment)));
}

/// Quotes around all of it. A description that began on a line before reads otherwise in quotes, and is left alone.
fn fix(skill: &Skill, field: &Field<'_>, comment: Span) -> Option<Fix> {
    let whole = Span::new(field.value().span.offset, comment.end());
    let text = field.source.slice(whole);
    let splice = TextEdit::new(whole, quoted(text));
    let yaml = YamlEditor::from_frontmatter(field.source, skill.front()?)?;
    let splice = (!text.contains('\n')).then(|| yaml.set("/description", splice, text)).flatten()?;
    Some(Fix::safe("quote the description", vec![splice]))
}

/// What stands behind a plain value as `#12` would; a comment that is meant has a space behind its `#`.
fn cut_off(field: &Field<'_>) -> Option<Span> {
    let value = field.value();
    if field.is_blank() || value.as_scalar()?.style != ScalarStyle::Plain {
        return None;
    }
    let behind = value.span.end();
    let rest = field.source.text().get(behind..)?.lines().next()?;
    let comment = rest.trim_start();
    let is_text = comment.strip_prefix('#')?.chars().next().is_some_and(|c| !c.is_whitespace());
    let start = behind + rest.len() - comment.len();
    is_text.then(|| Span::new(start, start + comment.trim_end().len()))
}
