//! See `description_cut_off.md`.

use super::fields::Field;
use super::yaml_invalid::may_hide_key;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::yaml_edit::{YamlEditor, quoted};
use canonry_model::finding::{Fix, Location, Severity, TextEdit};
use canonry_text::Span;
use canonry_text::node::ScalarStyle;

pub(super) static RULE: Rule = Rule {
    id: "description-cut-off",
    summary: "description is cut off by a YAML comment",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("description_cut_off.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(field) = Field::find(skill, "description") else { return };
    let Some(comment) = cut_off(&field) else { return };
    let message =
        format!("YAML reads `{}` as a comment, so the description ends before it", field.source.slice(comment));
    let finding = RULE.at(Location::at(field.source, comment), message).help("quote the description");
    findings.push(finding.fix(fix(skill, &field, comment)));
}

/// Quotes the whole description. A multi-line description changes its meaning in quotes, so it is not fixed.
fn fix(skill: &Skill, field: &Field<'_>, comment: Span) -> Option<Fix> {
    let whole = Span::new(field.value().span.offset, comment.end());
    let text = field.source.slice(whole);
    let edit = TextEdit::new(whole, quoted(text));
    let yaml = YamlEditor::from_frontmatter(field.source, skill.front()?)?;
    let edit = (!text.contains('\n')).then(|| yaml.set("/description", edit, text)).flatten()?.edit;
    let title = "quote the description";
    let may_hide = may_hide_key("description", text);
    Some(if may_hide { Fix::unsafe_edits(title, vec![edit]) } else { Fix::safe(title, vec![edit]) })
}

/// Text such as `#12` after an unquoted value. An intended comment has a space after its `#`.
fn cut_off(field: &Field<'_>) -> Option<Span> {
    let value = field.value();
    if field.is_blank() || value.as_scalar()?.style != ScalarStyle::Plain {
        return None;
    }
    let after = value.span.end();
    let rest = field.source.text().get(after..)?.lines().next()?;
    let comment = rest.trim_start();
    let is_text = comment.strip_prefix('#')?.chars().next().is_some_and(|c| !c.is_whitespace());
    let start = after + rest.len() - comment.len();
    is_text.then(|| Span::new(start, start + comment.trim_end().len()))
}
