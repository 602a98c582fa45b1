//! See `owners_schema.md`.

use crate::violations::{describe, dotted};
use crate::{Check, Defaults, Finding, Rule, unreadable, yaml_problems};
use canonry_model::canon::owners::{OwnersDocument, OwnersFile};
use canonry_model::canon::schema::{SchemaKind, Violation};
use canonry_model::finding::{Location, Severity};
use canonry_text::closest_match;

pub(super) static RULE: Rule = Rule {
    id: "owners-schema",
    summary: "`owners.yaml` is not valid",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("owners_schema.md"),
    check: Check::Owners(check),
};

fn check(file: &OwnersFile, findings: &mut Vec<Finding>) {
    match &file.document {
        Ok(document) => check_document(document, findings),
        Err(why) => findings.push(unreadable::finding(&RULE, &file.path, "owners", why)),
    }
}

fn check_document(document: &OwnersDocument, findings: &mut Vec<Finding>) {
    let source = &document.source;
    findings.extend(yaml_problems::findings(&RULE, source, &document.yaml));
    for violation in &document.violations {
        let mut finding = RULE.at(Location::at(source, violation.span), describe(violation));
        finding.help = help(violation);
        findings.push(finding);
    }
}

fn help(violation: &Violation) -> Option<String> {
    let at = dotted(&violation.pointer);
    if violation.keyword == "additionalProperties" {
        let definition = match at.as_str() {
            "" => "",
            "budget" => "/properties/budget",
            _ => "/$defs/owner",
        };
        let known = SchemaKind::Owners.known_keys(definition, "");
        let key = violation.key.as_deref().unwrap_or_default();
        return Some(match closest_match(key, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("valid keys are {}", known.join(", ")),
        });
    }
    let is_argv = violation.key.as_deref() == Some("argv") || at.contains(".argv");
    if is_argv {
        Some("write the program and its arguments as a list: [claude, -p]".to_owned())
    } else if at.ends_with("timeout") {
        Some("write a number and a unit: 90s, 30m or 2h".to_owned())
    } else {
        None
    }
}
