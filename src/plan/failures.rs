//! Whether a step fails again in the same way. Errors of two attempts differ in numbers, paths, times and hashes even if
//! their cause is the same.

use super::attempts::AttemptFailure;
use crate::syntax::error_text::mask_word;
use std::collections::HashMap;

/// The characters of an error that are compared. The end tells the cause more often than the beginning.
const COMPARED: usize = 4_000;
/// The share of words that two errors of the same cause have in common.
const SAME: f64 = 0.9;

/// How many of the last failures, without a gap, are the same as the last one; `None` if it is the only one.
pub fn repeated(failures: &[AttemptFailure]) -> Option<usize> {
    let (last, earlier) = failures.split_last()?;
    let last = normalize(&last.error);
    let same = earlier.iter().rev().take_while(|failure| are_same(&normalize(&failure.error), &last)).count();
    (same > 0).then_some(same + 1)
}

/// An error without what differs between two attempts: in lower case, with `#` for numbers, hashes and times, and with the
/// last part of each path.
pub fn normalize(error: &str) -> String {
    let start = error.chars().count().saturating_sub(COMPARED);
    let text: String = error.chars().skip(start).collect();
    let words = text.split_whitespace().map(|word| mask_word(&word.to_lowercase()));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Whether two normalized errors have the same cause.
fn are_same(one: &str, other: &str) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(attempt: u64, error: &str) -> AttemptFailure {
        AttemptFailure { attempt, error: error.to_owned() }
    }

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

    #[test]
    fn only_the_last_failures_count() {
        let (a, b) = ("`cargo test` exited with 101 after 3s", "`cargo clippy` exited with 1");
        for (errors, want) in [
            (vec![], None),
            (vec![a], None),
            (vec![a, b], None),
            (vec![b, a, a], Some(2)),
            (vec![a, a, a], Some(3)),
            (vec![a, a, b], None),
            (vec![a, b, a], None),
            (vec!["", ""], Some(2)),
        ] {
            let failures: Vec<AttemptFailure> =
                (1..).zip(&errors).map(|(attempt, error)| failure(attempt, error)).collect();
            assert_eq!(repeated(&failures), want, "{errors:?}");
        }
    }

    #[test]
    fn long_errors_are_compared_at_their_end() {
        let (noise, end) = ("compiling crate\n".repeat(10_000), "error: linking failed");
        let errors = [failure(1, &format!("{noise}{end}")), failure(2, &format!("again {noise}{end}"))];
        assert_eq!(repeated(&errors), Some(2));
    }
}
