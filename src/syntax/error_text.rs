//! Words of error messages, without what differs between two occurrences of the same error.

/// A lower-case word of an error without what differs between two occurrences of the same error: with `#` for numbers, hashes
/// and times, and with the last part of a path.
pub fn mask_word(word: &str) -> String {
    // `/tmp/run-7/src/main.rs:12:` is `main.rs:12:`.
    let word = match word.trim_end_matches('/').rfind('/') {
        Some(at) if !word.contains("://") => &word[at + 1..],
        _ => word,
    };
    let mut out = String::new();
    let mut run = String::new();
    for c in word.chars().chain(std::iter::once(' ')) {
        if c.is_ascii_alphanumeric() {
            run.push(c);
            continue;
        }
        let is_number = run.bytes().any(|b| b.is_ascii_digit());
        let digits = run.strip_prefix("0x").unwrap_or(&run);
        let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit()) && (digits.len() >= 4 || digits.len() < run.len());
        let unit = run.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_time = matches!(unit, "" | "s" | "ms" | "us" | "ns" | "m" | "h" | "z");
        match () {
            () if is_number && (is_hex || is_time) => push_number(&mut out),
            // `attempt2`, `01t12`: the letters count.
            () if is_number => {
                out.extend(run.chars().filter(|c| !c.is_ascii_digit()));
                push_number(&mut out);
            }
            () => out.push_str(&run),
        }
        run.clear();
        if c != ' ' {
            out.push(c);
        }
    }
    out
}

/// `1.25` and `2026-05-01` are one number.
fn push_number(out: &mut String) {
    let bare = out.trim_end_matches(['.', '-', ':', ',']);
    if bare.ends_with('#') {
        out.truncate(bare.len());
    } else {
        out.push('#');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn masks_numbers_hashes_times_and_folders() {
        for (word, want) in [
            ("/tmp/run-7/src/main.rs:12:5:", "main.rs:#:"),
            ("https://example.com/a", "https://example.com/a"),
            ("3.27s", "#"),
            ("0x7ffe12", "#"),
            ("1f0c3f1", "#"),
            ("2026-05-01t12:00:00z", "#-t#"),
            ("attempt2", "attempt#"),
            ("failed", "failed"),
            ("", ""),
        ] {
            assert_eq!(mask_word(word), want, "{word}");
        }
    }

    proptest! {
        #[test]
        fn numbers_do_not_matter(before in "[a-z:]{0,5}", one in 0u32..9999, other in 0u32..9999) {
            prop_assert_eq!(mask_word(&format!("{before}:{one}")), mask_word(&format!("{before}:{other}")));
        }

        #[test]
        fn no_word_panics(word in ".*") {
            mask_word(&word);
        }
    }
}
