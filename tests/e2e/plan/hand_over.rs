//! The jobs of an exported plan, each in its own clone of a bare remote, at the same time.

use super::run::{WORKTREES, behave, commit, project, read_if, status, statuses, wait_for};
use super::{read, run};
use crate::support::failpoints::{Failpoint, failpoints_of};
use crate::support::repo::{Ran, Repo, binary};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

const PLAN: &str = "agent/plans/build/plan.yaml";
const NONE: &str = "default: {argv: [sh, AGENT]}\n";

/// A repository with a plan, and the bare remote that the jobs clone.
struct Team {
    first: Repo,
    remote: PathBuf,
}

impl Team {
    fn new(plan: &str, owners: &str) -> Self {
        let first = project(plan, owners);
        let remote = first.tmp().join("remote.git");
        first.git(&["init", "-q", "--bare", "-b", "main", remote.to_str().unwrap()]);
        first.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
        let team = Self { first, remote };
        team.publish();
        team
    }

    fn publish(&self) {
        commit(&self.first);
        self.first.git(&["push", "-q", "-u", "origin", "main"]);
    }

    fn clone(&self) -> Repo {
        let repo = Repo::without_git();
        repo.git(&["clone", "-q", self.remote.to_str().unwrap(), "."]);
        repo.git(&["config", "user.name", "Job"]);
        repo.git(&["config", "user.email", "job@example.com"]);
        repo
    }

    /// The worker leaves a line in the file of effects, and takes a while.
    fn count(&self, step: &str) {
        let line = format!("echo {step} >>{}; sleep 0.3; write out/{step}; success\n", self.effects().display());
        behave(&self.first, step, &line);
    }

    fn effects(&self) -> PathBuf {
        self.first.tmp().join("effects")
    }

    fn exported(&self, args: &[&str]) -> Value {
        let text = run(&self.first, &[&["export", "build"], args].concat(), 0).stdout;
        serde_yaml::from_str(&text).unwrap()
    }
}

/// A job of an exported workflow.
#[derive(Clone, Debug)]
struct Job {
    name: String,
    needs: Vec<String>,
    variables: Vec<(String, String)>,
    lines: Vec<String>,
    /// Whether the engine clones the repository for the job.
    is_cloned: bool,
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn github_jobs(workflow: &Value) -> Vec<Job> {
    let job = |(name, job): (&String, &Value)| {
        let lines = job["steps"].as_array().unwrap().iter().filter_map(|step| step["run"].as_str());
        // Nothing is downloaded.
        let lines = lines.filter(|line| !line.contains("canonry-installer.sh")).map(str::to_owned).collect();
        let variables = job["env"].as_object().unwrap().iter();
        Job {
            name: name.clone(),
            needs: texts(&job["needs"]),
            variables: variables.map(|(name, value)| (name.clone(), value.as_str().unwrap().to_owned())).collect(),
            lines,
            is_cloned: true,
        }
    };
    workflow["jobs"].as_object().unwrap().iter().map(job).collect()
}

fn argo_jobs(workflow: &Value, team: &Team) -> Vec<Job> {
    let template = |name: &str| {
        let templates = workflow["spec"]["templates"].as_array().unwrap();
        templates.iter().find(|template| template["name"] == name).unwrap().clone()
    };
    let script = texts(&template("exec")["container"]["args"]);
    let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let job = |task: &Value| {
        let parameters = task["arguments"]["parameters"].as_array();
        let parameter = |name: &str| {
            let found = parameters.into_iter().flatten().find(|parameter| parameter["name"] == name);
            found.map_or("", |parameter| parameter["value"].as_str().unwrap())
        };
        Job {
            name: task["name"].as_str().unwrap().to_owned(),
            needs: texts(&task["dependencies"]),
            variables: vec![
                variable("PLAN", "build"),
                variable("STEP", parameter("step")),
                variable("APPROVED", parameter("approved")),
                variable("REPOSITORY", team.remote.to_str().unwrap()),
                variable("REVISION", "main"),
            ],
            lines: if task["template"] == "exec" { script.clone() } else { Vec::new() },
            is_cloned: false,
        }
    };
    template("plan")["dag"]["tasks"].as_array().unwrap().iter().map(job).collect()
}

impl Job {
    /// The shell of the engine on one line of the job.
    fn command(&self, repo: &Repo, line: &str) -> Command {
        let mut command = repo.command("bash");
        let path = format!("{}:{}", binary().parent().unwrap().display(), std::env::var("PATH").unwrap());
        command.args(["-e", "-c", line]).envs(self.variables.clone()).env("PATH", path);
        command
    }

    fn run(&self, repo: &Repo) {
        for line in &self.lines {
            let ran = Ran::from(self.command(repo, line).output().unwrap());
            assert_eq!(ran.status, 0, "{}: {line}:\n{}{}", self.name, ran.stdout, ran.stderr);
        }
    }

    /// Kills the job while its worker is at work.
    fn kill(&self, repo: &Repo) {
        let (last, before) = self.lines.split_last().unwrap();
        for line in before {
            self.command(repo, line).output().unwrap();
        }
        let mut child = self.command(repo, last).process_group(0).stderr(Stdio::null()).spawn().unwrap();
        let step = &self.variables.iter().find(|(name, _)| name == "STEP").unwrap().1;
        wait_for(|| read_if(repo, &format!(".git/canonry/attempts/build/{step}.1.log")).contains("working"));
        // The builtin: the program of procps takes `-12` for -1, which is every process.
        repo.command("bash").args(["-c", &format!("kill -KILL -- -{}", child.id())]).status().unwrap();
        child.wait().unwrap();
    }
}

/// Runs each job as soon as those that it needs are done. `first` prepares its clone.
fn run_jobs(team: &Team, jobs: &[Job], first: impl Fn(&Job, Repo) -> Repo + Sync) {
    let done = Mutex::new(BTreeSet::new());
    std::thread::scope(|scope| {
        for job in jobs {
            let done = &done;
            let first = &first;
            scope.spawn(move || {
                let is_done = |need: &String| done.lock().unwrap().contains(need);
                let started = Instant::now();
                while !job.needs.iter().all(is_done) {
                    assert!(started.elapsed() < Duration::from_secs(120), "{} waits", job.name);
                    std::thread::sleep(Duration::from_millis(20));
                }
                let repo = if job.is_cloned { team.clone() } else { Repo::without_git() };
                job.run(&first(job, repo));
                done.lock().unwrap().insert(job.name.clone());
            });
        }
    });
}

/// Every step is complete on the remote, and each effect is there once.
fn assert_done(team: &Team, context: &str) {
    let repo = team.clone();
    for (step, status) in statuses(&repo) {
        assert_eq!(status, "complete", "{context}: {step}");
        assert_eq!(read(&repo, &format!("out/{step}")), format!("{step}\n"), "{context}");
        let reports = repo.git(&["ls-files", &format!("agent/reports/build/{step}.*.json")]);
        let reports = reports.lines().map(|path| serde_json::from_str::<Value>(&read(&repo, path)).unwrap());
        let successes: Vec<Value> = reports.filter(|report| report["outcome"] == "success").collect();
        assert_eq!(successes.len(), 1, "{context}: {step}");
        repo.git(&["merge-base", "--is-ancestor", successes[0]["commit"].as_str().unwrap(), "HEAD"]);
    }
    run(&repo, &["verify"], 0);
    repo.git(&["fsck", "--no-dangling", "--connectivity-only"]);
}

/// Six steps that may run at the same time, and one after all of them.
fn steps() -> Vec<Value> {
    let step = |id: &str| {
        json!({
            "id": id, "status": "pending", "owner": "A", "parallel": true, "criteria": "c",
            "commands": [format!("Run: test -s out/{id}")], "files": [format!("out/{id}")],
        })
    };
    let ids: Vec<String> = (0..6).map(|at| format!("s{at}")).collect();
    let mut steps: Vec<Value> = ids.iter().map(|id| step(id)).collect();
    steps[0]["approval"] = json!(true);
    let mut last = step("last");
    last["deps"] = json!(ids);
    steps.push(last);
    steps
}

fn forms() -> [(&'static str, String); 3] {
    let steps = steps();
    let block = |step: &Value| {
        let lines = step.as_object().unwrap().iter().map(|(key, value)| format!("    {key}: {value}\n"));
        format!("  -\n{}", lines.collect::<String>())
    };
    [
        ("block", format!("steps:\n{}", steps.iter().map(block).collect::<String>())),
        ("lines", format!("steps:\n{}", steps.iter().map(|step| format!("  - {step}\n")).collect::<String>())),
        ("json", json!({ "steps": steps }).to_string()),
    ]
}

/// The team, whose plan has this form.
fn team(form: &str, plan: &str, owners: &str) -> Team {
    let team = Team::new(plan, owners);
    if form == "json" {
        team.first.git(&["mv", PLAN, &PLAN.replace("yaml", "json")]);
        team.publish();
    }
    (0..6).for_each(|at| team.count(&format!("s{at}")));
    team.count("last");
    team
}

#[test]
fn jobs_at_the_same_time_lose_nothing() {
    for (form, plan) in forms() {
        for owners in [WORKTREES, NONE] {
            let team = team(form, &plan, owners);
            let jobs = github_jobs(&team.exported(&["--to", "github-actions"]));
            assert_eq!(jobs.iter().filter(|job| job.needs.is_empty()).count(), 6);
            run_jobs(&team, &jobs, |_, repo| repo);
            let context = format!("{form}, {owners}");
            assert_done(&team, &context);
            let effects = std::fs::read_to_string(team.effects()).unwrap();
            assert_eq!(effects.lines().count(), 7, "{context}: {effects}");
            // An engine that calls the jobs again changes nothing.
            let tip = team.first.git(&["ls-remote", "origin", "main"]);
            run_jobs(&team, &jobs, |_, repo| repo);
            assert_eq!(team.first.git(&["ls-remote", "origin", "main"]), tip, "{context}");
        }
    }
}

#[test]
fn the_script_of_argo_loses_nothing() {
    let (form, plan) = forms()[1].clone();
    let team = team(form, &plan, WORKTREES);
    let export = ["--to", "argo", "--image", "registry.example.com/x:1", "--repository", "https://git.example.com/x"];
    run_jobs(&team, &argo_jobs(&team.exported(&export), &team), |_, repo| repo);
    assert_done(&team, "argo");
}

#[test]
fn a_job_that_is_killed_is_started_again() {
    let (form, plan) = forms()[1].clone();
    for owners in [WORKTREES, NONE] {
        let team = team(form, &plan, owners);
        let jobs = github_jobs(&team.exported(&["--to", "github-actions"]));
        run_jobs(&team, &jobs, |job, repo| match job.name.as_str() {
            // In a new clone, and in the same one.
            "s1" => {
                job.kill(&repo);
                team.clone()
            }
            "s2" | "last" => {
                job.kill(&repo);
                repo
            }
            _ => repo,
        });
        assert_done(&team, owners);
    }
}

const PAIR: &str = "steps:
  - {id: a, owner: A, status: pending, parallel: true, criteria: c, commands: [\"Run: test -s out/a\"], files: [out/a]}
  - {id: b, owner: A, status: pending, parallel: true, criteria: c, commands: [\"Run: test -s out/b\"], files: [out/b]}
";

fn exec(repo: &Repo, step: &str) -> Command {
    let mut command = repo.canonry_command();
    command.args(["run", "exec", "--push", "build", step]);
    command
}

/// Pushes are rejected because another job has pushed its result, and this one is killed at a write.
fn kill_at(is_killed: impl Fn(usize, &Failpoint) -> bool) {
    for owners in [WORKTREES, NONE] {
        let new = || {
            let team = Team::new(PAIR, owners);
            let late = team.clone();
            let other = team.clone();
            // The attempt of a killed run is followed by another one.
            let line = format!("git -C {} push -q origin main; write out/a; success\n", other.root.display());
            behave(&team.first, "a", &line.repeat(2));
            run(&other, &["exec", "b"], 0);
            (team, late, other)
        };
        let (team, late, _other) = new();
        let points = failpoints_of(exec(&late, "a"), &late.tmp().join("failpoints"));
        assert_done(&team, owners);
        for (at, point) in points.iter().enumerate().filter(|(at, point)| is_killed(*at, point)) {
            let (team, late, _other) = new();
            let mut command = exec(&late, "a");
            command.env("RAYON_NUM_THREADS", "1").env("CANONRY_FAILPOINT", format!("kill@{}", at + 1));
            command.output().unwrap();
            let context = format!("{owners}: killed at {} of {}: {point:?}", at + 1, points.len());
            let again = if at % 2 == 0 { late } else { team.clone() };
            let ran = Ran::from(exec(&again, "a").output().unwrap());
            assert_eq!(ran.status, 0, "{context}: {}{}", ran.stdout, ran.stderr);
            assert_done(&team, &context);
        }
    }
}

#[test]
fn a_push_that_is_killed_is_repeated() {
    kill_at(|_, point| ["push", "fetch"].contains(&point.write.as_str()));
}

#[test]
#[ignore = "minutes: every write of a job"]
fn nightly_a_job_that_is_killed_at_any_write_is_repeated() {
    kill_at(|_, _| true);
}

/// The first pushed result counts, whoever began first.
#[test]
fn two_jobs_for_one_step_publish_one_result() {
    let team = Team::new(PAIR, WORKTREES);
    let [one, other] = [team.clone(), team.clone()];
    behave(
        &team.first,
        "a",
        &format!("test -e {0} || {{ touch {0}; sleep 3; }}; write out/a; success\n", team.effects().display()),
    );
    let slow = exec(&one, "a").stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for(|| team.effects().exists());
    assert_eq!(exec(&other, "a").status().unwrap().code(), Some(0));
    let ran = Ran::from(slow.wait_with_output().unwrap());
    assert_eq!(ran.status, 5, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(exec(&team.clone(), "b").status().unwrap().code(), Some(0));
    assert_done(&team, "two jobs");
}

#[test]
fn a_result_is_verified_with_the_work_of_others() {
    let plan = PAIR.replace("test -s out/a", "test -s out/a && test ! -e gone");
    let team = Team::new(&plan, WORKTREES);
    let late = team.clone();
    team.first.write("gone", "x\n");
    team.first.git(&["add", "gone"]);
    team.first.git(&["commit", "-qm", "gone"]);
    behave(
        &team.first,
        "a",
        &format!("git -C {} push -q origin main; write out/a; success\n", team.first.root.display()),
    );
    let ran = Ran::from(exec(&late, "a").output().unwrap());
    assert_eq!(ran.status, 5, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stderr.contains("together with the work of others, `test -s out/a && test ! -e gone` exited 1"),
        "{}",
        ran.stderr
    );
    assert_eq!(status(&team.clone(), "a"), "pending");
}

#[test]
fn failures_and_refusals_are_told_apart() {
    let team = Team::new(PAIR, "default: {argv: [sh, AGENT], isolation: worktree, retries: 0}\n");
    behave(&team.first, "a", "failure broken\n");
    let repo = team.clone();
    let ran = Ran::from(exec(&repo, "a").output().unwrap());
    assert_eq!(ran.status, 3, "{}{}", ran.stdout, ran.stderr);
    let now = team.clone();
    assert_eq!(status(&now, "a"), "blocked");
    assert!(read(&now, "agent/reports/build/a.1.json").contains("broken"));
    // A remote that accepts nothing.
    let hook = team.remote.join("hooks/update");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let ran = Ran::from(exec(&now, "b").output().unwrap());
    assert_eq!(ran.status, 4, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("origin/main does not accept the push"), "{}", ran.stderr);
    now.git(&["branch", "--unset-upstream"]);
    let ran = Ran::from(exec(&now, "b").output().unwrap());
    assert!(ran.status == 5 && ran.stderr.contains("no upstream branch"), "{}", ran.stderr);
}
