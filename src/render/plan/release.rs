//! A released claim.

use super::one_line;
use crate::app::plan::release::Outcome;

/// What `plan release` did.
pub fn to_text(outcome: &Outcome) -> String {
    let step = one_line(&outcome.step);
    if outcome.was_claimed { format!("released {step}\n") } else { format!("{step} is not claimed\n") }
}
