//! Scores the plans that tools write for a task. Pure: the outputs of the tools are
//! arguments.

mod extract;
mod prompt;
mod score;
mod summary;

pub use extract::{PlannerOutput, extract_plan};
pub use prompt::planner_prompt;
pub use score::{FactGroup, FactResult, score};
pub use summary::{OwnerSummary, PlannerRun, mean, summarize};
