//! Built-in guards: checks that apply whatever the team's policy says.

mod deletes;
mod hosts;
mod pipes;
mod protected;
mod pushes;
mod secrets;

pub use hosts::{host_of, judged as host};
pub use protected::written;
pub use secrets::read;

use super::call::CallContext;
use super::policy::Policy;
use super::shell::{Script, Simple};
use super::verdict::VerdictReason;

/// All that speaks against a command.
pub fn all(case: &GuardInput<'_>) -> Vec<VerdictReason> {
    let guards: [fn(&GuardInput<'_>) -> Vec<VerdictReason>; 6] =
        [deletes::check, pipes::check, secrets::check, protected::check, pushes::check, hosts::check];
    guards.iter().flat_map(|guard| guard(case)).collect()
}

/// A command with all that is known around it.
pub struct GuardInput<'a> {
    /// The command.
    pub simple: &'a Simple,
    /// The command line it stands in.
    pub script: &'a Script,
    /// What a team has written down.
    pub policy: &'a Policy,
    /// Where it runs.
    pub around: &'a CallContext,
}
