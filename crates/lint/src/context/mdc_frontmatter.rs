//! See `mdc_frontmatter.md`.

use super::mdc_never_applies;
use super::mdc_unknown_key::{MDC_KEYS, intended_key};
use super::{mdc_globs_yaml, mdc_unknown_key};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::context_file::{ContextFile, CursorRuleHeader};
use canonry_model::finding::{Location, Severity};
use canonry_text::Source;
use canonry_text::mdc::{MdcField, MdcHeader};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "mdc-frontmatter",
    summary: "Cursor cannot read part of the rule's frontmatter",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("mdc_frontmatter.md"),
    check: Check::Each(&[
        Check::Context(check),
        Check::Context(mdc_globs_yaml::check),
        Check::At(Defaults::both(Severity::Info), &Check::Context(mdc_unknown_key::check)),
        Check::At(Defaults::both(Severity::Info), &Check::Context(mdc_never_applies::check)),
    ]),
};

fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
    let (Ok(source), Some(head)) = (&file.document, file.cursor_rule_header()) else { return };
    match head {
        CursorRuleHeader::None => {}
        CursorRuleHeader::Unclosed(opening) => findings.push(
            RULE.at(Location::at(source, opening), "the frontmatter is not closed")
                .help("add a line `---` after the last key"),
        ),
        CursorRuleHeader::Lines(head) => {
            findings.extend(
                head.fields.iter().enumerate().filter_map(|(at, field)| flaw(source, &head.fields[..at], field)),
            );
            findings.extend(stray_lines(source, &head));
        }
    }
}

fn stray_lines(source: &Arc<Source>, head: &MdcHeader) -> Option<Finding> {
    let mut lines = head.stray.iter().map(|span| Location::at(source, *span));
    let finding = RULE.at(lines.next()?, "this line of the frontmatter is not a `key: value` pair");
    let finding = lines.fold(finding, |finding, line| finding.related(line, "neither is this one"));
    Some(finding.help("add a key, or move the line below the frontmatter"))
}

fn flaw(source: &Arc<Source>, before: &[MdcField], field: &MdcField) -> Option<Finding> {
    let at_key = |message: String| RULE.at(Location::at(source, field.key_span), message);
    let at_value = |message: String| RULE.at(Location::at(source, field.value_span), message);
    if !MDC_KEYS.contains(&field.key.as_str()) {
        let intended = intended_key(&field.key)?;
        return Some(at_key(format!("unknown key `{}`", field.key)).help(format!("did you mean `{intended}`?")));
    }
    if let Some(first) = before.iter().find(|first| first.key == field.key) {
        let finding = at_key(format!("duplicate key `{}`", field.key)).help("keep one of the two");
        return Some(finding.related(Location::at(source, first.key_span), "first defined here"));
    }
    if is_block(&field.value) {
        let message = format!("Cursor reads `{}` line by line, so `{}` is its whole value", field.key, field.value);
        return Some(at_value(message).help("write the value on the same line as the key"));
    }
    let is_word = ["true", "false", ""].iter().any(|word| field.value.eq_ignore_ascii_case(word));
    if field.key == "alwaysApply" && !is_word {
        let message = format!("`alwaysApply` is `{}`, which Cursor reads as neither true nor false", field.value);
        return Some(at_value(message).help("write `true` or `false`, without quotes"));
    }
    None
}

/// Whether the value starts a YAML block scalar, such as `>` or `|-`.
fn is_block(value: &str) -> bool {
    let rest = value.strip_prefix(['>', '|']);
    rest.is_some_and(|rest| rest.len() <= 2 && rest.bytes().all(|b| matches!(b, b'+' | b'-' | b'0'..=b'9')))
}
