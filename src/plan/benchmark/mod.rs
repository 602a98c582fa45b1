//! Scores the plans that tools write for a task, and how much they differ between runs. Pure: the outputs of the tools are
//! arguments.

mod extract;
mod score;
mod spread;

pub use extract::{PlannerOutput, extract_plan};
pub use score::{FactGroup, FactResult, PlanShape, ScoredPlan, score};
pub use spread::{OwnerSummary, PlannerRun, Spread, summarize};
