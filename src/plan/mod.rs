//! Analysis of plans: the dependency graph and file overlaps between parallel steps.

pub mod graph;
pub mod overlap;

pub use graph::{PlanGraph, ready};
pub use overlap::{FileMention, Overlap, overlaps};

#[cfg(test)]
mod tests;
