//! Floor 3: the protocols, as they bind. A call of a tool and what the team has written down come in; what is decided,
//! and which entry decided it, goes out.

pub mod answer;
pub mod around;
pub mod call;

pub mod files;
pub mod guard;
pub mod judge;
pub mod matching;
pub mod outcome;
pub mod policy;
pub mod schema;
pub mod shell;
pub mod verdict;

pub use around::Surroundings;
pub use call::{Call, Tool};
pub use judge::judge;
pub use policy::Policy;
pub use verdict::{Part, Reason, Ruling, Verdict};

#[cfg(test)]
mod tests;
