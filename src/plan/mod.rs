//! Plans: the dependency graph, file overlaps between parallel steps, which steps are ready, changes of a status, phases with
//! their artefacts, and exports.

pub mod combined;
pub mod export;
pub mod graph;
pub mod intake;
pub mod layout;
mod markdown_page;
pub mod new_plan;
pub mod overlap;
pub mod phases;
mod quote;
pub mod ready;
mod slug;
pub mod status_edit;
pub mod transition;
pub mod verification;

pub use graph::PlanGraph;
pub use overlap::overlaps;
pub use ready::{Obstacle, StepStates};
pub use status_edit::edit_status;
pub use transition::{Proof, TransitionError, check_transition};

#[cfg(test)]
mod status_tests;
#[cfg(test)]
mod tests;
