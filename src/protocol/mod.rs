//! Layer 3: evaluates tool calls against the team's policy. The result is a verdict with the entries that caused it.
//! Pure.

mod actions;
pub mod call;
pub mod response;

pub mod evaluate;
pub mod files;
pub mod guard;
pub mod matching;
pub mod outcome;
pub mod packs;
pub mod policy;
pub mod schema;
mod scripts;
pub mod shell;
mod subcommands;
pub mod tool_name;
pub mod verdict;

pub use call::{CallContext, HookTool, ToolCall};
pub use evaluate::evaluate;
pub use policy::Policy;
pub use verdict::{CallPart, CallVerdict, Verdict, VerdictReason};

#[cfg(test)]
mod tests;
