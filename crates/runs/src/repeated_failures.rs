//! Whether a step fails again in the same way.

use canonry_text::error_text::{are_same, normalize};

/// A failure with the same cause this many times in a row needs a person.
const SAME_FAILURES: usize = 3;

/// Whether the last errors have the same cause too often for another attempt.
pub fn needs_person<'e>(errors: impl IntoIterator<Item = &'e String>) -> bool {
    let errors: Vec<&str> = errors.into_iter().map(String::as_str).collect();
    count_repeated(&errors).is_some_and(|count| count >= SAME_FAILURES)
}

/// Number of the last errors, without a gap, that are the same as the last one; `None` if it is the only one.
pub fn count_repeated(errors: &[&str]) -> Option<usize> {
    let (last, earlier) = errors.split_last()?;
    let last = normalize(last);
    let same = earlier.iter().rev().take_while(|error| are_same(&normalize(error), &last)).count();
    (same > 0).then_some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(count_repeated(&errors), want, "{errors:?}");
        }
    }

    #[test]
    fn long_errors_are_compared_at_their_end() {
        let noise = "compiling crate\n".repeat(10_000);
        let end = "error: linking failed";
        let errors = [format!("{noise}{end}"), format!("again {noise}{end}")];
        assert_eq!(count_repeated(&[&errors[0], &errors[1]]), Some(2));
    }
}
