//! Finds long words. Random tokens are long, and most words of a text are short, so most bytes are never looked at.

use std::ops::Range;

/// The bytes of tokens: base64 in both alphabets, and what joins the parts of a token.
pub(super) const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~')
}

static IS_TOKEN_BYTE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = is_token_byte(byte as u8);
        byte += 1;
    }
    table
};

/// The maximal runs of letters, digits and `_-.+/=~` that have at least `least` bytes, in order. `least` is not 0.
pub(super) fn long_words(bytes: &[u8], least: usize) -> impl Iterator<Item = Range<usize>> + '_ {
    let ends_word = |byte: &u8| !IS_TOKEN_BYTE[usize::from(*byte)];
    // A word may begin here, and none goes on from before.
    let mut from = 0;
    std::iter::from_fn(move || {
        while from + least <= bytes.len() {
            match bytes[from..from + least].iter().rposition(ends_word) {
                // What ends here is too short.
                Some(end) => from += end + 1,
                None => {
                    let start = from;
                    let rest = &bytes[start + least..];
                    let end = start + least + rest.iter().position(ends_word).unwrap_or(rest.len());
                    from = end + 1;
                    return Some(start..end);
                }
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_splitting_finds(text in "[ab/ =:\n]{0,60}", least in 1..8usize) {
            let at = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
            let words = text.split(|c: char| !is_token_byte(c as u8)).filter(|word| word.len() >= least);
            let want: Vec<_> = words.map(|word| at(word)..at(word) + word.len()).collect();
            prop_assert_eq!(long_words(text.as_bytes(), least).collect::<Vec<_>>(), want);
        }
    }
}
