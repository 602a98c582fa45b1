//! Floor 3: what the steps of a workflow say of where a run goes. Pure; rules and commands ask it.

pub mod bump;
pub mod condition;
pub mod cycles;
pub mod dominators;
pub mod field;
pub mod graph;
pub mod inputs;
pub mod outputs;
pub mod version;

pub use bump::{Bump, bump};
pub use condition::{Flaw, judge};
pub use field::FieldType;
pub use graph::{Graph, Target};
pub use version::Version;

#[cfg(test)]
mod tests;
