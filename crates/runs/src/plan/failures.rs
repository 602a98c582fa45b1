//! Whether a step fails again in the same way.

use super::attempts::AttemptFailure;
use canonry_text::error_text::{are_same, normalize};

/// Number of the last failures, without a gap, that are the same as the last one; `None` if it is the only one.
pub fn repeated(failures: &[AttemptFailure]) -> Option<usize> {
    let (last, earlier) = failures.split_last()?;
    let last = normalize(&last.error);
    let same = earlier.iter().rev().take_while(|failure| are_same(&normalize(&failure.error), &last)).count();
    (same > 0).then_some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(attempt: u64, error: &str) -> AttemptFailure {
        AttemptFailure { attempt, error: error.to_owned() }
    }

    #[test]
    fn only_the_last_failures_count() {
        let a = "`cargo test` exited with 101 after 3s";
        let b = "`cargo clippy` exited with 1";
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
        let noise = "compiling crate\n".repeat(10_000);
        let end = "error: linking failed";
        let errors = [failure(1, &format!("{noise}{end}")), failure(2, &format!("again {noise}{end}"))];
        assert_eq!(repeated(&errors), Some(2));
    }
}
