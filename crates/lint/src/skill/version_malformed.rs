//! See `version_malformed.md`.

use super::fields::{Field, describe};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::node::Node;

pub(super) static RULE: Rule = Rule {
    id: "version-malformed",
    summary: "version is neither a semantic version nor a date",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("version_malformed.md"),
    check: Check::Skill(check),
};

const HELP: &str = "write a semantic version such as `\"1.4.0\"`, or a date such as `\"2026-03-06\"`";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(source) = skill.source() else { return };
    let top = Field::find(skill, "version").map(|field| field.value());
    let below = Field::find(skill, "metadata").and_then(|field| field.value().get("version"));
    for version in [top, below].into_iter().flatten().filter(|node| !is_version(node)) {
        let message = match version.as_scalar() {
            Some(scalar) if !scalar.text.is_empty() => {
                format!("the version `{}` is neither a semantic version nor a date", scalar.text)
            }
            _ => format!("the version is {}", describe(version)),
        };
        findings.push(RULE.at(Location::at(source, version.span), message).help(HELP));
    }
}

/// Accepts one to three numbers separated by dots, or a date; optionally a leading `v` and the suffixes of Semantic
/// Versioning after `-` and `+`, or a commit after `@`.
fn is_version(node: &Node) -> bool {
    let Some(text) = node.as_scalar().map(|scalar| scalar.text.as_str()) else { return false };
    let text = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (core, rest) = text.split_at(end);
    let numbers = core.split('.').count();
    let is_core = numbers <= 3 && core.split('.').all(|part| !part.is_empty());
    is_core && (rest.is_empty() || is_suffix(rest))
}

/// Accepts `-rc.1`, `+build.5`, `@68e86d7`, and the rest of a date: `-03-06`.
fn is_suffix(rest: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '+');
    let after = rest.strip_prefix(['-', '+', '@']);
    after.is_some_and(|after| !after.is_empty() && after.chars().all(is_part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::yaml;

    #[test]
    fn accepts_versions_and_dates() {
        let table = [
            ("1", true),
            ("1.0", true),
            ("1.4.0", true),
            ("v2.0.0-rc.1+build.5", true),
            ("2026-03-06", true),
            ("2026.03", true),
            ("2026.03.06@68e86d7", true),
            ("latest", false),
            ("1.x", false),
            ("1..2", false),
            ("1.2.3.4", false),
            ("1.0-", false),
            ("\"\"", false),
            ("[1, 0]", false),
        ];
        for (text, want) in table {
            let node = yaml::parse(text, 0).map(|document| document.root);
            assert_eq!(node.as_ref().map(is_version), Ok(want), "{text}");
        }
    }
}
