//! Plans: the dependency graph, file overlaps between parallel steps, which steps are ready, and changes of a status.

pub mod approval;
pub mod attempt_report;
pub mod attempts;
pub mod claim;
pub mod claim_name;
pub mod failures;
pub mod graph;
pub mod overlap;
#[allow(dead_code, reason = "`plan run` uses it")]
pub mod prompt;
pub mod ready;
pub mod status_edit;
pub mod transition;
pub mod waves;
pub mod worker_output;

pub use approval::Approval;
pub use attempt_report::{AttemptFacts, CommandResult, attempt_report};
pub use attempts::{AttemptFailure, AttemptHistory};
pub use claim::{Claim, ClaimObserver, ClaimProcess, ClaimState, NewClaim, claim_state};
pub use claim_name::ClaimName;
pub use graph::PlanGraph;
pub use overlap::overlaps;
pub use ready::{Obstacle, StepStates};
pub use status_edit::edit_status;
pub use transition::{Proof, TransitionError, check_transition};
pub use waves::waves;

#[cfg(test)]
mod status_tests;
#[cfg(test)]
mod tests;
