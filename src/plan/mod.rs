//! Plans: the dependency graph, file overlaps between parallel steps, which steps are ready, and changes of a status.

pub mod graph;
pub mod overlap;
pub mod reachability;
pub mod ready;
pub mod status_edit;
pub mod transition;

pub use graph::PlanGraph;
pub use overlap::overlaps;
pub use ready::{Obstacle, StepStates};
pub use status_edit::edit_status;
pub use transition::{Proof, TransitionError, check_transition};

#[cfg(test)]
mod status_tests;
#[cfg(test)]
mod tests;
