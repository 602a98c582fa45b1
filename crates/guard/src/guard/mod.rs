//! Built-in guards: checks that apply whatever the team's policy says.

mod agents;
mod approval;
mod clients;
mod deletes;
mod devices;
mod git_settings;
mod hosts;
mod lost_work;
mod pipes;
mod protected;
mod protected_files;
mod pushes;
mod secrets;
mod url;

pub use agents::runs_documents;
pub use approval::check_own_files;
pub use hosts::{check_address, check_ambiguous_address};
pub use pipes::{FETCH, Origins};
pub use protected_files::check_write;
pub use secrets::{check_read, loaded, matches_of_pattern};

use super::call::CallContext;
use super::policy::Policy;
use super::shell::{Script, SimpleCommand};
use super::verdict::VerdictReason;

/// Runs all guards on a command.
pub fn check_all(input: &GuardInput<'_>) -> Vec<VerdictReason> {
    let guards: [fn(&GuardInput<'_>) -> Vec<VerdictReason>; 11] = [
        deletes::check,
        devices::check,
        pipes::check,
        secrets::check,
        protected::check,
        approval::check,
        git_settings::check,
        agents::check,
        pushes::check,
        lost_work::check,
        hosts::check,
    ];
    guards.iter().flat_map(|guard| guard(input)).collect()
}

/// A command with its context.
pub struct GuardInput<'a> {
    pub simple: &'a SimpleCommand,
    /// The command line that contains it.
    pub script: &'a Script,
    pub policy: &'a Policy,
    pub context: &'a CallContext,
    /// The downloads that the output of each command of the line comes from.
    pub downloads: &'a Origins,
    /// The commands whose output only sets variables: `export $(grep … .env)`.
    pub loaded: &'a [bool],
    /// The index of the command in the line.
    pub at: usize,
}
