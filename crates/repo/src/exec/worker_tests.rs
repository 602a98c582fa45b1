//! Workers that behave badly, played by `fixtures/agent/fake-agent`.

use super::*;
use std::path::PathBuf;

const AGENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/agent/fake-agent");
const SMALL: OutputLimits = OutputLimits {
    log: 64 << 10,
    stdout_head: 1 << 10,
    stdout_tail: 16 << 10,
    stderr_tail: 1 << 10,
    transcript: 1 << 10,
};

/// A folder with a log, in which workers run.
struct WorkerFolder {
    folder: tempfile::TempDir,
}

impl WorkerFolder {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn start(&self, actions: &str) -> Worker {
        self.start_with(actions, b"the prompt".to_vec(), LIMITS)
    }

    fn start_with(&self, actions: &str, stdin: Vec<u8>, limits: OutputLimits) -> Worker {
        let env = [("FAKE_AGENT", actions), ("CANONRY_STEP", "api"), ("CANONRY_ATTEMPT", "1")];
        let mut env: Vec<(OsString, OsString)> = env.map(|(name, value)| (name.into(), value.into())).to_vec();
        env.push(("CANONRY_REPORT".into(), self.path("report.json").into()));
        env.push(("FAKE_AGENT_STATE".into(), self.folder.path().into()));
        let argv = [AGENT.to_owned()];
        let log = self.path("logs/api.1.log");
        let command =
            WorkerCommand { argv: &argv, folder: self.folder.path(), env, stdin, log: &log, mark: new_mark() };
        Worker::start_with(command, limits).unwrap()
    }

    fn log(&self) -> String {
        std::fs::read_to_string(self.path("logs/api.1.log")).unwrap()
    }
}

/// Waits for a worker that ends by itself.
fn wait(worker: &mut Worker) -> WorkerExit {
    let mut exit = None;
    assert!(group::wait_until(Duration::from_secs(30), || {
        exit = worker.poll().unwrap();
        exit.is_some()
    }));
    exit.unwrap()
}

fn wait_for_line(worker: &Worker, line: &str) {
    assert!(group::wait_until(Duration::from_secs(30), || worker.last_line() == line), "{}", worker.last_line());
}

/// Whether a process exists that is not a zombie.
fn is_alive(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, fields)| !fields.starts_with('Z'))
}

fn read_pid(path: &Path) -> i32 {
    std::fs::read_to_string(path).unwrap().trim().parse().unwrap()
}

#[test]
fn a_worker_reads_its_prompt_and_reports() {
    let place = WorkerFolder::new();
    let mut worker = place.start("expect the prompt;report success;print done;complain warning;exit 3");
    assert_eq!(wait(&mut worker), WorkerExit { status: Some(3), signal: None });
    let output = worker.finish();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("done\n", "warning\n"));
    let mut codex = place.start("protocol codex-0.169.0/success.jsonl");
    wait(&mut codex);
    assert!(
        group::wait_until(Duration::from_secs(9), || codex.last_line() == "The endpoint works and its test passes.")
    );
    drop(codex);
    assert!(std::fs::read_to_string(place.path("report.json")).unwrap().contains("\"step_id\": \"api\""));
    let log = place.log();
    let mut lines: Vec<&str> = log.lines().filter(|line| !line.starts_with('{')).collect();
    lines.sort();
    assert_eq!(lines, ["done", "warning"]);
}

#[test]
fn a_second_attempt_appends_to_the_log() {
    let place = WorkerFolder::new();
    for text in ["one", "two"] {
        wait(&mut place.start(&format!("print {text}")));
    }
    assert_eq!(place.log(), "one\ntwo\n");
}

#[test]
fn start_errors_name_the_program() {
    let place = WorkerFolder::new();
    let start = |argv: &[&str], folder: &Path, log: &Path| {
        let argv: Vec<String> = argv.iter().map(|arg| (*arg).to_owned()).collect();
        let command = WorkerCommand { argv: &argv, folder, env: Vec::new(), stdin: Vec::new(), log, mark: new_mark() };
        Worker::start(command).map(|_| ()).unwrap_err().to_string()
    };
    let folder = place.folder.path();
    let log = place.path("log");
    assert_eq!(start(&["no-such-program-here", "-p"], folder, &log), "`no-such-program-here` not found");
    assert_eq!(start(&[], folder, &log), "the command line is empty");
    assert!(start(&["true"], &place.path("nowhere"), &log).ends_with("nowhere` is not a folder"));
    std::fs::write(place.path("plain"), "text").unwrap();
    let plain = place.path("plain").display().to_string();
    assert_eq!(start(&[&plain], folder, &log), format!("`{plain}` is not executable"));
    let long = "x".repeat(4 << 20);
    assert_eq!(start(&["echo", &long], folder, &log), "the arguments of `echo` are too long for the system");
    std::os::unix::fs::symlink(place.path("target"), place.path("link")).unwrap();
    assert!(start(&["true"], folder, &place.path("link")).contains("link` cannot be written"));
    assert!(!place.path("target").exists());
}

#[test]
fn stop_ends_the_whole_group() {
    let place = WorkerFolder::new();
    let mut worker = place.start("leave-child child.pid;print ready;hang");
    wait_for_line(&worker, "ready");
    let child = read_pid(&place.path("child.pid"));
    let started = Instant::now();
    worker.stop(Duration::from_secs(20)).unwrap();
    assert!(started.elapsed() < Duration::from_secs(10));
    assert!(!is_alive(child) && !group::group_is_alive(worker.identity()));
    assert_eq!(worker.poll().unwrap().unwrap().signal, Some(15));
    // A second stop does nothing.
    worker.stop(Duration::ZERO).unwrap();
}

#[test]
fn stop_kills_a_group_that_ignores_sigterm() {
    let place = WorkerFolder::new();
    let mut worker = place.start("stubborn");
    wait_for_line(&worker, "stubborn");
    let identity = worker.identity().clone();
    assert!(group::group_is_alive(&identity));
    worker.stop(Duration::from_millis(100)).unwrap();
    // A killed process stays visible until the system's first process has reaped it.
    let is_gone = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !group::group_is_alive(&identity)
    });
    assert!(is_gone);
    assert_eq!(worker.poll().unwrap().unwrap().signal, Some(9));
}

#[test]
fn dropping_a_worker_ends_it() {
    let place = WorkerFolder::new();
    let worker = place.start("leave-child child.pid;print ready;hang");
    wait_for_line(&worker, "ready");
    let identity = worker.identity().clone();
    drop(worker);
    assert!(!is_alive(read_pid(&place.path("child.pid"))) && !group::group_is_alive(&identity));
}

#[test]
fn the_rest_of_a_group_ends_with_its_leader() {
    let place = WorkerFolder::new();
    let mut worker = place.start("leave-child child.pid;print done");
    assert!(wait(&mut worker).is_success());
    assert_eq!(worker.finish().stdout, "done\n");
    let child = read_pid(&place.path("child.pid"));
    assert!(group::wait_until(Duration::from_secs(5), || !is_alive(child)));
}

#[test]
fn a_process_outside_the_group_that_keeps_the_pipe_does_not_delay_the_end() {
    let place = WorkerFolder::new();
    let mut worker = place.start("escape child.pid;partial done");
    let started = Instant::now();
    assert!(wait(&mut worker).is_success());
    assert_eq!(worker.finish().stdout, "done");
    assert!(started.elapsed() < Duration::from_millis(2500), "{:?}", started.elapsed());
    assert_eq!(place.log(), "done\n");
}

#[test]
fn a_worker_need_not_read_its_prompt() {
    let place = WorkerFolder::new();
    let mut worker = place.start_with("noread;print done", vec![b'x'; 1 << 20], LIMITS);
    assert!(wait(&mut worker).is_success());
    let mut hanging = place.start_with("noread;print hanging;hang", vec![b'x'; 1 << 20], LIMITS);
    wait_for_line(&hanging, "hanging");
    hanging.stop(Duration::from_secs(5)).unwrap();
    assert!(worker.finish().stdout.starts_with("done"));
}

#[test]
fn a_long_prompt_arrives_as_a_whole() {
    let place = WorkerFolder::new();
    let prompt: Vec<u8> = (0..100_000).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
    let mut worker = place.start_with("save-prompt prompt.txt", prompt.clone(), LIMITS);
    assert!(wait(&mut worker).is_success());
    // `$(…)` of the shell drops the last line end.
    assert_eq!(std::fs::read(place.path("prompt.txt")).unwrap(), prompt.trim_ascii_end());
}

#[test]
fn escape_sequences_and_tokens_reach_neither_the_log_nor_the_last_line() {
    let place = WorkerFolder::new();
    let mut worker = place.start("ansi;token;binary;partial \u{1b}[2Jend ghp_");
    wait(&mut worker);
    let last_line = worker.last_line();
    let output = worker.finish();
    for text in [place.log(), last_line, output.transcript] {
        assert!(!text.contains('\u{1b}') && !text.contains("q7Zp2LxV9"), "{text}");
    }
    let log = place.log();
    assert!(log.starts_with("red \n") && log.contains("key [a GitHub personal access token, redacted]\n"), "{log}");
    assert!(log.contains('\u{fffd}') && log.ends_with("end ghp_\n"), "{log}");
    // The tool's own output is kept as it is: it may be JSON.
    assert!(output.stdout.contains('\u{1b}'));
}

#[test]
fn a_flood_of_output_needs_bounded_memory_and_disk() {
    let place = WorkerFolder::new();
    let mut worker = place.start_with("flood 10;print last words", b"x".to_vec(), SMALL);
    wait(&mut worker);
    let output = worker.finish();
    assert!(
        output.stdout.len() < 20 << 10 && output.stdout.starts_with("flood") && output.stdout.ends_with("last words\n")
    );
    assert!(output.transcript.len() < 2 << 10 && output.transcript.ends_with("last words\n"));
    let log = place.log();
    assert!(log.len() < 65 << 10 && log.ends_with("the rest is left out]\n"), "{}", log.len());
}

#[test]
fn workers_leave_no_zombies() {
    let place = WorkerFolder::new();
    let mut pids = Vec::new();
    for _ in 0..10 {
        let mut worker = place.start("print done");
        pids.push(worker.pid());
        wait(&mut worker);
    }
    // A zombie would still have an entry.
    assert!(pids.iter().all(|pid| !Path::new(&format!("/proc/{pid}")).exists()));
}

/// The pieces together: a tool that reaches its limit once and then works, as `run exec` sees it.
#[test]
fn recorded_protocols_are_printed_and_understood() {
    use canonry_runs::plan::worker_output::interpret;
    let now = canonry_model::canon::timestamp::Timestamp::parse("2026-05-01T12:00:00Z").unwrap();
    let place = WorkerFolder::new();
    for (limit, success) in [
        ("claude-2.1.330/limit.json", "claude-2.1.330/success.jsonl"),
        ("codex-0.169.0/limit.jsonl", "codex-0.169.0/success.jsonl"),
        ("gemini-0.61.0/rate-limit.stderr", "gemini-0.61.0/success.json"),
        ("cursor-limit.stderr", "cursor-success.json"),
        ("antigravity-quota.json", "antigravity-stream-success.jsonl"),
    ] {
        let ends = [0, 1].map(|_| {
            let mut worker = place.start(&format!("limit-once {limit};protocol {success}"));
            let exit = wait(&mut worker);
            let output = worker.finish();
            let zone = |_: Option<&str>| Some(jiff::tz::TimeZone::UTC);
            interpret(&output.stdout, &output.stderr, exit.status, now, &zone)
        });
        let [first, second] = ends;
        assert!(first.is_error && first.limit.is_some_and(|limit| limit.until.is_some()), "{limit}: {first:?}");
        assert!(!second.is_error && second.limit.is_none(), "{success}: {second:?}");
        assert!(second.report.unwrap().contains("\"step_id\":\"api\""), "{success}");
        std::fs::remove_dir_all(place.path("limit.api")).unwrap();
    }
}

#[test]
fn a_log_that_is_a_pipe_is_refused() {
    let place = WorkerFolder::new();
    assert!(std::process::Command::new("mkfifo").arg(place.path("fifo")).status().unwrap().success());
    let argv = ["true".to_owned()];
    let log = place.path("fifo");
    let command = WorkerCommand {
        argv: &argv,
        folder: place.folder.path(),
        env: Vec::new(),
        stdin: Vec::new(),
        log: &log,
        mark: new_mark(),
    };
    assert!(matches!(Worker::start(command), Err(WorkerError::Log { .. })));
}

#[test]
fn a_later_run_ends_a_worker_that_outlived_its_coordinator() {
    let place = WorkerFolder::new();
    let worker = place.start("leave-child child.pid;stubborn");
    wait_for_line(&worker, "stubborn");
    let identity: WorkerIdentity = worker.identity().to_string().parse().unwrap();
    let other = WorkerIdentity { token: "0-0-0".to_owned(), started: "1-1".to_owned(), ..identity.clone() };
    if cfg!(target_os = "linux") {
        assert_eq!((group::group_is_alive(&other), group::end_group(&other, Duration::ZERO).unwrap()), (false, false));
    }
    assert!(group::group_is_alive(&identity));
    assert!(group::end_group(&identity, Duration::from_millis(50)).unwrap());
    assert!(!group::group_is_alive(&identity) && !is_alive(read_pid(&place.path("child.pid"))));
    assert!(!group::end_group(&identity, Duration::ZERO).unwrap());
}
