//! Tells secrets from examples, references and words by the form of a value.

use regex::bytes::Regex;
use std::sync::LazyLock;

/// Bits per character of a token in a published format, and of a value that only has the name of a secret. Both are gitleaks'
/// limits, of its rules `aws-access-token` and `generic-api-key`:
/// <https://github.com/gitleaks/gitleaks/blob/master/config/gitleaks.toml>
const TOKEN_ENTROPY: f64 = 3.0;
const NAMED_ENTROPY: f64 = 3.5;
/// Bits per character of hexadecimal digits at most: hashes and ids have no more.
const HEX_ENTROPY: f64 = 4.0;

/// Values that specifications and vendors publish as examples, or parts of them.
const EXAMPLES: [&str; 8] = [
    // The keys in the documentation of AWS; gitleaks ignores them too.
    "EXAMPLE",
    // The payload of the token on https://www.jwt.io.
    "eyJzdWIiOiIxMjM0NTY3ODkwI",
    // RFC 6749 and RFC 6750.
    "tGzv3JOkF0XG5Qx2TlKWIA",
    "2YotnFZFEjr1zCsicMWpAA",
    "SplxlOBeZQQYbYS6WxSbIA",
    "7Fjfp0ZBr1KtDRbnfVdmIw",
    // The keys with which each Azurite and each emulator of Cosmos DB starts.
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OU",
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM",
];

/// Whether a value is an example: a published one, or characters that count up, such as `123456`.
fn is_example(value: &str) -> bool {
    let counts_up = |six: &[u8]| six.windows(2).all(|two| two[1] == two[0].wrapping_add(1));
    value.as_bytes().windows(6).any(counts_up) || EXAMPLES.iter().any(|example| value.contains(example))
}

/// Whether a text in a published format can be a token.
pub(super) fn is_token(value: &str) -> bool {
    entropy(value) >= TOKEN_ENTROPY && !is_example(value)
}

/// Whether a value is random characters in base64 or hexadecimal digits.
pub(super) fn is_random(value: &str) -> bool {
    let is_hex = value.len() >= 32 && value.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    (is_hex || has_all_kinds(value)) && entropy(value) >= NAMED_ENTROPY && !is_example(value) && !is_account(value)
}

/// Whether a value is the public address of an account or contract of Ethereum: <https://eips.ethereum.org/EIPS/eip-55>. Its
/// private keys have 64 digits.
fn is_account(value: &str) -> bool {
    let digits = value.strip_prefix("0x");
    digits.is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether a word of its own is random characters in base64, which neither a path nor a hash in hexadecimal digits is.
pub(super) fn is_random_word(word: &str) -> bool {
    has_all_kinds(word) && entropy(word) > HEX_ENTROPY && !word.contains(['/', '.', '@', '\\', '~', '#'])
}

fn has_all_kinds(value: &str) -> bool {
    let has = |is: fn(&u8) -> bool| value.bytes().any(|b| is(&b));
    has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit)
}

/// The Shannon entropy of the bytes, in bits.
fn entropy(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let all = value.len() as f64;
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / all).map(|p| -p * p.log2()).sum()
}

/// A variable, a template, a call, or a literal that gitleaks ignores too.
static REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^(?-u)(?:\$(?:\w+$|[{(\[])|%\w+%$|[<{\[]|\.\.\.|[\w.:]+[(\[]|(?:true|false|null)$)"#)
        .expect("the pattern is static")
});

/// Whether a value refers to a secret, or stands for one, such as `${TOKEN}`, `<token>` or `xxxx`.
pub(super) fn is_reference(value: &str) -> bool {
    let value = value.trim_matches(['"', '\'', ' ']);
    let is_repeated = value.len() > 2 && entropy(value) == 0.0;
    value.is_empty() || is_repeated || REFERENCE.is_match(value.as_bytes())
}

/// Whether a value is neither a reference nor a path.
pub(super) fn is_any(value: &str) -> bool {
    !is_reference(value) && !["/", "~/", "./", "../"].iter().any(|start| value.starts_with(start))
}

/// [`is_any`], and not a number.
pub(super) fn is_text(value: &str) -> bool {
    is_any(value) && value.bytes().any(|b| !b.is_ascii_digit() && b != b'.')
}

/// Whether a value is more than a word, a type or a name.
pub(super) fn is_strong(value: &str) -> bool {
    let has = |is: fn(char) -> bool| value.chars().any(is);
    // In code, capitals after a dot are names of members.
    let capital = value.chars().skip(1).any(|c| c.is_ascii_uppercase()) && has(char::is_lowercase);
    let mixed = value.len() >= 10 && capital && !value.contains('.');
    let other = has(|c| c.is_ascii_digit()) || value.contains(['!', '@', '#', '$', '%', '^', '*', '+', '=']);
    value.chars().count() >= 6 && has(char::is_alphabetic) && (other || mixed) && !is_reference(value)
}
