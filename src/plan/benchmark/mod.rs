//! Scores the plans that tools write for a task, and how much they differ between runs. Pure: the outputs of the tools are
//! arguments.

mod extract;
mod prompt;
mod score;
mod spread;

pub use extract::{PlannerOutput, extract_plan};
pub use prompt::planner_prompt;
pub use score::{FactGroup, score};
pub use spread::{OwnerSummary, PlannerRun, Spread, summarize};
