//! Real processes, and a job without steps.

use super::result::TimeLimit;
use super::*;
use crate::{Clock, Environment, Error, Timestamp};
use canonry_model::canon::owners::{Budget, Integration, Isolation, Owner, PromptDelivery};
use canonry_runs::exec::{RunEnd, RunLimit};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const NOW: &str = "2026-05-01T12:00:00Z";

fn clock() -> Clock {
    Clock::Fixed(Timestamp::parse(NOW).unwrap())
}

fn shell(script: &str, prompt: PromptDelivery) -> Owner {
    let argv = ["sh", "-c", script, "worker"].map(str::to_owned).to_vec();
    Owner {
        argv,
        prompt,
        timeout: None,
        idle_timeout: None,
        retries: 0,
        isolation: Isolation::None,
        integration: Integration::Merge,
        alternatives: Vec::new(),
    }
}

fn launch<'a>(owner: &'a Owner, task: &'a str, folder: &'a Path) -> WorkerLaunch<'a> {
    WorkerLaunch {
        role: "QA",
        owner,
        task,
        attempt: 1,
        timeout: Some(Duration::from_secs(60)),
        folder,
        setup: None,
        prompt: "Check it.".to_owned(),
        prompt_file: folder.join(format!("records/{task}.md")),
        log: folder.join(format!("records/{task}.log")),
        mark: canonry_repo::exec::worker::new_mark(),
        report: folder.join(format!("drafts/{task}.json")),
        other_reports: vec![folder.join("final.json")],
        variables: vec![("CANONRY_RUN", "r-1".to_owned()), ("CANONRY_STEP", task.to_owned())],
    }
}

fn wait(worker: &mut RunningWorker) -> WorkerStop {
    loop {
        match worker.poll().unwrap() {
            Some(stop) => return stop,
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

fn run(launch: WorkerLaunch<'_>) -> WorkerResult {
    let mut worker = launch.prepare().unwrap().start().unwrap();
    let stop = wait(&mut worker);
    worker.finish(stop, &clock(), &mut budget())
}

fn budget() -> BudgetClock {
    BudgetClock::start(Budget::default(), &RunLimits::default(), UsageLimits::default())
}

#[test]
fn a_worker_gets_its_prompt_and_its_variables() {
    let folder = TempDir::new().unwrap();
    let script = "echo $CANONRY_RUN $CANONRY_STEP; cat \"$CANONRY_PROMPT\"; echo; ls -d \"$(dirname \"$CANONRY_REPORT\")\" >/dev/null && echo ready; echo \"argument=$1\"; cat";
    for (prompt, last) in [
        (PromptDelivery::Stdin, "argument=\nCheck it."),
        (PromptDelivery::Argument, "argument=Check it."),
        (PromptDelivery::File, "argument="),
    ] {
        let result = run(launch(&shell(script, prompt), "review", folder.path()));
        assert_eq!(result.answer, format!("r-1 review\nCheck it.\nready\n{last}"), "{prompt:?}");
        assert!(!result.is_error && result.limit.is_none() && result.report().is_none());
    }
}

#[test]
fn a_report_comes_from_the_file_or_from_the_message() {
    let printed = r#"echo '{"step_id": "a", "outcome": "blocked"}'"#;
    for (script, want) in [
        (format!("{printed}; echo '{{\"step_id\": \"a\"}}' >\"$CANONRY_REPORT\""), Some(r#"{"step_id":"a"}"#)),
        (format!("{printed}; echo '{{' >\"$CANONRY_REPORT\""), Some(r#"{"outcome":"blocked","step_id":"a"}"#)),
        (printed.to_owned(), Some(r#"{"outcome":"blocked","step_id":"a"}"#)),
        ("echo '{\"ok\": 1}' >final.json".to_owned(), Some(r#"{"ok":1}"#)),
        ("ln -s /etc/hostname \"$CANONRY_REPORT\"".to_owned(), None),
        ("echo done".to_owned(), None),
    ] {
        let folder = TempDir::new().unwrap();
        let result = run(launch(&shell(&script, PromptDelivery::File), "a", folder.path()));
        let want = want.map(|text| serde_json::from_str::<serde_json::Value>(text).unwrap());
        assert_eq!(result.report(), want, "{script}");
    }
}

#[test]
fn the_end_of_a_worker_is_described() {
    let folder = TempDir::new().unwrap();
    let result = run(launch(&shell("echo oops >&2; exit 3", PromptDelivery::File), "a", folder.path()));
    assert!(result.is_error && result.last_line.contains("oops"));
    assert_eq!(result.describe_end(), "it exited 3; its last output: oops");

    // Statistics after the last message say nothing.
    let result = run(launch(&shell("echo 'It works.'; echo 60 >&2", PromptDelivery::File), "a", folder.path()));
    assert_eq!(result.describe_end(), "it exited 0; its last output: It works.");

    let owner = shell("echo 'Error: usage limit reached' >&2; sleep 600", PromptDelivery::File);
    let result = run(WorkerLaunch { timeout: Some(Duration::ZERO), ..launch(&owner, "b", folder.path()) });
    assert_eq!(result.stop, WorkerStop::Timeout(TimeLimit::Total(Duration::ZERO)));
    assert_eq!(result.describe_end(), "the worker did not end within 0 s");

    let mut worker = launch(&owner, "c", folder.path()).prepare().unwrap().start().unwrap();
    assert_eq!(worker.state().task, "c");
    worker.stop();
    assert_eq!(worker.poll().unwrap(), Some(WorkerStop::Stopped));
    assert!(worker.finish(WorkerStop::Stopped, &clock(), &mut budget()).is_error);

    let limit =
        run(launch(&shell("echo 'Error: usage limit reached' >&2; exit 1", PromptDelivery::File), "d", folder.path()));
    assert!(limit.limit.is_some_and(|limit| limit.until.is_none()), "{limit:?}");

    let missing = Owner { argv: vec!["canonry-has-no-such-program".to_owned()], ..owner };
    let error = launch(&missing, "e", folder.path()).prepare().unwrap().start().unwrap_err();
    assert_eq!(error.message, "the worker of `QA` cannot be started: `canonry-has-no-such-program` not found");
}

#[test]
fn an_orphan_is_ended_and_others_are_left_alone() {
    let folder = TempDir::new().unwrap();
    let mut worker =
        launch(&shell("sleep 600", PromptDelivery::File), "a", folder.path()).prepare().unwrap().start().unwrap();
    let identity = worker.identity();
    assert!(!end_orphan("not an identity").unwrap());
    assert!(end_orphan(&identity).unwrap());
    assert!(matches!(wait(&mut worker), WorkerStop::Exit(_)));
    assert!(!end_orphan(&identity).unwrap());
}

#[test]
fn a_budget_limits_workers_attempts_and_waiting() {
    let given = Budget { attempts: 1, ..Budget::default() };
    let start = |limits: RunLimits| BudgetClock::start(given, &limits, UsageLimits::default());
    let mut clock = start(RunLimits { workers: Some(0), minutes: Some(10), ..RunLimits::default() });
    assert!(clock.has_room(0) && !clock.has_room(1) && clock.has_attempts());
    clock.count_attempt();
    assert!(!clock.has_attempts());
    assert_eq!((clock.attempts_limit(), clock.time_limit()), ("1 attempts".to_owned(), "10 minutes".to_owned()));
    let now = Timestamp::parse(NOW).unwrap();
    let at = |text: &str| Timestamp::parse(text).unwrap();
    assert!(clock.may_wait(now, at("2026-05-01T12:09:00Z")) && !clock.may_wait(now, at("2026-05-01T12:11:00Z")));
    assert!(clock.may_wait(now, at("2026-05-01T11:00:00Z")));
    let impatient = start(RunLimits { no_wait: true, ..RunLimits::default() });
    assert!(!impatient.may_wait(now, at("2026-05-01T12:00:01Z")));
    let used = start(RunLimits { minutes: Some(0), ..RunLimits::default() });
    assert!(used.time_left().is_zero());
}

/// Scripts that have ended, and whether they failed.
type Ended = Vec<(&'static str, bool)>;

/// Executes shell scripts, one attempt each. The failure of one ends the others.
struct Scripts<'a> {
    env: &'a Environment,
    folder: &'a Path,
    clock: BudgetClock,
    notifier: Notifier,
    open: Vec<(&'static str, &'static str)>,
    ended: Ended,
    /// A script that may not go on.
    forbidden: Option<&'static str>,
    error: Option<&'static str>,
}

/// The end of a job in which this number of scripts has ended.
fn done(scripts: usize) -> RunEnd {
    RunEnd::NotReady(scripts.to_string())
}

impl Job for Scripts<'_> {
    type Work = &'static str;

    fn clock(&self) -> &BudgetClock {
        &self.clock
    }

    fn is_cancelled(&self) -> bool {
        self.env.is_cancelled()
    }

    fn tick(&self, workers: &[WorkerState]) {
        assert!(workers.len() <= self.clock.budget().workers);
    }

    fn notice(&self, message: String) {
        panic!("{message}");
    }

    fn notifier(&mut self) -> &mut Notifier {
        &mut self.notifier
    }

    fn dispatch(&mut self, workers: &mut WorkerPool<&'static str>) -> Result<Option<RunEnd>, Error> {
        while self.clock.has_room(workers.len())
            && let Some((task, script)) = self.open.pop()
        {
            let owner = shell(script, PromptDelivery::File);
            workers.add(task, launch(&owner, task, self.folder).prepare()?.start()?);
            self.clock.count_attempt();
        }
        Ok(Some(done(self.ended.len())))
    }

    fn may_continue(&mut self, work: &mut &'static str) -> Result<bool, Error> {
        Ok(self.forbidden != Some(*work))
    }

    fn conclude(
        &mut self,
        work: &'static str,
        worker: RunningWorker,
        stop: WorkerStop,
        others: &mut WorkerPool<&'static str>,
    ) -> Result<(), Error> {
        if self.error == Some(work) {
            return Err(Error::new(crate::ErrorKind::Internal, "disk full"));
        }
        let result = worker.finish(stop, &clock(), &mut self.clock);
        if result.is_error && matches!(stop, WorkerStop::Exit(_)) {
            others.stop(|_| true);
        }
        self.ended.push((work, result.is_error));
        Ok(())
    }
}

fn drive_scripts(
    open: &[(&'static str, &'static str)],
    limits: RunLimits,
    change: impl FnOnce(&mut Scripts<'_>),
) -> (Result<RunEnd, Error>, Ended) {
    let folder = TempDir::new().unwrap();
    let env = Environment::isolated();
    let mut job = Scripts {
        env: &env,
        folder: folder.path(),
        clock: BudgetClock::start(Budget::default(), &limits, UsageLimits::default()),
        notifier: Notifier::default(),
        open: open.iter().rev().copied().collect(),
        ended: Vec::new(),
        forbidden: None,
        error: None,
    };
    change(&mut job);
    let end = drive(&mut job);
    (end, job.ended)
}

#[test]
fn a_job_runs_until_nothing_is_left_to_do() {
    let two = RunLimits { workers: Some(2), ..RunLimits::default() };
    let (end, mut ended) = drive_scripts(&[("a", "exit 0"), ("b", "sleep 0.1"), ("c", "exit 0")], two, |_| ());
    ended.sort_unstable();
    assert_eq!((end.unwrap(), ended), (done(3), vec![("a", false), ("b", false), ("c", false)]));
}

#[test]
fn workers_that_are_not_wanted_are_ended() {
    let scripts = [("a", "sleep 600"), ("b", "exit 1"), ("c", "sleep 600")];
    let (end, ended) = drive_scripts(&scripts, RunLimits::default(), |_| ());
    assert_eq!((end.unwrap(), ended), (done(3), vec![("b", true), ("a", true), ("c", true)]));
    let (end, ended) = drive_scripts(&scripts[..1], RunLimits::default(), |job| job.forbidden = Some("a"));
    assert_eq!((end.unwrap(), ended), (done(1), vec![("a", true)]));
}

#[test]
fn a_run_that_is_stopped_concludes_its_workers() {
    let scripts = [("a", "sleep 600"), ("b", "sleep 600")];
    let env = Environment::isolated();
    env.cancel.store(true, std::sync::atomic::Ordering::Relaxed);
    let folder = TempDir::new().unwrap();
    let owner = shell("sleep 600", PromptDelivery::File);
    let mut job = Scripts {
        env: &env,
        folder: folder.path(),
        clock: budget(),
        notifier: Notifier::default(),
        open: Vec::new(),
        ended: Vec::new(),
        forbidden: None,
        error: None,
    };
    let mut workers = WorkerPool::default();
    for task in ["a", "b"] {
        workers.add(task, launch(&owner, task, folder.path()).prepare().unwrap().start().unwrap());
    }
    assert_eq!(drive::run(&mut job, &mut workers).unwrap(), RunEnd::Interrupted);
    assert_eq!(job.ended, [("a", true), ("b", true)]);
    let none = RunLimits { minutes: Some(0), ..RunLimits::default() };
    assert_eq!(drive_scripts(&scripts, none, |_| ()).0.unwrap(), RunEnd::Limit(RunLimit::Call("0 minutes".to_owned())));
}

#[test]
fn an_error_ends_the_workers() {
    let scripts = [("a", "exit 0"), ("b", "sleep 600")];
    let (end, ended) = drive_scripts(&scripts, RunLimits::default(), |job| job.error = Some("a"));
    assert_eq!((end.unwrap_err().message.as_str(), ended), ("disk full", Vec::new()));
}
