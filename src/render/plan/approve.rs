//! A recorded approval.

use super::one_line;
use crate::app::plan::approve::Outcome;

/// Who approved what, and where it is recorded.
pub fn to_text(outcome: &Outcome) -> String {
    format!("{}: approved by {} in {}\n", one_line(&outcome.step), one_line(&outcome.by), outcome.path)
}
