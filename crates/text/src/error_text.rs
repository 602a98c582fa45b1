//! Error texts: whether two errors have the same cause. They differ in numbers, paths, times and hashes even if it is the
//! same.

use std::collections::HashMap;

/// The characters of an error that are compared. The end tells the cause more often than the beginning.
const COMPARED: usize = 4_000;
/// The share of words that two errors of the same cause have in common.
const SAME: f64 = 0.9;

/// An error without what differs between two attempts: in lower case, with `#` for numbers, hashes and times, and with the
/// last part of each path.
pub fn normalize(error: &str) -> String {
    let start = error.chars().count().saturating_sub(COMPARED);
    let text: String = error.chars().skip(start).collect();
    let words = text.split_whitespace().map(|word| mask_word(&word.to_lowercase()));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether two normalized errors have the same cause.
pub fn are_same(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
    one.split(' ').for_each(|word| counts.entry(word).or_default().0 += 1);
    other.split(' ').for_each(|word| counts.entry(word).or_default().1 += 1);
    let common: usize = counts.values().map(|(one, other)| one.min(other)).sum();
    let all: usize = counts.values().map(|(one, other)| one.max(other)).sum();
    common as f64 >= SAME * all as f64
}

/// A word without what differs between two occurrences of one error: numbers, hashes, times, and the folders of a path.
fn mask_word(word: &str) -> String {
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
        if is_number && (is_hex || is_time) {
            push_number(&mut out)
        } else if is_number {
            // `attempt2`, `01t12`: the letters count.
            out.extend(run.chars().filter(|c| !c.is_ascii_digit()));
            push_number(&mut out);
        } else {
            out.push_str(&run)
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

    #[test]
    fn what_differs_between_attempts_is_normalized() {
        for (one, other) in [
            ("exit status 101 after 3.27s", "exit status 101 after 12.9s"),
            ("/tmp/plan-1/src/main.rs:12:5: expected `;`", "/home/a/wt.2/src/main.rs:40:17: expected `;`"),
            ("commit 1f0c3f1 is not reachable", "commit 99ab01cdef is not reachable"),
            ("2026-05-01T12:00:00Z FAILED  login_test", "2026-05-02T13:10:59.123Z FAILED login_test"),
            ("thread 'main' (pid 4711) panicked at 0x7ffe12", "thread 'main' (pid 12) panicked at 0x7ffeab12"),
            ("5f0c3f1e-8a55-4a0e-9a53-0c1d7a3c2b10 is gone", "6f0c3f1e-9a55-4b0e-8a53-1c1d7a3c2b11 is gone"),
        ] {
            assert!(are_same(&normalize(one), &normalize(other)), "{} / {}", normalize(one), normalize(other));
        }
    }

    #[test]
    fn different_causes_stay_different() {
        for (one, other) in [
            ("test login_works failed", "test logout_works failed"),
            ("src/a.rs:1: unknown name", "src/b.rs:1: unknown name"),
            ("the worker took longer than 30m", "the worker ended without a report"),
            ("", "an error"),
        ] {
            assert!(!are_same(&normalize(one), &normalize(other)), "{one} / {other}");
        }
    }
}
