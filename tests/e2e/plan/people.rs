//! People around a run: notifications, pull requests, owners that stand in for each other, and bounds.

use super::run::{SHARED, WORKTREES, behave, commit, project, read_if, report, status};
use super::{read, run};
use crate::support::failpoints::{failpoints_of, for_each_failpoint, kill_command, sample};
use crate::support::repo::{Ran, Repo, binary};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

const ONE: &str = "steps:\n  - {id: a, owner: A, description: Add a file., criteria: it is there, commands: [\"Run: test -s out/a\"], files: [out/a]}\n";
const TWO: &str = "steps:
  - {id: a, owner: A, criteria: c, commands: [\"Run: test -s out/a\"], files: [out/a]}
  - {id: b, owner: A, deps: [a], criteria: c, commands: [\"Run: test -s out/b\"], files: [out/b]}
";
const NOTES: &str = "notify: cat >>NOTES/json; echo \"$CANONRY_EVENT $CANONRY_PLAN $CANONRY_STEP $CANONRY_OUTCOME|$CANONRY_NEXT\" >>NOTES/told\n";

/// The notifications are in files below the temporary folder of the tests.
fn notes(repo: &Repo, owners: &str) {
    let owners = owners.replace("NOTES", &repo.tmp().display().to_string());
    repo.write("agent/owners.yaml", owners.replace("AGENT", &repo.path("tools/agent.sh").display().to_string()));
    commit(repo);
}

fn note(repo: &Repo, name: &str) -> String {
    std::fs::read_to_string(repo.tmp().join(name)).unwrap_or_default()
}

#[test]
fn a_gate_and_the_end_of_a_run_are_told() {
    let plan = "steps:
  - {id: free, owner: A, parallel: true, criteria: c, files: [out/free]}
  - {id: gated, owner: A, parallel: true, criteria: c, approval: true, files: [out/gated]}
";
    let repo = project(plan, SHARED);
    notes(&repo, &format!("{NOTES}{SHARED}"));
    // The worker ends after the gate was told.
    let told = repo.tmp().join("told");
    behave(
        &repo,
        "free",
        &format!("while ! test -s {}; do sleep 0.1; done; write out/free; success\n", told.display()),
    );
    run(&repo, &["exec"], 3);
    assert_eq!(
        note(&repo, "told"),
        "needs_person build gated |canonry run approve build gated --reason TEXT\nend build  needs_person|canonry run exec build\n"
    );
    let documents: Vec<Value> = note(&repo, "json").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [gate, end] = &documents[..] else { panic!("{documents:?}") };
    assert_eq!(
        (&gate["schema"], &gate["plan"], &gate["step"]),
        (&"canonry/notification/v1".into(), &"build".into(), &"gated".into())
    );
    assert!(gate["message"].as_str().unwrap().starts_with("needs approval: the plan says"), "{gate}");
    assert_eq!((&end["event"], &end["outcome"], &end["step"]), (&"end".into(), &"needs_person".into(), &Value::Null));
    assert!(end["message"].as_str().unwrap().starts_with("1 of 2 steps complete; gated: needs approval"), "{end}");
    let ended = run(&repo, &["exec", "--format", "json"], 3).stdout;
    let ended: Value = serde_json::from_str(ended.lines().last().unwrap()).unwrap();
    assert_eq!(ended["steps"][0]["next"], "canonry run approve build gated --reason TEXT", "{ended}");
    run(&repo, &["approve", "gated", "--reason", "fine"], 0);
    run(&repo, &["exec"], 0);
    assert!(note(&repo, "told").ends_with("\nend build  complete|\n"), "{}", note(&repo, "told"));
}

#[test]
fn a_notification_that_fails_is_one_notice() {
    let repo = project(ONE, &format!("notify: echo no network >&2; exit 7\n{WORKTREES}"));
    behave(&repo, "a", "blocked 'which file?'\n");
    let ran = run(&repo, &["exec"], 3);
    let notice = "note: nobody was notified: `notify` exited 7: no network";
    assert_eq!(ran.stderr.matches(notice).count(), 1, "{}", ran.stderr);
    assert!(read(&repo, ".git/canonry/notify.log").contains("no network"));
}

#[test]
fn a_forbidden_notification_starts_no_worker() {
    let repo = project(ONE, &format!("notify: curl https://example.com\n{WORKTREES}"));
    repo.write("agent/protocols/permissions.md", "# Permissions\n\n## Never allowed\n\n- `curl`\n");
    commit(&repo);
    let ran = run(&repo, &["exec"], 5);
    assert!(ran.stderr.contains("the command of `notify` is not run"), "{}", ran.stderr);
    assert!(!repo.path(".git/canonry/attempts/build/a.1.log").exists());
}

/// A repository whose remote is a bare one, and a stand-in for the tool that opens pull requests.
struct Proposals {
    repo: Repo,
    bare: PathBuf,
}

impl Proposals {
    /// `host` is a part of the URL of the remote.
    fn new(host: &str, program: &str) -> Self {
        let owners = format!("integrate: pull-request\n{WORKTREES}");
        let repo = project(ONE, &owners);
        let bare = repo.tmp().join(host).join("bare.git");
        repo.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
        repo.git(&["remote", "add", "origin", bare.to_str().unwrap()]);
        repo.git(&["fetch", "-q"]);
        repo.git(&["branch", "-q", "--set-upstream-to=origin/main"]);
        // A branch has one pull request.
        let script = r#"#!/bin/sh
printf '%s\n' "$@" >>TMP/called
if [ "$2" = create ]; then
    opened=TMP/opened-${4##*/}
    [ -e "$opened" ] && { echo 'already exists' >&2; exit 1; }
    : >"$opened"
fi
echo opened https://HOST/o/r/pull/7
"#;
        let script = script.replace("TMP", &repo.tmp().display().to_string()).replace("HOST", host);
        let file = repo.tmp().join("bin").join(program);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, script).unwrap();
        assert!(repo.command("chmod").arg("755").arg(&file).status().unwrap().success());
        Self { repo, bare }
    }

    fn command(&self, args: &[&str]) -> Command {
        let path = format!("{}:{}", self.repo.tmp().join("bin").display(), std::env::var("PATH").unwrap());
        let mut command = self.repo.canonry_command();
        command.env("PATH", path).arg("run").args(args);
        command
    }

    #[track_caller]
    fn run(&self, args: &[&str], status: i32) -> Ran {
        let ran = Ran::from(self.command(args).output().unwrap());
        assert_eq!(ran.status, status, "{args:?}:\n{}{}", ran.stdout, ran.stderr);
        ran
    }

    fn called(&self) -> String {
        std::fs::read_to_string(self.repo.tmp().join("called")).unwrap_or_default()
    }

    /// A person merges the branch of an attempt in another clone, and updates this one.
    fn merge(&self, attempt: &str, how: &str) {
        let clone = self.repo.tmp().join(format!("person-{attempt}"));
        self.repo.git(&["clone", "-q", self.bare.to_str().unwrap(), clone.to_str().unwrap()]);
        let script = format!(
            "git config user.name P; git config user.email p@example.com; {} && git push -q origin main",
            how.replace("BRANCH", &format!("origin/canonry/build/{attempt}"))
        );
        assert!(self.repo.command("sh").args(["-c", &script]).current_dir(&clone).status().unwrap().success());
        self.repo.git(&["pull", "-q", "--no-rebase", "--no-edit", "origin", "main"]);
    }
}

#[test]
fn verified_work_becomes_a_pull_request() {
    for (host, program, words) in [
        (
            "github.test",
            "gh",
            [
                "pr\ncreate\n--head\ncanonry/build/a.1\n--base\nmain\n--title\na: Add a file.\n--body\n",
                "- `test -s out/a` exited 0",
            ],
        ),
        (
            "gitlab.test",
            "glab",
            ["mr\ncreate\n--source-branch\ncanonry/build/a.1\n--target-branch\nmain\n", "\n--yes\n"],
        ),
        ("example.test", "gh", ["did a\n\nStep `a` of plan `build`, attempt 1.\n", "Criteria:\n- it is there\n"]),
    ] {
        let project = Proposals::new(host, program);
        let repo = &project.repo;
        let ran = project.run(&["exec"], 3);
        let reason = format!("a: waits for the pull request https://{host}/o/r/pull/7: merge it, run `git pull`");
        assert!(ran.stdout.contains(&reason), "{}", ran.stdout);
        let called = project.called();
        words.iter().for_each(|word| assert!(called.contains(word), "`{word}` is not in {called}"));
        assert_eq!((status(repo, "a"), &report(repo, "a", 1)["cause"]), ("blocked".to_owned(), &"pull_request".into()));
        assert!(ran.stderr.contains("a: attempt 1 was verified: waits for the pull request"), "{}", ran.stderr);
        assert_eq!(repo.git(&["ls-tree", "HEAD", "out"]), "");
        repo.check(&[]).expect(0).says(&["other files: 1 info"]);
        assert!(project.run(&["exec"], 3).stdout.contains(&reason));
        assert_eq!(project.called(), called);
        project.merge("a.1", "git merge -q --no-ff BRANCH");
        project.run(&["exec"], 0);
        let report = report(repo, "a", 1);
        assert_eq!(
            (&report["outcome"], &report["commands"][0]["exit_status"]),
            (&"success".into(), &0.into()),
            "{report}"
        );
        assert_eq!((status(repo, "a"), repo.git(&["show", "HEAD:out/a"])), ("complete".to_owned(), "a".to_owned()));
        assert_eq!(repo.git(&["branch", "--list", "canonry/*"]), "");
        project.run(&["verify"], 0);
    }
}

#[test]
fn a_squashed_pull_request_is_complete_and_a_changed_one_is_verified() {
    let project = Proposals::new("github.test", "gh");
    project.run(&["exec"], 3);
    project.merge("a.1", "git merge -q --squash BRANCH && git commit -qm squashed");
    project.run(&["exec"], 0);
    assert_eq!(status(&project.repo, "a"), "complete");
    assert_eq!(project.repo.git(&["branch", "--list", "canonry/*"]), "");
    assert_eq!(project.repo.git(&["worktree", "list"]).lines().count(), 1);
    // What a person merged does not pass: another attempt, and another pull request.
    let project = Proposals::new("github.test", "gh");
    project.run(&["exec"], 3);
    project.merge("a.1", "git merge -q --no-ff BRANCH && git rm -q out/a && git commit -qm broken");
    let ran = project.run(&["exec"], 3);
    assert!(ran.stderr.contains("`test -s out/a` exited 1"), "{}", ran.stderr);
    assert!(project.called().contains("canonry/build/a.2"), "{}", project.called());
}

/// An editor saves the plan as it was before.
#[test]
fn an_older_plan_opens_no_second_pull_request() {
    let project = Proposals::new("github.test", "gh");
    let repo = &project.repo;
    let older = read(repo, "agent/plans/build/plan.yaml");
    project.run(&["exec"], 3);
    repo.write("agent/plans/build/plan.yaml", &older);
    let ran = project.run(&["claim", "a"], 5);
    assert!(ran.stderr.contains("but attempt 1 waits for its pull request"), "{}", ran.stderr);
    let ran = project.run(&["exec"], 3);
    assert!(
        ran.stderr.contains("a: attempt 1 waits for its pull request, although the plan did not say it"),
        "{ran:?}"
    );
    assert_eq!((status(repo, "a"), repo.git(&["status", "--porcelain"])), ("blocked".to_owned(), String::new()));
    assert_eq!(project.called().matches("create\n").count(), 1, "{}", project.called());
    repo.write("agent/plans/build/plan.yaml", &older);
    project.merge("a.1", "git merge -q --no-ff BRANCH");
    project.run(&["exec"], 0);
    assert_eq!((status(repo, "a"), repo.git(&["status", "--porcelain"])), ("complete".to_owned(), String::new()));
}

#[test]
fn a_killed_run_completes_a_merged_pull_request_later() {
    let merged = || {
        let project = Proposals::new("github.test", "gh");
        project.run(&["exec"], 3);
        project.merge("a.1", "git merge -q --no-ff BRANCH");
        project
    };
    let whole = merged();
    let failpoints = failpoints_of(whole.command(&["exec"]), &whole.repo.tmp().join("failpoints"));
    for_each_failpoint(&sample(failpoints), |failpoint| {
        let project = merged();
        kill_command(project.command(&["exec"]), failpoint);
        project.run(&["exec"], 0);
        let left = (status(&project.repo, "a"), project.repo.git(&["status", "--porcelain"]));
        assert_eq!(left, ("complete".to_owned(), String::new()), "{failpoint:?}");
    });
}

#[test]
fn two_clones_open_one_pull_request() {
    let project = Proposals::new("github.test", "gh");
    project.repo.write("agent/canonry.yaml", "plans: {remote: origin}\n");
    commit(&project.repo);
    project.repo.git(&["push", "-q", "origin", "main"]);
    let other = project.repo.tmp().join("other");
    project.repo.git(&["clone", "-q", project.bare.to_str().unwrap(), other.to_str().unwrap()]);
    project.run(&["exec"], 3);
    for (key, value) in [("user.name", "P"), ("user.email", "p@example.com")] {
        project.repo.git(&["-C", other.to_str().unwrap(), "config", key, value]);
    }
    let in_other = || Ran::from(project.command(&["exec"]).current_dir(&other).output().unwrap());
    let ran = in_other();
    assert_eq!(ran.status, 4, "{}{}", ran.stdout, ran.stderr);
    // It waits too, once it has the report.
    project.repo.git(&["push", "-q", "origin", "main"]);
    project.repo.git(&["-C", other.to_str().unwrap(), "pull", "-q"]);
    let ran = in_other();
    assert!(ran.status == 3 && ran.stdout.contains("a: waits for the pull request"), "{}{}", ran.stdout, ran.stderr);
    assert_eq!(project.called().matches("create\n").count(), 1, "{}", project.called());
}

#[test]
fn a_pull_request_that_cannot_be_opened_loses_no_work() {
    let project = Proposals::new("github.test", "gh");
    // A run that was killed had opened it.
    std::fs::write(project.repo.tmp().join("opened-a.1"), "").unwrap();
    let ran = project.run(&["exec"], 3);
    assert!(ran.stdout.contains("waits for the pull request https://github.test/o/r/pull/7"), "{}", ran.stdout);
    let project = Proposals::new("github.test", "gh");
    behave(&project.repo, "a", &format!("mv {0} {0}.away; write out/a; success\n", project.bare.display()));
    let ran = project.run(&["exec"], 3);
    assert!(ran.stdout.contains("a: no pull request: `git push origin canonry/build/a.1` failed"), "{}", ran.stdout);
    assert!(ran.stdout.contains("1 attempt in this run"), "{}", ran.stdout);
    std::fs::rename(project.bare.with_extension("git.away"), &project.bare).unwrap();
    project.repo.git(&["push", "-q", "origin", "canonry/build/a.1"]);
    project.merge("a.1", "git merge -q --no-ff BRANCH");
    project.run(&["exec"], 0);
}

#[test]
fn a_killed_run_opens_one_pull_request() {
    let run = |project: &Proposals, name: &str, value: &str| {
        let output = project.command(&["exec"]).env("RAYON_NUM_THREADS", "1").env(name, value).output().unwrap();
        assert!(output.status.code().is_none_or(|code| code == 3), "{value}: {output:?}");
    };
    let whole = Proposals::new("github.test", "gh");
    let log = whole.repo.tmp().join("failpoints");
    run(&whole, "CANONRY_FAILPOINT_LOG", log.to_str().unwrap());
    let failpoints = std::fs::read_to_string(&log).unwrap();
    let push = 1 + failpoints.lines().position(|line| line.contains("push")).unwrap();
    let last = failpoints.lines().count();
    // Around the push, and at some other writes.
    let points = (push..=last.min(push + 3)).chain((1..=last).filter(|number| number % 31 == 7));
    for number in points {
        let project = Proposals::new("github.test", "gh");
        run(&project, "CANONRY_FAILPOINT", &format!("kill@{number}"));
        project.run(&["exec"], 3);
        let files = std::fs::read_dir(project.repo.tmp()).unwrap().flatten();
        let names = files.map(|file| file.file_name().into_string().unwrap());
        let opened: Vec<String> = names.filter_map(|name| Some(name.strip_prefix("opened-")?.to_owned())).collect();
        let [attempt] = &opened[..] else { panic!("killed at {number} of {last}: {opened:?}") };
        project.merge(attempt, "git merge -q --no-ff BRANCH");
        project.run(&["exec"], 0);
        assert_eq!(project.repo.git(&["show", "HEAD:out/a"]), "a", "killed at {number} of {last}");
    }
}

#[test]
fn a_pull_request_that_is_impossible_is_found_before_a_worker_starts() {
    let project = Proposals::new("gitlab.test", "glab");
    let nothing = project.repo.tmp().join("nothing");
    let ran = Ran::from(project.command(&["exec"]).env("PATH", &nothing).output().unwrap());
    assert!(ran.stderr.contains("`integrate: pull-request` needs `glab` on PATH"), "{}", ran.stderr);
    let local = project.repo.path("agent/owners.yaml");
    let owners = std::fs::read_to_string(&local).unwrap();
    std::fs::write(&local, owners.replace("isolation: worktree", "isolation: none")).unwrap();
    let shared = project.run(&["exec"], 65);
    assert!(shared.stderr.contains("needs `isolation: worktree`"), "{}", shared.stderr);
    std::fs::write(&local, owners).unwrap();
    project.repo.git(&["remote", "remove", "origin"]);
    let alone = project.run(&["exec"], 5);
    assert!(alone.stderr.contains("a pull request needs a remote"), "{}", alone.stderr);
    assert!((ran.status, project.called()) == (5, String::new()));
    assert!(!project.repo.path(".git/canonry/attempts/build/a.1.log").exists());
}

#[test]
fn another_owner_goes_on_at_a_usage_limit() {
    let owners = "default:\n  - {argv: [sh, AGENT, first], isolation: worktree, retries: 0}\n  - {argv: [sh, AGENT, second], isolation: worktree}\n";
    let repo = project(TWO, owners);
    let who = format!("echo \"$CANONRY_STEP $1\" >>{}/who; ", repo.tmp().display());
    behave(&repo, "a", &format!("{who}limit\n{who}write out/a; success\n"));
    behave(&repo, "b", &format!("{who}write out/b; success\n"));
    let ran = run(&repo, &["exec", "--no-wait"], 0);
    assert_eq!(note(&repo, "who"), "a first\na second\nb second\n");
    assert!(ran.stderr.contains("a: attempt 1 does not count: usage limit, `sh` goes on"), "{}", ran.stderr);
    let first = report(&repo, "a", 1);
    assert_eq!((&first["cause"], &first["waiting_until"]), (&"usage_limit".into(), &Value::Null), "{first}");
    // The next run knows the limit.
    run(&repo, &["set", "b", "pending", "--reason", "again"], 0);
    behave(&repo, "b", &format!("{who}success\n{who}success\n{who}success\n"));
    run(&repo, &["exec"], 0);
    assert!(note(&repo, "who").ends_with("b second\nb second\n"), "{}", note(&repo, "who"));
    // All of them are at their limits.
    let repo = project(TWO, owners);
    behave(&repo, "a", "limit\nlimit\nlimit\n");
    let ran = run(&repo, &["exec", "--no-wait"], 2);
    assert!(ran.stdout.contains("2 attempts in this run; waiting until"), "{}", ran.stdout);
    assert_eq!(status(&repo, "a"), "pending");
    assert!(run(&repo, &["exec", "--no-wait"], 2).stdout.contains("0 attempts in this run"));
}

#[test]
fn a_worker_that_prints_nothing_is_warned_of_and_stopped() {
    let repo = project(TWO, "default: {argv: [sh, AGENT], isolation: worktree, idle_timeout: 2s, retries: 1}\n");
    behave(&repo, "a", "hang\nfor i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done; write out/a; success\n");
    let ran = run(&repo, &["exec"], 0);
    assert!(ran.stderr.contains("note: a: attempt 1 printed nothing for 1 s; it is stopped in"), "{}", ran.stderr);
    let first = report(&repo, "a", 1);
    assert_eq!(first["cause"], "timeout", "{first}");
    let error = "the worker printed nothing for 2 s; its last output: working on a";
    assert_eq!(first["error"], error, "{first}");
    assert!(read_if(&repo, ".git/canonry/attempts/build/a.2.prompt.md").contains(error));
}

#[test]
fn a_budget_of_tokens_starts_no_further_worker() {
    let repo = project(TWO, &format!("budget: {{tokens: 1000}}\n{WORKTREES}"));
    let usage = r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"done","usage":{"input_tokens":600,"output_tokens":500}}'"#;
    behave(&repo, "a", &format!("failure no\nwrite out/a; success; {usage}\n"));
    let ran = run(&repo, &["exec"], 2);
    let words = "the limit of 1000 tokens (1100 reported, and 1 worker reported none) is reached";
    assert!(ran.stdout.contains(words), "{}", ran.stdout);
    assert_eq!((status(&repo, "a"), status(&repo, "b")), ("complete".to_owned(), "pending".to_owned()));
}

#[test]
fn a_terminal_shows_each_worker() {
    let repo = project(TWO, WORKTREES);
    behave(&repo, "a", "echo reading a.rs; sleep 2; write out/a; success\n");
    let shown = in_terminal(&repo, "run exec");
    assert!(shown.contains("a A #1 0:01  reading a.rs"), "{shown}");
}

/// The output of a command of canonry in a terminal.
pub fn in_terminal(repo: &Repo, args: &str) -> String {
    let line = format!("{} {args}", binary().display());
    let mut command = repo.command("script");
    let output = command.env("TERM", "xterm").args(["-qec", &line, "/dev/null"]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}
