//! See `secret.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::secrets::{CertainSecret, WEB_TOKEN, find_certain};
use canonry_text::{Source, Span};
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

const HELP_FOR_SAMPLE: &str = "if it was ever valid, revoke it; then write a placeholder such as `<token>`";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    // A secret that is repeated is one secret to revoke.
    let mut by_value: BTreeMap<&str, Finding> = BTreeMap::new();
    for (source, _) in skill.all_texts() {
        for secret in secrets_in(source) {
            let location = Location { source: None, ..Location::at(source, Span { length: 0, ..secret.span }) };
            let value = source.slice(secret.span);
            let finding = match by_value.remove(value) {
                Some(first) => first.related(location, "also here"),
                None if secret.has_format => finding(source, secret),
                // The samples of one skill have one author.
                None => finding(source, secret).caused_by(skill.path().to_string(), ("sample", "samples")),
            };
            by_value.insert(value, finding);
        }
    }
    findings.extend(by_value.into_values());
}

fn check_agent_text(text: &AgentText, findings: &mut Vec<Finding>) {
    let found = secrets_in(&text.source).into_iter();
    findings.extend(found.map(|secret| finding(&text.source, secret)));
}

/// The secrets of a text.
fn secrets_in(source: &Source) -> Vec<CertainSecret> {
    // `dGhpc…W4...` is abbreviated.
    let is_whole = |span: &Span| {
        !["...", "…"]
            .iter()
            .any(|dots| source.text()[span.end()..].starts_with(dots) || source.slice(*span).ends_with(dots))
    };
    let mut found = find_certain(source.text());
    found.retain(|CertainSecret { span, what, .. }| {
        let value = source.slice(*span);
        let is_invented = *what == WEB_TOKEN && !has_json_header(value);
        is_whole(span) && !is_invented && !is_in_media_address(source.text(), *span) && !is_encoded_words(value)
    });
    found
}

/// Whether a value is base64 of words, as in a manifest of Kubernetes: `bXktand0LXNlY3JldA==`.
fn is_encoded_words(value: &str) -> bool {
    let decoded = base64(value).and_then(|bytes| String::from_utf8(bytes).ok());
    let is_word = |part: &str| part.len() >= 2 && part.bytes().all(|byte| byte.is_ascii_lowercase());
    decoded.is_some_and(|text| text.split(['-', '_', ' ', '.']).all(is_word))
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
    let mut bits = 0u32;
    let mut count = 0u32;
    let mut bytes = Vec::with_capacity(text.len());
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

/// The finding for a secret. A key in the published format of a service is one wherever it is; where only the name of a setting says that
/// its value is a secret, it may be a sample.
fn finding(source: &Arc<Source>, secret: CertainSecret) -> Finding {
    let CertainSecret { span, what, has_format } = secret;
    // Half of a short password would be too much.
    let shown = source.slice(span).chars().take(SHOWN.min(span.length / 3)).collect::<String>();
    // Only the beginning is highlighted: more people read reports than the file.
    let location = Location { source: None, ..Location::at(source, Span { length: shown.len(), ..span }) };
    if has_format {
        RULE.at(location, format!("`{shown}…` looks like {what}")).help(HELP)
    } else {
        let message = format!("`{shown}…` looks like {what}, or is a sample of one");
        RULE.at(location, message).help(HELP_FOR_SAMPLE).severity(Defaults::both(Severity::Warning))
    }
}

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
    fn words_may_be_encoded() {
        for (value, want) in [
            ("bXktand0LXNlY3JldA==", true),
            ("c2VjcmV0", true),
            ("cTdacDJMeFY5bUtkUjR0V2M4TmJZZg==", false),
            ("q7Zp2LxV9mKdR4tWc8NbYf3H", false),
            ("", false),
        ] {
            assert_eq!(is_encoded_words(value), want, "{value}");
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
