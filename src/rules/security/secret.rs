//! See `secret.md`.

use super::samples::{is_in_sample, is_sample_path};
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
    findings.extend(in_skill(skill, false));
}

fn check_agent_text(text: &AgentText, findings: &mut RawFindings) {
    findings.extend(in_agent_text(text, false));
}

/// The secrets in the texts of a skill: those in samples, or the others.
pub(super) fn in_skill(skill: &Skill, in_samples: bool) -> Vec<RawFinding> {
    // A secret that is repeated is one secret to revoke.
    let mut by_value: BTreeMap<&str, RawFinding> = BTreeMap::new();
    for (source, _) in skill.all_texts() {
        let below = source.path().below(&skill.folder.path).map(ToString::to_string).unwrap_or_default();
        for (span, finding) in secrets_in(source, in_samples) {
            if is_sample(source, &below, span) != in_samples {
                continue;
            }
            let location = Location { source: None, ..Location::at(source, Span { length: 0, ..span }) };
            let repeated = by_value.remove(source.slice(span));
            let finding = repeated.map_or(finding, |first| first.related(location, "also here"));
            by_value.insert(source.slice(span), finding);
        }
    }
    by_value.into_values().collect()
}

/// Like [`in_skill`], in a context file or tool file.
pub(super) fn in_agent_text(text: &AgentText, in_samples: bool) -> Vec<RawFinding> {
    let wanted = secrets_in(&text.source, in_samples).into_iter();
    let wanted = wanted.filter(|(span, _)| is_sample(&text.source, "", *span) == in_samples);
    wanted.map(|(_, finding)| finding).collect()
}

/// Whether a secret is in a sample. A private key is long, and nobody types it for one.
fn is_sample(source: &Source, below: &str, span: Span) -> bool {
    let is_key = source.slice(span).starts_with("-----BEGIN");
    !is_key && (is_sample_path(below) || is_in_sample(source.text(), span.offset))
}

/// The secrets of a text, with findings for those in samples or for the others.
fn secrets_in(source: &Arc<Source>, in_samples: bool) -> Vec<(Span, RawFinding)> {
    let place = if in_samples { " in a sample" } else { "" };
    let finding = |(span, what): (Span, _)| {
        // Half of a short password would be too much.
        let shown = source.slice(span).chars().take(SHOWN.min(span.length / 3)).collect::<String>();
        let message = format!("`{shown}…`{place} looks like {what}");
        // Only the beginning is highlighted: more people read reports than the file.
        let location = Location { source: None, ..Location::at(source, Span { length: shown.len(), ..span }) };
        (span, RawFinding::new(location, message).help(HELP))
    };
    // `dGhpc…W4...` is abbreviated.
    let is_example = |span: &Span| PUBLISHED_EXAMPLES.contains(&source.slice(*span));
    let is_whole = |span: &Span| {
        !["...", "…"]
            .iter()
            .any(|dots| source.text()[span.end()..].starts_with(dots) || source.slice(*span).ends_with(dots))
    };
    find_certain(source.text())
        .into_iter()
        .filter(|(span, _)| is_whole(span) && !is_example(span))
        .map(finding)
        .collect()
}

/// The values in the examples of RFC 6749 and RFC 6750, which many pages repeat.
const PUBLISHED_EXAMPLES: [&str; 4] =
    ["tGzv3JOkF0XG5Qx2TlKWIA", "2YotnFZFEjr1zCsicMWpAA", "SplxlOBeZQQYbYS6WxSbIA", "7Fjfp0ZBr1KtDRbnfVdmIw"];

/// Characters of a secret in the message: enough to find it, too few to use it.
const SHOWN: usize = 8;
