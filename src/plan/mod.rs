//! Floor 3: what the steps of a plan say of their order. Pure; rules and commands ask it.

pub mod graph;
pub mod overlap;

pub use graph::{Graph, ready};
pub use overlap::{Mention, Overlap, overlaps};

#[cfg(test)]
mod tests;
