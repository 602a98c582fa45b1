//! See `secret.md`.

use super::samples::{is_in_sample, is_sample_path};
use super::secret_in_sample;
use crate::canon::agent_text::AgentText;
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::text_secrets::find_certain;
use crate::syntax::{Source, Span};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "secret",
    summary: "token or private key in a file that agents read",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("secret.md"),
    check: Check::Each(&[Check::Skill(check), Check::AgentText(check_agent_text)]),
};

const HELP: &str =
    "revoke it now: everyone with access to the repository can read it; then use an environment variable";

fn check(skill: &Skill, findings: &mut RawFindings) {
    // A secret that is repeated is one secret to revoke.
    let mut by_value: BTreeMap<(bool, &str), RawFinding> = BTreeMap::new();
    for (source, _) in skill.all_texts() {
        let below = source.path().below(&skill.folder.path).map(ToString::to_string).unwrap_or_default();
        for (span, what) in secrets_in(source) {
            let location = Location { source: None, ..Location::at(source, Span { length: 0, ..span }) };
            let key = (is_sample(source, &below, span), source.slice(span));
            let finding = match by_value.remove(&key) {
                Some(first) => first.related(location, "also here"),
                // The samples of one page of documentation have one author.
                None if key.0 => {
                    finding(source, span, what, true).caused_by(skill.path().to_string(), ("sample", "samples"))
                }
                None => finding(source, span, what, false),
            };
            by_value.insert(key, finding);
        }
    }
    findings.extend(by_value.into_values());
}

fn check_agent_text(text: &AgentText, findings: &mut RawFindings) {
    let found = secrets_in(&text.source).into_iter();
    findings.extend(found.map(|(span, what)| finding(&text.source, span, what, is_sample(&text.source, "", span))));
}

/// Whether a secret is in a sample. A private key is long, and nobody types it for one.
fn is_sample(source: &Source, below: &str, span: Span) -> bool {
    let is_key = source.slice(span).starts_with("-----BEGIN");
    !is_key && (is_sample_path(below) || is_in_sample(source.text(), span.offset))
}

/// The secrets of a text, with a description of each.
fn secrets_in(source: &Source) -> Vec<(Span, &'static str)> {
    // `dGhpc…W4...` is abbreviated.
    let is_example = |span: &Span| PUBLISHED_EXAMPLES.contains(&source.slice(*span));
    let is_whole = |span: &Span| {
        !["...", "…"]
            .iter()
            .any(|dots| source.text()[span.end()..].starts_with(dots) || source.slice(*span).ends_with(dots))
    };
    find_certain(source.text()).into_iter().filter(|(span, _)| is_whole(span) && !is_example(span)).collect()
}

/// The finding for a secret; those in samples belong to `secret-in-sample`.
fn finding(source: &Arc<Source>, span: Span, what: &str, in_sample: bool) -> RawFinding {
    // Half of a short password would be too much.
    let shown = source.slice(span).chars().take(SHOWN.min(span.length / 3)).collect::<String>();
    // Only the beginning is highlighted: more people read reports than the file.
    let location = Location { source: None, ..Location::at(source, Span { length: shown.len(), ..span }) };
    if in_sample {
        let message = format!("`{shown}…` in a sample looks like {what}");
        RawFinding::new(location, message).help(secret_in_sample::HELP).for_rule(secret_in_sample::RULE.id)
    } else {
        RawFinding::new(location, format!("`{shown}…` looks like {what}")).help(HELP)
    }
}

/// The values in the examples of RFC 6749 and RFC 6750, which many pages repeat.
const PUBLISHED_EXAMPLES: [&str; 4] =
    ["tGzv3JOkF0XG5Qx2TlKWIA", "2YotnFZFEjr1zCsicMWpAA", "SplxlOBeZQQYbYS6WxSbIA", "7Fjfp0ZBr1KtDRbnfVdmIw"];

/// Characters of a secret in the message: enough to find it, too few to use it.
const SHOWN: usize = 8;
