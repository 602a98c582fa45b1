//! See `secret.md`.

use super::samples::{is_in_sample, is_sample_path};
use super::secret_in_sample;
use crate::canon::agent_text::AgentText;
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::secrets::WEB_TOKEN;
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
    let found = find_certain(source.text()).into_iter();
    found
        .filter(|(span, what)| {
            let is_invented = *what == WEB_TOKEN && !has_json_header(source.slice(*span));
            is_whole(span) && !is_example(span) && !is_invented && !is_in_media_address(source.text(), *span)
        })
        .collect()
}

/// Whether a value is part of the address of an image, video or frame of a page: whoever sees the page has it.
fn is_in_media_address(text: &str, span: Span) -> bool {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '(' | '<' | '>' | '`');
    let start = text[..span.offset].rfind(is_end).map_or(0, |at| at + 1);
    let is_url = text[start..].starts_with("http") && text[start..span.offset].contains("://");
    let before = text[..start].trim_end_matches(['"', '\'', '{']);
    let is_source = ["src=", "poster=", "srcset="].iter().any(|name| before.ends_with(name)) && before.len() < start;
    let is_image = || {
        let line = &text[text[..start].rfind('\n').map_or(0, |newline| newline + 1)..start];
        line.ends_with("](") && line.rfind('[').is_some_and(|open| line[..open].ends_with('!'))
    };
    is_url && (is_source || is_image())
}

/// Whether the first part of a web token is JSON, as each real one has it.
fn has_json_header(token: &str) -> bool {
    let header = token.split('.').next().unwrap_or_default();
    let bytes = base64(header).unwrap_or_default();
    serde_json::from_slice::<serde_json::Value>(&bytes).is_ok_and(|header| header.is_object())
}

/// Decodes base64 in the alphabet of web tokens; `None` if another character occurs.
fn base64(text: &str) -> Option<Vec<u8>> {
    let (mut bits, mut count, mut bytes) = (0u32, 0u32, Vec::with_capacity(text.len()));
    for byte in text.trim_end_matches('=').bytes() {
        let digit = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'-' | b'+' => 62,
            b'_' | b'/' => 63,
            _ => return None,
        };
        (bits, count) = (bits << 6 | u32::from(digit), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
            bits &= (1 << count) - 1;
        }
    }
    Some(bytes)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_web_tokens_are_json() {
        for (token, want) in [
            ("eyJhbGciOiJIUzI1NiJ9.eyJ", true),
            ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9", true),
            ("eyJxxxxxxxxxxxxxxxxx.eyJ", false),
            ("aaa.eyJ.ccc", false),
            ("e y", false),
            ("", false),
        ] {
            assert_eq!(has_json_header(token), want, "{token}");
        }
    }

    #[test]
    fn addresses_of_media_are_public() {
        for (text, want) in [
            ("<Video\n  src=\"https://x.org/a?token=KEY&b\"", true),
            ("<img src='https://x.org/a?token=KEY'>", true),
            ("see ![a [b]](https://x.org/a?token=KEY)", false),
            ("see ![a](https://x.org/a?token=KEY)", true),
            ("see [a](https://x.org/a?token=KEY)", false),
            ("src = \"https://x.org/a?token=KEY\"", false),
            ("curl \"https://x.org/a?token=KEY\"", false),
            ("<img src=\"KEY\">", false),
        ] {
            let at = text.find("KEY").unwrap_or_default();
            assert_eq!(is_in_media_address(text, Span::new(at, at + 3)), want, "{text}");
        }
    }
}
