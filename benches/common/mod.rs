//! What the benchmarks share.

use std::process::Command;
use std::time::{Duration, Instant};

/// How long a process takes from start to end.
pub fn timed(command: &mut Command) -> Duration {
    let begin = Instant::now();
    let status = command.status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
    begin.elapsed()
}

/// The middle one.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
