//! Floor 3: what the steps of a plan say of their order. Pure; rules and commands ask it.

pub mod graph;
pub mod overlap;

pub use graph::{PlanGraph, ready};
pub use overlap::{FileMention, Overlap, overlaps};

#[cfg(test)]
mod tests;
