//! See `secret.md`.

use super::tokens;
use crate::canon::skill::Skill;
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule};
use crate::syntax::{Span, Words};

pub(super) static RULE: Rule = Rule {
    id: "secret",
    summary: "a token or private key in a file of a skill",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("secret.md"),
    check: Check::Skill(check),
};

const HELP: &str =
    "revoke it at once: whoever can read the repository has it; then name the environment variable to take it from";

fn check(skill: &Skill, drafts: &mut Drafts) {
    for (source, _) in skill.all_texts() {
        let text = source.text();
        for (span, what) in tokens::find(text).into_iter().chain(private_keys(text)) {
            let shown = source.slice(span).chars().take(SHOWN).collect::<String>();
            let message = format!("`{shown}…` looks like {what}");
            // Only its beginning is pointed at: reports are read by more people than the file is.
            let place = Place { source: None, ..Place::at(source, Span { length: shown.len(), ..span }) };
            drafts.push(Draft::new(place, message).help(HELP));
        }
    }
}

/// Characters of a secret that are told: enough to find it, too few to use it.
const SHOWN: usize = 8;

static BEGIN: Words = Words::new(&["-----BEGIN "]);
const KINDS: [&str; 6] = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "];
/// Characters of a key's first lines that must be there and look random; a shortened example has fewer.
const KEY: usize = 96;

/// Private keys in PEM.
pub(super) fn private_keys(text: &str) -> Vec<(Span, &'static str)> {
    let begins = BEGIN.all_in(text).filter_map(|(at, begin)| {
        let rest = &text[at + begin.len()..];
        let kind = KINDS.iter().find(|kind| rest.starts_with(&format!("{kind}PRIVATE KEY-----")))?;
        let body = &rest[kind.len() + "PRIVATE KEY-----".len()..];
        let key: String = body.split("-----").next()?.replace("\\n", "").split_whitespace().collect();
        let is_base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
        let first = key.get(..KEY).filter(|first| first.bytes().all(is_base64))?;
        tokens::is_random(first).then(|| (Span::new(at, at + begin.len() + kind.len() + 11), "a private key"))
    });
    begins.collect()
}
