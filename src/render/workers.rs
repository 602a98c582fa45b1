//! Workers while they run, on one line each, and the limits of a run. Their texts are data: control characters are escaped.

use crate::render::counted;
use canonry_app::workers::WorkerState;
use canonry_model::canon::owners::Budget;
use canonry_text::printable::one_line;
use std::time::Duration;

/// A worker on one line.
pub fn worker_to_text(worker: &WorkerState) -> String {
    let task = one_line(&worker.task);
    let owner = one_line(&worker.owner);
    let elapsed = elapsed(worker.elapsed);
    format!("{task} {owner} #{} {elapsed}  {}", worker.attempt, one_line(&worker.last_line))
}

/// The limits of a run.
pub fn budget_to_text(budget: &Budget) -> String {
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let workers = counted(budget.workers, "worker");
    let minutes = counted(number(budget.minutes), "minute");
    let attempts = counted(number(budget.attempts), "attempt");
    let tokens = budget.tokens.map(|tokens| format!(", {}", counted(number(tokens), "token")));
    format!("at most {workers} at a time, {minutes}, {attempts}{}", tokens.unwrap_or_default())
}

/// Minutes and seconds.
pub fn elapsed(time: Duration) -> String {
    format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_worker_is_one_line() {
        let worker = WorkerState {
            task: "review/security".to_owned(),
            attempt: 2,
            owner: "QA\n".to_owned(),
            elapsed: Duration::from_secs(125),
            last_line: "\u{1b}[31mreads a.rs".to_owned(),
        };
        assert_eq!(worker_to_text(&worker), "review/security QA\\n #2 2:05  \\u{1b}[31mreads a.rs");
    }
}
