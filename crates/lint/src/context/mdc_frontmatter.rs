//! See `mdc_frontmatter.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::context_file::{ContextFile, CursorRuleHeader};
use canonry_model::finding::{Location, Severity};
use canonry_text::Source;
use canonry_text::closest_match;
use canonry_text::mdc::{MdcField, MdcHeader};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "mdc-frontmatter",
    summary: "Cursor cannot read part of the rule's frontmatter",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("mdc_frontmatter.md"),
    check: Check::Each(&[
        Check::Context(check),
        Check::Context(check_globs),
        Check::At(Defaults::both(Severity::Info), &Check::Context(check_unknown_keys)),
        Check::At(Defaults::both(Severity::Info), &Check::Context(check_scope)),
    ]),
};

/// The keys that Cursor reads in a rule.
const MDC_KEYS: [&str; 3] = ["description", "globs", "alwaysApply"];

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

/// `globs` of a Cursor rule is quoted or a YAML list.
fn check_globs(file: &ContextFile, findings: &mut Vec<Finding>) {
    let (Ok(source), Some(CursorRuleHeader::Lines(head))) = (&file.document, file.cursor_rule_header()) else { return };
    let Some(globs) = head.get("globs").filter(|globs| !globs.is_empty()) else { return };
    // A rule that always applies needs no patterns.
    if head.get("alwaysApply").is_some_and(|always| always.value.eq_ignore_ascii_case("true")) {
        return;
    }
    if globs.value.is_empty() {
        let items: Vec<&str> = globs.items.iter().map(|item| unquoted(item).unwrap_or(item)).collect();
        let message = "the patterns are a YAML list, which Cursor does not read";
        let help = format!("write `globs: {}`", items.join(","));
        findings.push(RULE.at(Location::at(source, globs.key_span), message).help(help));
    } else if let Some(inner) = unquoted(&globs.value) {
        let message = "the patterns are quoted, and Cursor reads the quotes as part of the patterns";
        let help = format!("write `globs: {inner}`; the value need not be valid YAML");
        findings.push(RULE.at(Location::at(source, globs.value_span), message).help(help));
    }
}

fn unquoted(value: &str) -> Option<&str> {
    ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
}

/// The known key that a misspelled one most likely means.
fn intended_key(key: &str) -> Option<&'static str> {
    closest_match(key, MDC_KEYS)
}

/// Unknown key in a Cursor rule.
fn check_unknown_keys(file: &ContextFile, findings: &mut Vec<Finding>) {
    let (Ok(source), Some(CursorRuleHeader::Lines(head))) = (&file.document, file.cursor_rule_header()) else { return };
    let is_unknown = |key: &str| !MDC_KEYS.contains(&key) && intended_key(key).is_none();
    for field in head.fields.iter().filter(|field| is_unknown(&field.key)) {
        let message = format!("unknown key `{}`", field.key);
        let help =
            "Cursor reads only `description`, `globs` and `alwaysApply`; move instructions below the frontmatter";
        findings.push(RULE.at(Location::at(source, field.key_span), message).help(help));
    }
}

/// Cursor rule never applies by itself.
fn check_scope(file: &ContextFile, findings: &mut Vec<Finding>) {
    let head = match file.cursor_rule_header() {
        Some(CursorRuleHeader::Lines(head)) => head,
        Some(CursorRuleHeader::None) => MdcHeader::default(),
        _ => return,
    };
    let has = |key: &str| head.get(key).is_some_and(|field| !field.is_empty());
    let always = head.get("alwaysApply").is_some_and(|field| field.value.to_lowercase().contains("true"));
    if always || has("description") || has("globs") {
        return;
    }
    let message = "the rule has neither `description` nor `globs` and does not always apply, so Cursor only reads it when \
                   a user mentions it with `@`";
    let help = "add a `description`, set `globs`, or set `alwaysApply: true`";
    findings.push(RULE.at(Location::file(&file.path), message).help(help));
}
