//! Built-in guards: checks that apply whatever the team's policy says.

mod deletes;
mod hosts;
mod pipes;
mod protected;
mod pushes;
mod secrets;

pub use hosts::{check_host, host_of};
pub use protected::check_write;
pub use secrets::check_read;

use super::call::CallContext;
use super::policy::Policy;
use super::shell::{Script, SimpleCommand};
use super::verdict::VerdictReason;

/// Runs all guards on a command.
pub fn check_all(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let guards: [fn(&GuardInput<'_>) -> Vec<VerdictReason>; 6] =
        [deletes::check, pipes::check, secrets::check, protected::check, pushes::check, hosts::check];
    guards.iter().flat_map(|guard| guard(input)).collect()
}

/// A command with its context.
pub struct GuardInput<'a> {
    pub simple: &'a SimpleCommand,
    /// The command line that contains it.
    pub script: &'a Script,
    pub policy: &'a Policy,
    pub context: &'a CallContext,
}
