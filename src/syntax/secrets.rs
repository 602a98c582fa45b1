//! Detects secrets by the published formats of their issuers, which makes false positives rare.

use super::{Span, WordMatcher};
use std::borrow::Cow;

/// The format of a secret: a prefix, and a number of characters of a set.
struct SecretFormat {
    what: &'static str,
    prefix: &'static str,
    set: CharSet,
    min: usize,
    max: usize,
}

/// The characters after a prefix.
#[derive(Clone, Copy)]
enum CharSet {
    Word,
    /// Upper-case letters and digits.
    Capital,
    /// Lower-case hexadecimal digits.
    Hex,
    /// Letters, digits, `_` and `-`, as in URL-safe base64.
    Url,
    /// The same with `.`, for tokens of several parts.
    Dotted,
}

impl CharSet {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Word => byte.is_ascii_alphanumeric(),
            Self::Capital => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
        }
    }
}

const fn format(what: &'static str, prefix: &'static str, set: CharSet, min: usize, max: usize) -> SecretFormat {
    SecretFormat { what, prefix, set, min, max }
}

/// Prefixes and lengths as the issuers document them for secret scanners; GitHub's list of supported patterns includes
/// all. Public keys, such as publishable and test keys, are left out.
const FORMATS: &[SecretFormat] = &[
    format("an AWS access key ID", "AKIA", CharSet::Capital, 16, 16),
    format("an AWS temporary access key ID", "ASIA", CharSet::Capital, 16, 16),
    format("a GitHub personal access token", "ghp_", CharSet::Word, 36, 36),
    format("a GitHub access token", "gho_", CharSet::Word, 36, 36),
    format("a GitHub access token", "ghu_", CharSet::Word, 36, 36),
    format("a GitHub access token", "ghs_", CharSet::Word, 36, 36),
    format("a GitHub refresh token", "ghr_", CharSet::Word, 36, 76),
    format("a GitHub personal access token", "github_pat_", CharSet::Url, 82, 82),
    format("a GitLab personal access token", "glpat-", CharSet::Dotted, 20, 64),
    format("a Slack token", "xoxb-", CharSet::Url, 40, 90),
    format("a Slack token", "xoxp-", CharSet::Url, 40, 90),
    format("a Slack app token", "xapp-", CharSet::Url, 60, 140),
    format("a Stripe secret key", "sk_live_", CharSet::Word, 24, 120),
    format("a Stripe restricted key", "rk_live_", CharSet::Word, 24, 120),
    format("an OpenAI API key", "sk-proj-", CharSet::Url, 60, 200),
    format("an OpenAI API key", "sk-svcacct-", CharSet::Url, 60, 200),
    format("an Anthropic API key", "sk-ant-api03-", CharSet::Url, 80, 110),
    format("an Anthropic admin key", "sk-ant-admin01-", CharSet::Url, 80, 110),
    format("a Google API key", "AIza", CharSet::Url, 35, 35),
    format("a Google client secret", "GOCSPX-", CharSet::Url, 28, 28),
    format("an npm access token", "npm_", CharSet::Word, 36, 36),
    format("a PyPI token", "pypi-AgEI", CharSet::Url, 60, 250),
    format("a SendGrid API key", "SG.", CharSet::Dotted, 66, 66),
    format("a Hugging Face access token", "hf_", CharSet::Word, 34, 40),
    format("a DigitalOcean token", "dop_v1_", CharSet::Hex, 64, 64),
    format("a Shopify access token", "shpat_", CharSet::Hex, 32, 32),
    format("a Shopify shared secret", "shpss_", CharSet::Hex, 32, 32),
    format("a Linear API key", "lin_api_", CharSet::Word, 40, 40),
    format("a Databricks token", "dapi", CharSet::Hex, 32, 32),
    format("a Vault token", "hvs.", CharSet::Url, 90, 120),
    format("a Docker Hub token", "dckr_pat_", CharSet::Url, 27, 27),
    format("a Grafana service account token", "glsa_", CharSet::Url, 41, 41),
    format("a Groq API key", "gsk_", CharSet::Word, 52, 52),
    format("a Replicate API token", "r8_", CharSet::Word, 37, 37),
    format("a Notion token", "ntn_", CharSet::Word, 43, 46),
    format("an age secret key", "AGE-SECRET-KEY-1", CharSet::Capital, 58, 58),
];

/// All prefixes.
const PREFIXES: [&str; FORMATS.len()] = {
    let mut prefixes = [""; FORMATS.len()];
    let mut at = 0;
    while at < FORMATS.len() {
        prefixes[at] = FORMATS[at].prefix;
        at += 1;
    }
    prefixes
};

/// Whether a word starts with the prefix of a known format.
#[must_use]
pub fn has_secret_prefix(word: &str) -> bool {
    PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}

/// Words that mark a value as made up, in lower case.
const PLACEHOLDER_WORDS: [&str; 16] = [
    "example",
    "your",
    "xxxx",
    "placeholder",
    "sample",
    "dummy",
    "fake",
    "redacted",
    "changeme",
    "replace",
    "insert",
    "secret",
    "token",
    "test",
    "12345",
    "abcde",
];

/// The secret of a known format at `at`.
fn format_at(text: &str, at: usize) -> Option<(Span, &'static str)> {
    let (length, what) = match_at(&text[at..at + word_at(text.as_bytes(), at)])?;
    Some((Span::new(at, at + length), what))
}

fn word_at(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|byte| CharSet::Dotted.has(**byte)).count()
}

fn match_at(word: &str) -> Option<(usize, &'static str)> {
    FORMATS.iter().find_map(|format| {
        let rest = word.strip_prefix(format.prefix)?;
        let rest = rest.trim_end_matches(['.', '-']);
        let length = rest.bytes().take_while(|byte| format.set.has(*byte)).count();
        let ends = rest[length..].bytes().next().is_none_or(|byte| byte == b'.');
        let fits = ends && (format.min..=format.max).contains(&length);
        (fits && is_random(&rest[..length])).then(|| (format.prefix.len() + length, format.what))
    })
}

/// The start of a private key.
const PEM_BEGIN: &str = "-----BEGIN ";
const KEY_TYPES: [&str; 6] = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "];
/// The length of the start of a private key that must look random. Shortened examples are shorter.
const KEY_START: usize = 96;

/// The private key in PEM that begins at `at`: its first line.
fn private_key_at(text: &str, at: usize) -> Option<(Span, &'static str)> {
    let rest = &text[at + PEM_BEGIN.len()..];
    let kind = KEY_TYPES.iter().find(|kind| rest.starts_with(&format!("{kind}PRIVATE KEY-----")))?;
    let body = &rest[kind.len() + "PRIVATE KEY-----".len()..];
    let key: String = body.split("-----").next()?.replace("\\n", "").split_whitespace().collect();
    let is_base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
    let first = key.get(..KEY_START).filter(|first| first.bytes().all(is_base64))?;
    is_random(first).then(|| (Span::new(at, at + PEM_BEGIN.len() + kind.len() + 11), PRIVATE_KEY))
}

const PRIVATE_KEY: &str = "a private key";

/// The start of a JSON object in base64.
const TOKEN_BEGIN: &str = "eyJ";
/// The minimum length of the parts of a web token.
const TOKEN_PART: usize = 16;
/// The payload of the example that most documentation of JSON Web Tokens shows.
const EXAMPLE_TOKEN: &str = "eyJzdWIiOiIxMjM0NTY3ODkwI";

/// The JSON Web Token at `at`: three parts in base64; the first two are JSON objects.
fn web_token_at(text: &str, at: usize) -> Option<(Span, &'static str)> {
    let word = text[at..at + word_at(text.as_bytes(), at)].trim_end_matches('.');
    let parts: Vec<&str> = word.split('.').collect();
    let [header, payload, signature] = parts.as_slice() else { return None };
    let is_long = [header, payload, signature].iter().all(|part| part.len() >= TOKEN_PART);
    let is_token = is_long && payload.starts_with(TOKEN_BEGIN) && !payload.starts_with(EXAMPLE_TOKEN);
    (is_token && entropy(signature) >= MIN_ENTROPY).then(|| (Span::new(at, at + word.len()), "a JSON Web Token"))
}

/// The URL of an incoming webhook, whose path is the secret.
struct Webhook {
    what: &'static str,
    prefix: &'static str,
}

const WEBHOOKS: [Webhook; 6] = [
    Webhook { what: "a Slack webhook", prefix: "hooks.slack.com/services/" },
    Webhook { what: "a Slack webhook", prefix: "hooks.slack.com/workflows/" },
    Webhook { what: "a Discord webhook", prefix: "discord.com/api/webhooks/" },
    Webhook { what: "a Discord webhook", prefix: "discordapp.com/api/webhooks/" },
    Webhook { what: "a Teams webhook", prefix: "webhook.office.com/webhookb2/" },
    Webhook { what: "a Telegram bot token", prefix: "api.telegram.org/bot" },
];
/// The minimum length of the path of a webhook.
const WEBHOOK_PATH: usize = 24;

/// The secret path of a webhook whose URL has its prefix at `at`.
fn webhook_at(text: &str, at: usize, webhook: &Webhook) -> Option<(Span, &'static str)> {
    let start = at + webhook.prefix.len();
    let is_path = |byte: &&u8| CharSet::Url.has(**byte) || matches!(**byte, b'/' | b':' | b'@' | b'.');
    let length = text.as_bytes()[start..].iter().take_while(is_path).count();
    let path = text[start..start + length].trim_end_matches(['.', '/', ':']);
    (path.len() >= WEBHOOK_PATH && is_random(path)).then(|| (Span::new(start, start + path.len()), webhook.what))
}

/// The beginnings of all secrets, so that one pass finds them.
static BEGINNINGS: WordMatcher = WordMatcher::new(&BEGINNING_WORDS);

const BEGINNING_WORDS: [&str; PREFIXES.len() + WEBHOOKS.len() + 2] = {
    let mut words = [PEM_BEGIN; PREFIXES.len() + WEBHOOKS.len() + 2];
    let mut at = 0;
    while at < PREFIXES.len() {
        words[at] = PREFIXES[at];
        at += 1;
    }
    let mut webhook = 0;
    while webhook < WEBHOOKS.len() {
        words[at + webhook] = WEBHOOKS[webhook].prefix;
        webhook += 1;
    }
    words[at + webhook] = TOKEN_BEGIN;
    words
};

/// Finds all secrets, with a description of each. Of a private key, the span is the first line.
pub fn find_all(text: &str) -> Vec<(Span, &'static str)> {
    let bytes = text.as_bytes();
    let stands_free = |at: usize| at == 0 || !CharSet::Dotted.has(bytes[at - 1]);
    let found = BEGINNINGS.all_in(text).filter_map(|(at, word)| {
        if word == PEM_BEGIN {
            return private_key_at(text, at);
        }
        if let Some(webhook) = WEBHOOKS.iter().find(|webhook| webhook.prefix == word) {
            return webhook_at(text, at, webhook);
        }
        match stands_free(at) {
            true if word == TOKEN_BEGIN => web_token_at(text, at),
            true => format_at(text, at),
            false => None,
        }
    });
    found.collect()
}

/// Replaces each secret with what `replacement` returns for its description. A private key is replaced up to its last
/// line, or to the end of the text.
pub fn replace_all(text: &str, mut replacement: impl FnMut(&'static str) -> String) -> Cow<'_, str> {
    let mut found = find_all(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    found.sort_by_key(|(span, _)| span.offset);
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (span, what) in found {
        if span.offset < done {
            continue;
        }
        out.push_str(&text[done..span.offset]);
        out.push_str(&replacement(what));
        done = if what == PRIVATE_KEY { end_of_key(text, span) } else { span.end() };
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Replaces each secret with a description.
pub fn redact(text: &str) -> Cow<'_, str> {
    replace_all(text, |what| format!("[{what}, redacted]"))
}

/// [`redact`] with an owned result.
pub fn without_secrets(text: &str) -> String {
    redact(text).into_owned()
}

fn end_of_key(text: &str, begin: Span) -> usize {
    let behind = |at: usize, mark: &str| text[at..].find(mark).map(|found| at + found + mark.len());
    behind(begin.end(), "-----END ").and_then(|at| behind(at, "-----")).unwrap_or(text.len())
}

/// The minimum entropy of a secret in bits per character. Random hexadecimal digits have nearly 4; words and patterns
/// have less.
const MIN_ENTROPY: f64 = 3.0;

/// Whether a value looks random.
fn is_random(value: &str) -> bool {
    let lower = value.to_lowercase();
    let is_placeholder = PLACEHOLDER_WORDS.iter().any(|word| lower.contains(word));
    let bytes = lower.as_bytes();
    let in_row = bytes.windows(5).any(|five| five.windows(2).all(|two| two[0] == two[1]));
    // Also `a1b2c3d4e5f6`: the letters alone count up.
    let letters: Vec<u8> = bytes.iter().copied().filter(u8::is_ascii_lowercase).collect();
    let counts_up = counts_up(bytes) || counts_up(&letters);
    !is_placeholder && !in_row && !counts_up && entropy(value) >= MIN_ENTROPY
}

/// Whether six bytes in a row count up.
fn counts_up(bytes: &[u8]) -> bool {
    bytes.windows(6).any(|six| six.windows(2).all(|two| two[1] == two[0].wrapping_add(1)))
}

/// The Shannon entropy of the characters, in bits.
fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let all = value.len() as f64;
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all).map(|p| -p * p.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::{find_all, redact};

    /// Builds values at run time, so that no scanner reports this file.
    fn value(prefix: &str, rest: &str) -> String {
        format!("{prefix}{rest}")
    }

    const RANDOM: &str = "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo";

    #[test]
    fn finds_known_formats() {
        for (text, what) in [
            (value("ghp_", RANDOM), "a GitHub personal access token"),
            (value("export KEY=\"AKIA", "Q7ZP2LXV9MKDR4TW\""), "an AWS access key ID"),
            (value("npm_", RANDOM), "an npm access token"),
            (value("key: AIza", "Sy7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe-u."), "a Google API key"),
        ] {
            let found = find_all(&text);
            assert_eq!(found.iter().map(|(_, what)| *what).collect::<Vec<_>>(), [what], "{text}");
        }
    }

    #[test]
    fn leaves_what_is_placeholder_alone() {
        for text in [
            value("AKIA", "IOSFODNN7EXAMPLE"),
            value("ghp_", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
            value("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"),
            value("ghp_", "k1l2m3n4o5p6q7r8s9t0u1v2w3x4y5z6a7b8"),
            value("ghp_", &RANDOM[1..]),
            value("my_ghp_", RANDOM),
            value("ghp_", "yourTokenHere7Zp2LxV9mKdR4tWc8NbYf3H"),
            "sk_live_... and AKIA".to_owned(),
        ] {
            assert_eq!(find_all(&text), [], "{text}");
        }
    }

    #[test]
    fn finds_web_tokens_and_webhooks() {
        let token =
            ["eyJhbGciOiJIUzI1NiJ9", "eyJyb2xlIjoiYWRtaW4iLCJpZCI6N30", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe"].join(".");
        let path = "T0AB12CD3/B0EF45GH6/q7Zp2LxV9mKdR4tWc8NbYf3H";
        let hook = format!("https://hooks.slack.com/services/{path}");
        assert_eq!(redact(&format!("x?jwt={token}&y")), "x?jwt=[a JSON Web Token, redacted]&y");
        assert_eq!(redact(&hook), "https://hooks.slack.com/services/[a Slack webhook, redacted]");
        let example = token.replace("eyJyb2xlIjoiYWRtaW4iLCJpZCI6N30", "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkoifQ");
        for text in [example.as_str(), "https://hooks.slack.com/services/T000/B000/XXXX", "eyJhbGciOiJIUzI1NiJ9.a.b"] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn redacts_secrets() {
        let token = value("ghp_", RANDOM);
        let text = format!("a {token} b {token}");
        let out = "[a GitHub personal access token, redacted]";
        assert_eq!(redact(&text), format!("a {out} b {out}"));
        assert_eq!(redact("nothing of the kind"), "nothing of the kind");
        let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXoB1nMwPz0SvE";
        for end in ["-----END PRIVATE KEY----- z", ""] {
            let text = format!("a -----BEGIN {}-----\n{key}\n{end}", "PRIVATE KEY");
            let rest = if end.is_empty() { "" } else { " z" };
            assert_eq!(redact(&text), format!("a [a private key, redacted]{rest}"));
        }
    }
}
