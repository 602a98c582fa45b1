//! A new plan.

use crate::app::plan::new::Outcome;
use std::fmt::Write as _;

/// What `plan new` wrote, and what to do next.
pub fn to_text(outcome: &Outcome) -> String {
    let Outcome { id, intake, plan } = outcome;
    let mut text = String::new();
    for path in [intake, plan].into_iter().flatten() {
        let _ = writeln!(text, "wrote     {path}");
    }
    let next = match plan {
        None => format!(
            "Fill in the intake, then run `canonry plan new {id}` again: each acceptance criterion becomes a step."
        ),
        Some(path) => format!(
            "Name the owner, the files and a command of each step in {path}, then run `canonry plan check {id}`."
        ),
    };
    let _ = writeln!(text, "{next}");
    text
}
