//! The clients. A test is written once, as a function of the client; [`for_clients`] makes a test for each.

pub mod claude;
pub mod cline;
pub mod codex;
pub mod copilot;
pub mod gemini;
pub mod grok;
pub mod opencode;
pub mod qwen;

use crate::sandbox::Sandbox;
use crate::server::Call;

/// The names of all clients.
pub const ALL: [&str; 8] = ["claude", "codex", "gemini", "copilot", "opencode", "qwen", "grok", "cline"];

/// A client, and what differs between clients.
pub struct Client {
    /// The tool's name in canonry.
    pub id: &'static str,
    /// The program and its arguments for a session without a terminal; the prompt follows.
    pub argv: &'static [&'static str],
    /// The same with a report of everything that happens as JSON.
    pub json_argv: &'static [&'static str],
    /// A command that prints the servers that the client reads, and Grok Build's subagents.
    pub list_servers: &'static [&'static str],
    /// Points the client at the model server, trusts the repository, and returns the environment that it needs.
    pub configure: fn(&Sandbox, server: &str) -> Vec<(&'static str, String)>,
    /// A call of the tool that runs a shell command.
    pub shell: fn(command: &str) -> Call,
    /// A call of a tool of the server `canary`.
    pub server_tool: fn(tool: &str) -> Call,
    /// Calls that start a subagent and wait for it.
    pub subagent: fn(name: &str) -> Vec<Call>,
    /// Result that the model reads for a call that a person would be asked about.
    pub asked: &'static str,
    /// Lines that the client prints although nothing is wrong with the repository.
    pub usual: &'static [&'static str],
}

/// A module with a test for each client. `needs_clients_` in its name lets `.ci/run` select these tests.
macro_rules! for_clients {
    ($topic:ident($check:ident): $($client:ident),+ $(,)?) => {
        mod $topic {
            $(
                #[test]
                #[ignore = "needs the clients: see CONTRIBUTING.md"]
                fn $client() {
                    super::$check(&crate::client::$client::CLIENT);
                }
            )+
        }
    };
}
pub(crate) use for_clients;
