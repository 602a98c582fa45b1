//! Texts without the secrets in them.

use super::secret::private_keys;
use super::tokens;
use crate::syntax::Span;

/// What stands in the place of a secret.
const REDACTED: &str = "[secret]";

/// A text without the tokens and private keys in it, as the rule `secret` finds them. Of a private key that is cut off
/// nothing is left either.
pub fn redact(text: &str) -> String {
    let end = |at: usize| {
        let rest = &text[at..];
        let last = rest.find("-----END ").and_then(|end| rest[end + 9..].find("-----").map(|more| end + 9 + more + 5));
        at + last.unwrap_or(rest.len())
    };
    let keys = private_keys(text).into_iter().map(|(span, _)| Span::new(span.offset, end(span.offset)));
    let mut spans: Vec<Span> = tokens::find(text).into_iter().map(|(span, _)| span).chain(keys).collect();
    spans.sort_by_key(|span| span.offset);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        // What lies in a key is gone with it.
        if span.offset >= at {
            out.push_str(&text[at..span.offset]);
            out.push_str(REDACTED);
        }
        at = at.max(span.end());
    }
    out + &text[at..]
}

#[cfg(test)]
mod tests {
    use super::redact;
    use proptest::prelude::*;

    /// Put together here, so that no scanner takes this file for a leak.
    const RANDOM: &str = "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo";

    #[test]
    fn nothing_is_left_of_a_secret() {
        let token = format!("ghp_{RANDOM}");
        assert_eq!(redact(&format!("push with {token}, twice: {token}.")), "push with [secret], twice: [secret].");
        let body = RANDOM.repeat(4);
        let key = |end: &str| format!("a\n-----BEGIN RSA PRIVATE KEY-----\n{body}\n{token}\n{end}");
        assert_eq!(redact(&key("-----END RSA PRIVATE KEY-----\nb")), "a\n[secret]\nb");
        assert_eq!(redact(&key("")), "a\n[secret]");
    }

    proptest! {
        #[test]
        fn what_holds_none_stays_as_it_is(text in "[a-z é\n-]{0,40}") {
            prop_assert_eq!(redact(&text), text);
        }
    }
}
