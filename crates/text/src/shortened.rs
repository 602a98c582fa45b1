//! Cutting texts for messages and lines.

use std::borrow::Cow;

/// The first `limit` characters of a text, without trailing white space, then `…` if there is more.
pub fn shortened(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        Some((end, _)) => Cow::Owned(format!("{}…", text[..end].trim_end())),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_between_characters() {
        for (text, limit, want) in
            [("", 0, ""), ("äöü", 3, "äöü"), ("äöü", 2, "äö…"), ("a b", 2, "a…"), ("ab", 0, "…"), ("ab", 9, "ab")]
        {
            assert_eq!(shortened(text, limit), want);
        }
    }
}
