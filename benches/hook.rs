//! One call of each hook, on a canon of 100 skills and a long log, beside starting `true`.
//!
//! `cargo bench --bench hook -- [ROWS…]`; 10,000 and 100,000 rows where none are named.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout)]

mod common;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const NOW: &str = "2026-05-01T03:00:00Z";
const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
const CALLS: usize = 300;
/// Maximum time of one event.
const LIMIT_MS: f64 = 20.0;

fn main() {
    let args: Vec<usize> = std::env::args().skip(1).filter_map(|arg| arg.parse().ok()).collect();
    let sizes = if args.is_empty() { vec![10_000, 100_000] } else { args };
    let nothing = timed(&mut |_| (Command::new("true"), String::new()));
    println!("true: least {:.2} ms, median {:.2} ms, 99th percentile {:.2} ms", nothing.0, nothing.1, nothing.2);
    for rows in sizes {
        let dir = repository(rows);
        println!("100 skills, {rows} rows, {} MB", std::fs::metadata(dir.path().join(LOG)).unwrap().len() >> 20);
        for event in ["pre-tool", "post-tool", "failure", "session-start", "stop"] {
            let (least, median, late) = timed(&mut |nth| (hook(dir.path(), event), input(event, nth)));
            let over = if late > LIMIT_MS { "  OVER" } else { "" };
            let ratio = median / nothing.1;
            println!(
                "  {event:14} least {least:6.2} ms, median {median:6.2} ms, 99th percentile {late:6.2} ms, {ratio:5.1} x true{over}"
            );
        }
    }
}

fn hook(dir: &Path, event: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_canonry"));
    command.current_dir(dir).args(["hook", event, "--tool", "claude", "--now", NOW]);
    command
}

/// The event as the tool writes it. Each stop belongs to a different session with a failure and no reminder so far.
fn input(event: &str, nth: usize) -> String {
    let command = "sh .claude/skills/skill-7/scripts/run.sh && cargo test --all | tail";
    let session = "s";
    match event {
        "session-start" => format!(r#"{{"session_id": "{session}", "source": "startup"}}"#),
        "stop" => format!(r#"{{"session_id": "stop-{nth}", "stop_hook_active": false}}"#),
        event => {
            let error = if event == "failure" { r#", "error": "exit 1""# } else { "" };
            format!(
                r#"{{"session_id": "{session}", "tool_name": "Bash", "tool_input": {{"command": "{command}"}}, "tool_response": {{"exit_code": 0}}{error}}}"#
            )
        }
    }
}

/// The minimum, the median and the 99th percentile in milliseconds. On a loaded machine the minimum is the most reliable.
fn timed(call: &mut dyn FnMut(usize) -> (Command, String)) -> (f64, f64, f64) {
    let mut times: Vec<Duration> = (0..CALLS).map(|nth| once(call(nth))).collect();
    times.sort();
    let least = times[0];
    let late = times[(times.len() - 1) * 99 / 100];
    let shown = |time: Duration| time.as_secs_f64() * 1e3;
    (shown(least), shown(common::median(times)), shown(late))
}

fn once((mut command, input): (Command, String)) -> Duration {
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let begin = Instant::now();
    let mut child = command.spawn().unwrap();
    // `true` reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    assert!(child.wait().unwrap().success());
    begin.elapsed()
}

fn repository(rows: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let run = |program: &str, args: &[&str]| {
        let mut command = Command::new(program);
        common::timed(command.current_dir(dir.path()).args(args).stdout(Stdio::null()).stderr(Stdio::null()));
    };
    run("git", &["init", "-q"]);
    run(env!("CARGO_BIN_EXE_canonry"), &["init"]);
    for nth in 0..100 {
        let folder = dir.path().join(format!("agent/skills/skill-{nth}"));
        std::fs::create_dir_all(&folder).unwrap();
        let text = format!(
            "---\nname: skill-{nth}\ndescription: Does the thing of number {nth}. Use when it is due.\n---\n\n# {nth}\n"
        );
        std::fs::write(folder.join("SKILL.md"), text).unwrap();
    }
    let lessons: String = (0..150).map(|nth| format!("- lesson {nth} (episodes: e{nth})\n")).collect();
    std::fs::write(dir.path().join("agent/memory/semantic/LESSONS.md"), format!("# Lessons\n\n{lessons}")).unwrap();
    let log: String = (0..rows).map(|nth| row(nth, rows)).collect();
    std::fs::write(dir.path().join(LOG), log).unwrap();
    dir
}

/// Rows of the last 60 days, oldest first; the last ones are failures of sessions that are about to stop.
fn row(nth: usize, rows: usize) -> String {
    let now: jiff::Timestamp = NOW.parse().unwrap();
    let at = now - jiff::SignedDuration::from_secs((60 * 86_400 * (rows - nth) / rows) as i64);
    let skill = nth % 100;
    let result = if nth.is_multiple_of(3) { "failure" } else { "success" };
    let session = if rows - nth <= CALLS { format!("stop-{}", rows - nth - 1) } else { format!("s{}", nth / 50) };
    let result = if rows - nth <= CALLS { "failure" } else { result };
    format!(
        "{{\"timestamp\":\"{at}\",\"skill\":\"skill-{skill}\",\"action\":\"cargo test --package part-{}\",\"result\":\"{result}\",\
         \"detail\":\"the build of part {nth} says what it has to say about the way in which it ended\",\"pain_score\":{},\
         \"importance\":{},\"context\":\"session {session}, claude\"}}\n",
        nth % 37,
        nth * 7 % 10 + 1,
        nth * 3 % 10 + 1,
    )
}
