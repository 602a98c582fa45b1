//! Random walks of commands: their seeds, and commands that are interrupted.

use super::random::Random;
use std::fmt::Write as _;
use std::ops::Range;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A number from the environment.
pub fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// The seeds of walks: `CANONRY_WALKS` sets their number, `CANONRY_WALK_SEED` the first one.
pub fn seeds(walks: u64) -> Range<u64> {
    let first = setting("CANONRY_WALK_SEED", 1);
    first..first + setting("CANONRY_WALKS", walks)
}

/// A kill or a full disk at one of the first writes of a command, or nothing.
pub fn interruption(random: &mut Random, writes: usize) -> Option<String> {
    let write = 1 + random.below(writes);
    match random.below(4) {
        0 => None,
        1 => Some(format!("ENOSPC@{write}")),
        _ => Some(format!("kill@{write}")),
    }
}

/// Runs a command that may be interrupted, adds it to the story, and returns its status. Only a full disk is an internal error.
#[track_caller]
pub fn execute(mut command: Command, interruption: Option<&str>, story: &mut String) -> Option<i32> {
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.envs(interruption.map(|interruption| ("CANONRY_FAILPOINT", interruption)));
    let ended = command.output().unwrap();
    let code = ended.status.code();
    let said = String::from_utf8_lossy(&ended.stderr);
    writeln!(story, "{:?} {} {code:?}", command.get_args(), interruption.unwrap_or_default()).unwrap();
    let is_full = interruption.is_some_and(|interruption| interruption.starts_with("ENOSPC"));
    // Two sessions may do the candidates of a workflow, and then an answer names its task.
    let is_unnamed = code == Some(64) && said.contains("name one");
    let is_expected = matches!(code, None | Some(0..=5)) || is_full && code == Some(70) || is_unnamed;
    assert!(is_expected && !said.contains("internal error"), "{story}{said}");
    code
}

/// Starts a command, and kills it after a random time. Its workers live on.
pub fn kill_later(mut command: Command, random: &mut Random, story: &mut String) {
    let time = Duration::from_millis(random.below(500) as u64);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(time);
    run.kill().unwrap();
    writeln!(story, "killed after {time:?}: {:?}", run.wait().unwrap().code()).unwrap();
}
