//! Plans: file overlaps between parallel steps, which steps are ready, changes of a status, phases with their artefacts,
//! exports, and scores of plans that tools wrote.

pub mod attempt_report;
pub mod attempts;
pub mod benchmark;
pub mod claim;
pub mod claim_name;
pub mod export;
pub mod gate;
pub mod intake;
pub mod layout;
pub mod markdown_page;
pub mod new_plan;
pub mod overlap;
pub mod phases;
pub mod prompt;
mod quote;
pub mod reachability;
pub mod ready;
pub mod remedy;
pub mod run;
mod slug;
pub mod status_edit;
pub mod status_merge;
pub mod step_files;
pub mod transition;
pub mod verification;
pub mod waves;
pub mod worker_output;

pub use attempt_report::{AttemptFacts, CommandResult, attempt_report};
pub use attempts::AttemptHistory;
pub use claim::{Claim, ClaimObserver, ClaimProcess, ClaimState, NewClaim, UNCOMMITTED, claim_state};
pub use claim_name::ClaimName;
pub use gate::Gate;
pub use overlap::overlaps;
pub use ready::{StepStates, WaitReason};
pub use slug::slug;
pub use status_edit::{edit_status, edit_task_status, with_status, with_statuses};
pub use status_merge::{StatusConflict, StatusMerge, merge_statuses};
pub use step_files::StepFiles;
pub use transition::{Proof, TransitionError, check_transition};
pub use waves::waves;

#[cfg(test)]
mod status_tests;
#[cfg(test)]
mod tests;
