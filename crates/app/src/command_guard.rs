//! The guard on command lines that canonry itself runs: it answers as a hook would if an agent ran them. Who wrote a line
//! of a document is unknown, so it makes no difference who runs it.

use super::call_site::CallSite;
use super::{Environment, Error, ErrorKind, Workspace};
use canonry_guard::{CallVerdict, Policy, ToolCall};

/// The policy and the guards of a workspace.
pub(crate) struct CommandGuard {
    env: Environment,
    site: CallSite,
    policy: Policy,
}

impl CommandGuard {
    /// Loads the policy.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if it cannot be read: then nothing may run.
    pub fn load(workspace: &Workspace) -> Result<Self, Error> {
        let env = Environment { cwd: workspace.top()?, ..workspace.env.clone() };
        let site = CallSite::here(&env);
        let mut policy = site.repository.policy();
        site.repository.add_constraints(&mut policy);
        if let Some(problem) = policy.problems().first() {
            let message = format!("the permissions cannot be read: {problem}");
            return Err(Error::new(ErrorKind::Unreadable, message).help("correct the file, then run this again"));
        }
        Ok(Self { env, site, policy })
    }

    /// The verdict on a command line.
    pub fn decide(&self, command: &str) -> CallVerdict {
        let call = ToolCall::Shell { command: command.to_owned(), cwd: None };
        self.site.evaluate(&call, &self.policy, &self.env)
    }
}

/// The deciding reasons of a verdict on one line.
pub(crate) fn reason(verdict: &CallVerdict) -> String {
    verdict.explanation().split_whitespace().collect::<Vec<_>>().join(" ")
}
