//! Evaluates tool calls against the team's policy. The result is a verdict with the entries that caused it.
//! Pure.

mod actions;
mod alternative;
pub mod call;
pub mod response;

mod entry_reason;
pub mod evaluate;
mod file_entries;
pub mod files;
pub mod guard;
pub mod matching;
mod names;
pub mod outcome;
pub mod packs;
mod patch;
pub mod policy;
pub mod schema;
mod scripts;
pub mod shape;
pub mod shell;
mod subcommands;
pub mod tool_name;
pub mod transcript;
pub mod verdict;

pub use call::{CallContext, ToolCall};
pub use evaluate::evaluate;
pub use policy::Policy;
pub use shell::STACK;
pub use verdict::{CallPart, CallVerdict, Verdict, VerdictReason};

#[cfg(test)]
mod protocols_page_tests;
#[cfg(test)]
mod tests;
