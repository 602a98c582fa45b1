//! What canonry itself holds against a command, whatever a team has written: few things, each of them hardly ever meant.

mod deletes;
mod hosts;
mod pipes;
mod protected;
mod pushes;
mod secrets;

pub use hosts::{host_of, judged as host};
pub use protected::written;
pub use secrets::read;

use super::judge::Surroundings;
use super::policy::Policy;
use super::shell::{Script, Simple};
use super::verdict::Reason;

/// A command with all that is known around it.
pub struct Case<'a> {
    /// The command.
    pub simple: &'a Simple,
    /// The command line it stands in.
    pub script: &'a Script,
    /// What a team has written down.
    pub policy: &'a Policy,
    /// Where it runs.
    pub around: &'a Surroundings,
}

/// All that speaks against a command.
pub fn all(case: &Case<'_>) -> Vec<Reason> {
    let guards: [fn(&Case<'_>) -> Vec<Reason>; 6] =
        [deletes::check, pipes::check, secrets::check, protected::check, pushes::check, hosts::check];
    guards.iter().flat_map(|guard| guard(case)).collect()
}
