//! What canonry itself holds against a command, whatever a team has written: few things, each of them hardly ever meant.

mod case;
mod deletes;
mod hosts;
mod pipes;
mod protected;
mod pushes;
mod secrets;

pub use case::GuardInput;
pub use hosts::{host_of, judged as host};
pub use protected::written;
pub use secrets::read;

use super::verdict::VerdictReason;

/// All that speaks against a command.
pub fn all(case: &GuardInput<'_>) -> Vec<VerdictReason> {
    let guards: [fn(&GuardInput<'_>) -> Vec<VerdictReason>; 6] =
        [deletes::check, pipes::check, secrets::check, protected::check, pushes::check, hosts::check];
    guards.iter().flat_map(|guard| guard(case)).collect()
}
