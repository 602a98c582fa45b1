//! Runs the workers of plans and of workflows: one engine for both.
//!
//! A runner implements [`Job`]. [`drive`] calls its `dispatch`, which starts workers while there is something to do and
//! room for it, watches them, and hands each one that has ended to `conclude`. It ends with the job, with its budget, or
//! when it is cancelled:
//!
//! ```text
//! dispatch:  let prepared = WorkerLaunch { .. }.prepare()?;      // files: the prompt, the folder of the report
//!            let worker = prepared.start()?;                     // the process; record `worker.identity()` at once
//!            workers.add(work, worker);
//! conclude:  let result = worker.finish(stop, &env.clock, budget); // answer, report, usage limit, usage
//! resume:    end_orphan(&recorded_identity)?;                    // before anything else touches the files of a worker
//! ```
//!
//! A job decides nothing about processes, and this module nothing about steps.

mod budget;
mod drive;
mod launch;
mod notify;
mod observer;
pub(crate) mod preflight;
mod references;
mod result;
mod running;
#[cfg(test)]
mod tests;
mod usage_limits;

pub use budget::RunLimits;
pub use canonry_model::canon::worker_usage::WorkerUsage;
pub use observer::{Observer, WorkerState};

pub(crate) use budget::BudgetClock;
pub(crate) use drive::{Job, WorkerPool, drive, notify_end};
pub(crate) use launch::WorkerLaunch;
pub(crate) use notify::Notifier;
pub(crate) use references::{Library, REFERENCE_BUDGET};
pub(crate) use result::{WorkerResult, WorkerStop, logged_answer, read_report, remove_empty_folders, remove_report};
pub(crate) use running::{RunningWorker, end_orphan};
pub(crate) use usage_limits::UsageLimits;
