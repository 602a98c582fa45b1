//! Workflows: starts, runs and shows them.
//!
//! The engine in [`canonry_runs::workflow::engine`] decides; this module reads definitions, writes journals, and starts workers
//! with the runner that plans use.

pub mod abort;
mod answers;
pub mod approve;
mod conclude;
pub mod decide;
pub mod graph;
pub mod lessons;
mod load;
pub mod log;
mod open_run;
pub mod queue;
pub(crate) mod report;
pub mod resume;
pub mod run;
mod run_folder;
mod run_journal;
mod shared_work;
pub mod start;
pub(crate) mod status;
pub mod step;
mod task_prompt;
mod task_trees;

pub use canonry_runs::workflow::event::{Question, QuestionKind};
pub(crate) use load::names;
pub(crate) use open_run::{last_run, of_run, open_run_ids, run_ids};
