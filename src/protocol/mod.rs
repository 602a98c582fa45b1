//! Floor 3: the protocols, as they bind. A call of a tool and what the team has written down come in; what is decided,
//! and which entry decided it, goes out.

pub mod call;
pub mod response;

pub mod evaluate;
pub mod files;
pub mod guard;
pub mod matching;
pub mod outcome;
pub mod policy;
pub mod schema;
pub mod shell;
pub mod verdict;

pub use call::{CallContext, HookTool, ToolCall};
pub use evaluate::evaluate;
pub use policy::Policy;
pub use verdict::{CallPart, CallVerdict, Verdict, VerdictReason};

#[cfg(test)]
mod tests;
