//! What a guard is given.

use crate::protocol::call_context::CallContext;
use crate::protocol::policy::Policy;
use crate::protocol::shell::{Script, Simple};

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
