//! Detects secrets by the published formats of their issuers, which makes false positives rare.

use super::formats::{CharSet, FORMATS, SHORTEST, may_have_prefix};
use crate::Span;
use crate::long_words::long_words;
use bstr::ByteSlice;
use std::borrow::Cow;
use std::ops::Range;

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
    if !may_have_prefix(&text.as_bytes()[at..]) {
        return None;
    }
    FORMATS.iter().find_map(|format| {
        let start = at + format.prefix.len();
        let rest = text[at..].strip_prefix(format.prefix)?;
        let is_part = |byte: &u8| CharSet::Dotted.has(*byte) || format.set.has(*byte);
        let end = rest.bytes().take_while(|byte| is_part(byte)).count();
        let rest = rest[..end].trim_end_matches(['.', '-', '=']);
        let length = rest.bytes().take_while(|byte| format.set.has(*byte)).count();
        let ends = rest[length..].bytes().next().is_none_or(|byte| byte == b'.');
        let fits = ends && (format.min..=format.max).contains(&length);
        (fits && is_random(&rest[..length])).then(|| (Span::new(at, start + length), format.what))
    })
}

fn word_at(bytes: &[u8], at: usize) -> usize {
    bytes[at..].iter().take_while(|byte| CharSet::Dotted.has(**byte)).count()
}

/// The middle of a token of HCP Terraform.
const TERRAFORM_MARK: &str = ".atlasv1.";
/// The length of what is in front of it.
const TERRAFORM_ID: usize = 14;

/// The token of HCP Terraform at `at`: an identifier, a mark, and 60 to 70 characters
/// (<https://developer.hashicorp.com/terraform/cloud-docs/users-teams-organizations/api-tokens>).
fn terraform_token_at(text: &str, at: usize) -> Option<(Span, &'static str)> {
    let (id, rest) = text[at..].split_at_checked(TERRAFORM_ID)?;
    let rest = rest.strip_prefix(TERRAFORM_MARK)?;
    let length = rest.bytes().take_while(|byte| CharSet::Url.has(*byte)).count();
    let is_token = id.bytes().all(|byte| CharSet::Word.has(byte)) && (60..=70).contains(&length);
    let end = at + TERRAFORM_ID + TERRAFORM_MARK.len() + length;
    (is_token && is_random(&rest[..length])).then(|| (Span::new(at, end), "an HCP Terraform token"))
}

/// The token of a Discord bot at `at`: the id of the bot, which is a number in base64, a time, and a code
/// (<https://docs.discord.com/developers/reference#authentication>).
fn discord_token_at(text: &str, at: usize) -> Option<(Span, &'static str)> {
    let word = text[at..at + word_at(text.as_bytes(), at)].trim_end_matches('.');
    let mut parts = word.split('.');
    let id = parts.next()?;
    let time = parts.next()?;
    let code = parts.next()?;
    let is_token = parts.next().is_none()
        && (22..=28).contains(&id.len())
        && is_number_in_base64(id)
        && (6..=7).contains(&time.len())
        && (27..=45).contains(&code.len());
    is_token.then(|| (Span::new(at, at + word.len()), "a Discord bot token"))
}

/// The code in the token of a Telegram bot at `at`, behind the number of the bot and a colon
/// (<https://core.telegram.org/bots/api#authorizing-your-bot>).
fn telegram_token_at(text: &str, at: usize, length: usize) -> Option<(Span, &'static str)> {
    let number = text[..at].strip_suffix(':')?.bytes().rev().take_while(u8::is_ascii_digit).count();
    let code = &text[at..at + length];
    let is_token =
        (8..=10).contains(&number) && TELEGRAM_CODE.contains(&length) && code.starts_with("AA") && is_random(code);
    is_token.then(|| (Span::new(at - 1 - number, at + length), "a Telegram bot token"))
}

/// Lengths of the code of a Telegram bot.
const TELEGRAM_CODE: std::ops::RangeInclusive<usize> = 34..=36;

/// Whether a word is base64 of decimal digits. Each place in a group of four then has few possible characters.
fn is_number_in_base64(word: &str) -> bool {
    const PLACES: [&[u8]; 4] = [b"MNO", b"DTjz", b"AEIMQUYcgk", b"wxyz012345"];
    // One digit alone at the end has fewer bits.
    let (word, has_end) = match (word.len() % 4, word.as_bytes().last()) {
        (2, Some(last)) => (&word[..word.len() - 1], b"AQgw".contains(last)),
        _ => (word, true),
    };
    has_end && word.bytes().zip(PLACES.iter().cycle()).all(|(byte, place)| place.contains(&byte))
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

/// The description of a web token.
pub const WEB_TOKEN: &str = "a JSON Web Token";
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
    (is_token && entropy(signature) >= MIN_ENTROPY).then(|| (Span::new(at, at + word.len()), WEB_TOKEN))
}

/// The URL of an incoming webhook, whose path is the secret.
struct Webhook {
    what: &'static str,
    host: &'static str,
    /// Prefix of its path.
    path: &'static str,
}

const WEBHOOKS: [Webhook; 6] = [
    Webhook { what: "a Slack webhook", host: "hooks.slack.com", path: "/services/" },
    Webhook { what: "a Slack webhook", host: "hooks.slack.com", path: "/workflows/" },
    Webhook { what: "a Discord webhook", host: "discord.com", path: "/api/webhooks/" },
    Webhook { what: "a Discord webhook", host: "discordapp.com", path: "/api/webhooks/" },
    Webhook { what: "a Teams webhook", host: "webhook.office.com", path: "/webhookb2/" },
    Webhook { what: "a Telegram bot token", host: "api.telegram.org", path: "/bot" },
];
/// The length of `discord.com`.
const SHORTEST_HOST: usize = 11;
/// The minimum length of the path of a webhook.
const WEBHOOK_PATH: usize = 24;

/// The secret path of a webhook whose host ends at `at`.
fn webhook_at(text: &str, at: usize, webhook: &Webhook) -> Option<(Span, &'static str)> {
    let start = text[at..].starts_with(webhook.path).then_some(at + webhook.path.len())?;
    let is_path = |byte: &&u8| CharSet::Url.has(**byte) || matches!(**byte, b'/' | b':' | b'@' | b'.');
    let length = text.as_bytes()[start..].iter().take_while(is_path).count();
    let path = text[start..start + length].trim_end_matches(['.', '/', ':']);
    (path.len() >= WEBHOOK_PATH && is_random(path)).then(|| (Span::new(start, start + path.len()), webhook.what))
}

/// Finds all secrets, in order, with a description of each. Of a private key, the span is the first line.
pub fn find_all(text: &str) -> Vec<(Span, &'static str)> {
    find_in(text, long_words(text.as_bytes(), SHORTEST))
}

/// [`find_all`] in a text whose words of at least [`SHORTEST`] bytes are known.
pub(super) fn find_in(text: &str, long_words: impl Iterator<Item = Range<usize>>) -> Vec<(Span, &'static str)> {
    let bytes = text.as_bytes();
    let keys = bytes.find_iter(PEM_BEGIN).filter_map(|at| private_key_at(text, at));
    let words = long_words.flat_map(|word| parts_at(bytes, word));
    let mut found: Vec<_> = keys.chain(words.filter_map(|(at, length)| secret_at(text, at, length))).collect();
    found.sort_by_key(|(span, _)| span.offset);
    found
}

/// The parts of a long word between bytes that occur in no secret: where each begins, and its length.
fn parts_at(bytes: &[u8], word: Range<usize>) -> impl Iterator<Item = (usize, usize)> + '_ {
    let parts = bytes[word.clone()].split(|byte| !CharSet::Dotted.has(*byte));
    parts.scan(word.start, |next, part| {
        let at = *next;
        *next += part.len() + 1;
        Some((at, part.len()))
    })
}

/// The secret that begins in the part of a long word at `at`.
fn secret_at(text: &str, at: usize, length: usize) -> Option<(Span, &'static str)> {
    if length >= SHORTEST && text[at..].starts_with(TOKEN_BEGIN) {
        return web_token_at(text, at);
    }
    // The first part of a secret in base64 can be short.
    let found = format_at(text, at).or_else(|| webhook_in(text, at, length));
    if found.is_some() || length < SHORTEST {
        return found;
    }
    let tokens = || discord_token_at(text, at).or_else(|| telegram_token_at(text, at, length));
    terraform_token_at(text, at).or_else(tokens)
}

/// The secret path of a webhook whose host is the part of a long word at `at`.
fn webhook_in(text: &str, at: usize, length: usize) -> Option<(Span, &'static str)> {
    let host = &text[at..at + length];
    let is_host = length >= SHORTEST_HOST && text[at + length..].starts_with('/');
    let mut webhooks = WEBHOOKS.iter().filter(|webhook| is_host && host.ends_with(webhook.host));
    webhooks.find_map(|webhook| webhook_at(text, at + length, webhook))
}

/// Replaces each secret with what `replacement` returns for its description. A private key is replaced up to its last
/// line, or to the end of the text.
pub fn replace_all(text: &str, mut replacement: impl FnMut(&'static str) -> String) -> Cow<'_, str> {
    let found = find_all(text);
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
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
pub(super) fn is_random(value: &str) -> bool {
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
pub(super) fn entropy(value: &str) -> f64 {
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

    const CLOUDFLARE: &str = concat!(
        "a4c123b1612dd272d1371c17-149d439536b3216fdaeeb975729fae923d5a4fd12aabfe228f219e9cb0eb53f16",
        "947ccf25ec84d8dbc74254770f58904dba41ecccc3fc1626e53a13043b026c48bbf33feff9243a8f5"
    );

    #[test]
    fn finds_known_formats() {
        for (text, what) in [
            (value("ghp_", RANDOM), "a GitHub personal access token"),
            (value("export KEY=\"AKIA", "Q7ZP2LXV9MKDR4TW\""), "an AWS access key ID"),
            (value("npm_", RANDOM), "an npm access token"),
            (value("key: AIza", "Sy7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe-u."), "a Google API key"),
            (value("refresh_token: 1//0", &format!("{RANDOM}{RANDOM}")), "a Google refresh token"),
            (value("'ya29.", &format!("{RANDOM}-{RANDOM}'")), "a Google access token"),
            (value("sk-", &format!("{RANDOM}q7Zp2LxV9mKd")), "an OpenAI API key"),
        ] {
            let found = find_all(&text);
            assert_eq!(found.iter().map(|(_, what)| *what).collect::<Vec<_>>(), [what], "{text}");
        }
    }

    #[test]
    fn finds_formats_with_a_mark_in_the_middle_or_in_base64() {
        let long = format!("{RANDOM}{RANDOM}");
        for (text, what) in [
            (value("q7Zp2LxV9mKdR4.atlasv1", &format!(".{}", &long[..64])), "an HCP Terraform token"),
            (value("MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ", ".ZnCjm1XVW7vRze4b7Cq4se7kKWs"), "a Discord bot token"),
            (value("FlyV1 fm2", &format!("_lJPE/{long}+x/A==")), "a Fly.io access token"),
            (value("v1.0-", CLOUDFLARE), "a Cloudflare origin CA key"),
            (value("TOKEN=123456789:AA", &RANDOM[..33]), "a Telegram bot token"),
            (value("sb_secret_", &RANDOM[..31]), "a Supabase secret key"),
            (value("tvly-", &RANDOM[..32]), "a Tavily API key"),
        ] {
            let found = find_all(&text);
            assert_eq!(found.iter().map(|(_, what)| *what).collect::<Vec<_>>(), [what], "{text}");
        }
        for text in ["patterns-of-usage.md", "v1.0-rc.20240501-linux-x86_64", "cioran", "MTIz.a.b"] {
            assert_eq!(find_all(text), [], "{text}");
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
            value("risk-", &format!("{RANDOM}q7Zp2LxV9mKd")),
            value("https://x.org/1//0", RANDOM),
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
