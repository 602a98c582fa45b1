//! Analysis of plans: the dependency graph and file overlaps between parallel steps.

pub mod graph;
pub mod overlap;

pub use graph::PlanGraph;
pub use overlap::overlaps;

#[cfg(test)]
mod tests;
