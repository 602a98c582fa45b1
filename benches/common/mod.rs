//! Shared by the benchmarks.

use std::process::Command;
use std::time::{Duration, Instant};

/// The wall time of a process.
pub fn timed(command: &mut Command) -> Duration {
    let begin = Instant::now();
    let status = command.status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
    begin.elapsed()
}

/// The median.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
