//! Formats of secrets that their makers publish, so that a match is hardly ever chance.

use super::{Span, WordMatcher};
use std::borrow::Cow;

/// A format: a prefix, then so many characters of a set.
struct SecretFormat {
    what: &'static str,
    prefix: &'static str,
    set: CharSet,
    least: usize,
    most: usize,
}

/// What may stand behind a prefix.
#[derive(Clone, Copy)]
enum CharSet {
    /// Letters and digits.
    Word,
    /// Capitals and digits.
    Capital,
    /// Hexadecimal digits in lower case.
    Hex,
    /// Letters, digits, `_` and `-`, as in base64 for addresses.
    Url,
    /// The same with dots, for tokens of several parts.
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

const fn format(what: &'static str, prefix: &'static str, set: CharSet, least: usize, most: usize) -> SecretFormat {
    SecretFormat { what, prefix, set, least, most }
}

/// Prefixes and lengths are those that the makers document for scanners of secrets (GitHub's list of supported patterns names
/// all of them). What is public by nature (keys for publishing, for tests) is left out.
const FORMATS: &[SecretFormat] = &[
    format("an access key id of AWS", "AKIA", CharSet::Capital, 16, 16),
    format("a temporary access key id of AWS", "ASIA", CharSet::Capital, 16, 16),
    format("a personal access token of GitHub", "ghp_", CharSet::Word, 36, 36),
    format("an access token of GitHub", "gho_", CharSet::Word, 36, 36),
    format("an access token of GitHub", "ghu_", CharSet::Word, 36, 36),
    format("an access token of GitHub", "ghs_", CharSet::Word, 36, 36),
    format("a refresh token of GitHub", "ghr_", CharSet::Word, 36, 76),
    format("a personal access token of GitHub", "github_pat_", CharSet::Url, 82, 82),
    format("a personal access token of GitLab", "glpat-", CharSet::Dotted, 20, 64),
    format("a token of Slack", "xoxb-", CharSet::Url, 40, 90),
    format("a token of Slack", "xoxp-", CharSet::Url, 40, 90),
    format("an app token of Slack", "xapp-", CharSet::Url, 60, 140),
    format("a secret key of Stripe", "sk_live_", CharSet::Word, 24, 120),
    format("a restricted key of Stripe", "rk_live_", CharSet::Word, 24, 120),
    format("an API key of OpenAI", "sk-proj-", CharSet::Url, 60, 200),
    format("an API key of OpenAI", "sk-svcacct-", CharSet::Url, 60, 200),
    format("an API key of Anthropic", "sk-ant-api03-", CharSet::Url, 80, 110),
    format("an admin key of Anthropic", "sk-ant-admin01-", CharSet::Url, 80, 110),
    format("an API key of Google", "AIza", CharSet::Url, 35, 35),
    format("a client secret of Google", "GOCSPX-", CharSet::Url, 28, 28),
    format("an access token of npm", "npm_", CharSet::Word, 36, 36),
    format("a token of PyPI", "pypi-AgEI", CharSet::Url, 60, 250),
    format("an API key of SendGrid", "SG.", CharSet::Dotted, 66, 66),
    format("an access token of Hugging Face", "hf_", CharSet::Word, 34, 40),
    format("a token of DigitalOcean", "dop_v1_", CharSet::Hex, 64, 64),
    format("an access token of Shopify", "shpat_", CharSet::Hex, 32, 32),
    format("a shared secret of Shopify", "shpss_", CharSet::Hex, 32, 32),
    format("an API key of Linear", "lin_api_", CharSet::Word, 40, 40),
    format("a token of Databricks", "dapi", CharSet::Hex, 32, 32),
    format("a token of Vault", "hvs.", CharSet::Url, 90, 120),
    format("a token of Docker Hub", "dckr_pat_", CharSet::Url, 27, 27),
    format("a service account token of Grafana", "glsa_", CharSet::Url, 41, 41),
    format("an API key of Groq", "gsk_", CharSet::Word, 52, 52),
    format("an API token of Replicate", "r8_", CharSet::Word, 37, 37),
    format("a token of Notion", "ntn_", CharSet::Word, 43, 46),
    format("a secret key of age", "AGE-SECRET-KEY-1", CharSet::Capital, 58, 58),
];

static NEAR: WordMatcher = WordMatcher::new(&PREFIXES);

/// All prefixes, to be looked for together.
const PREFIXES: [&str; FORMATS.len()] = {
    let mut prefixes = [""; FORMATS.len()];
    let mut at = 0;
    while at < FORMATS.len() {
        prefixes[at] = FORMATS[at].prefix;
        at += 1;
    }
    prefixes
};

/// Whether a word begins as a secret of a known format does, whatever its length.
#[must_use]
pub fn has_secret_prefix(word: &str) -> bool {
    PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}

/// What shows that a value was made up. Compared in lower case.
const MADE_UP: [&str; 16] = [
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

/// The secrets of known formats in a text, with what each is.
fn find(text: &str) -> Vec<(Span, &'static str)> {
    let bytes = text.as_bytes();
    let starts = |at: usize| at == 0 || !CharSet::Dotted.has(bytes[at - 1]);
    let found = NEAR.all_in(text).filter(|(at, _)| starts(*at)).filter_map(|(at, _)| {
        let (length, what) = match_at(&text[at..at + word_at(bytes, at)])?;
        Some((Span::new(at, at + length), what))
    });
    found.collect()
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
        let fits = ends && (format.least..=format.most).contains(&length);
        (fits && is_random(&rest[..length])).then(|| (format.prefix.len() + length, format.what))
    })
}

static BEGIN: WordMatcher = WordMatcher::new(&["-----BEGIN "]);
const KINDS: [&str; 6] = ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "];
/// Characters of a key's first lines that must be there and look random; a shortened example has fewer.
const KEY: usize = 96;

/// Private keys in PEM, told by their first line.
fn private_keys(text: &str) -> Vec<(Span, &'static str)> {
    let begins = BEGIN.all_in(text).filter_map(|(at, begin)| {
        let rest = &text[at + begin.len()..];
        let kind = KINDS.iter().find(|kind| rest.starts_with(&format!("{kind}PRIVATE KEY-----")))?;
        let body = &rest[kind.len() + "PRIVATE KEY-----".len()..];
        let key: String = body.split("-----").next()?.replace("\\n", "").split_whitespace().collect();
        let is_base64 = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=');
        let first = key.get(..KEY).filter(|first| first.bytes().all(is_base64))?;
        is_random(first).then(|| (Span::new(at, at + begin.len() + kind.len() + 11), "a private key"))
    });
    begins.collect()
}

/// The secrets in a text, with what each is; of a private key its first line.
pub fn all(text: &str) -> Vec<(Span, &'static str)> {
    find(text).into_iter().chain(private_keys(text)).collect()
}

/// A text with what each secret in it is in the secret's place; a private key goes to its last line, or to the end.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut found = all(text);
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
        out.push_str(&format!("[{what}, taken out]"));
        done = if what == "a private key" { end_of_key(text, span) } else { span.end() };
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// The same, as a text of its own.
pub fn without_secrets(text: &str) -> String {
    redact(text).into_owned()
}

fn end_of_key(text: &str, begin: Span) -> usize {
    let behind = |at: usize, mark: &str| text[at..].find(mark).map(|found| at + found + mark.len());
    behind(begin.end(), "-----END ").and_then(|at| behind(at, "-----")).unwrap_or(text.len())
}

/// Bits a character below which a value is made up: random hexadecimal digits have nearly 4, words and patterns less.
const ENTROPY: f64 = 3.0;

/// Whether a value looks as if a machine had drawn it.
fn is_random(value: &str) -> bool {
    let lower = value.to_lowercase();
    let is_made_up = MADE_UP.iter().any(|word| lower.contains(word));
    let bytes = lower.as_bytes();
    let in_row = bytes.windows(5).any(|five| five.windows(2).all(|two| two[0] == two[1]));
    let counts_up = bytes.windows(6).any(|six| six.windows(2).all(|two| two[1] == two[0].wrapping_add(1)));
    !is_made_up && !in_row && !counts_up && entropy(value) >= ENTROPY
}

/// Shannon's entropy of the characters, in bits.
fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let all = value.len() as f64;
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all).map(|p| -p * p.log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::{find, redact};

    /// Put together here, so that no scanner takes this file for a leak.
    fn value(prefix: &str, rest: &str) -> String {
        format!("{prefix}{rest}")
    }

    const RANDOM: &str = "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo";

    #[test]
    fn finds_formats() {
        for (text, what) in [
            (value("ghp_", RANDOM), "a personal access token of GitHub"),
            (value("export KEY=\"AKIA", "Q7ZP2LXV9MKDR4TW\""), "an access key id of AWS"),
            (value("npm_", RANDOM), "an access token of npm"),
            (value("key: AIza", "Sy7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe-u."), "an API key of Google"),
        ] {
            let found = find(&text);
            assert_eq!(found.iter().map(|(_, what)| *what).collect::<Vec<_>>(), [what], "{text}");
        }
    }

    #[test]
    fn leaves_what_is_made_up_alone() {
        for text in [
            value("AKIA", "IOSFODNN7EXAMPLE"),
            value("ghp_", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
            value("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"),
            value("ghp_", &RANDOM[1..]),
            value("my_ghp_", RANDOM),
            value("ghp_", "yourTokenHere7Zp2LxV9mKdR4tWc8NbYf3H"),
            "sk_live_... and AKIA".to_owned(),
        ] {
            assert_eq!(find(&text), [], "{text}");
        }
    }

    #[test]
    fn takes_secrets_out() {
        let token = value("ghp_", RANDOM);
        let text = format!("a {token} b {token}");
        let out = "[a personal access token of GitHub, taken out]";
        assert_eq!(redact(&text), format!("a {out} b {out}"));
        assert_eq!(redact("nothing of the kind"), "nothing of the kind");
        let key = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXoB1nMwPz0SvE";
        for end in ["-----END PRIVATE KEY----- z", ""] {
            let text = format!("a -----BEGIN {}-----\n{key}\n{end}", "PRIVATE KEY");
            let rest = if end.is_empty() { "" } else { " z" };
            assert_eq!(redact(&text), format!("a [a private key, taken out]{rest}"));
        }
    }
}
