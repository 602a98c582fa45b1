//! Clones that share a plan through a remote.

use super::run;
use super::run::{ONCE, WORKTREES, commit, project, read_if, status, wait_for};
use crate::support::failpoints::{failpoints_of, kill_command};
use crate::support::repo::{Ran, Repo};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Stdio;

/// A repository whose owners are the fake agent; `script` says what it does at each step.
fn faked(plan: &str, script: &str) -> Repo {
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/agent/fake-agent");
    let owners = "default: {argv: [FAKE], isolation: worktree}\n".replace("FAKE", &agent.display().to_string());
    let repo = project(plan, &owners);
    std::fs::write(repo.tmp().join("script"), script).unwrap();
    repo
}

fn execute(repo: &Repo, args: &[&str]) -> Ran {
    let script = repo.tmp().join("script");
    repo.canonry_command().arg("run").args(args).env("FAKE_AGENT_SCRIPT", script).output().unwrap().into()
}

const PLAN: &str = "steps:
  - {id: api, owner: Claude, criteria: c, commands: [\"Run: test -s api.txt\"], files: [api.txt]}
  - {id: ui, owner: Codex, deps: [api], criteria: c, commands: [\"Run: test -s ui.txt\"], files: [ui.txt]}
";

/// A second clone of a new bare remote.
pub(super) fn second_clone(first: &Repo) -> Repo {
    let remote = first.tmp().join("remote.git");
    first.git(&["init", "-q", "--bare", "-b", "main", remote.to_str().unwrap()]);
    first.git(&["remote", "add", "origin", remote.to_str().unwrap()]);
    first.git(&["push", "-q", "-u", "origin", "main"]);
    let second = Repo::without_git();
    second.git(&["clone", "-q", remote.to_str().unwrap(), "."]);
    for (key, value) in [("user.name", "B"), ("user.email", "b@example.com"), ("pull.rebase", "false")] {
        second.git(&["config", key, value]);
    }
    second
}

/// Each attempt at `a` takes the next line of the script, in whichever clone it is.
fn two_clones(owners: &str, script: &str) -> [Repo; 2] {
    let plan = "steps:\n  - {id: a, owner: A, criteria: c, commands: [\"Run: test -s out/a\"], files: [out/a]}\n";
    let first = project(plan, owners);
    first.write("canonry.yaml", "plans: {remote: origin}\n");
    commit(&first);
    let second = second_clone(&first);
    // The second clone has the same agent.
    super::run::behave(&first, "a", script);
    [first, second]
}

#[test]
fn attempts_of_two_clones_have_different_numbers() {
    let [first, second] = two_clones(WORKTREES, "limit\nwrite out/a; success\n");
    run(&first, &["exec", "--no-wait"], 2);
    // The report is not pushed, and nobody holds the step.
    run(&second, &["exec"], 0);
    second.git(&["push", "-q", "origin", "main"]);
    let reports = |repo: &Repo| {
        let mut names: Vec<String> = std::fs::read_dir(repo.path("agent/reports/build"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!((reports(&first), reports(&second)), (vec!["a.1.json".to_owned()], vec!["a.2.json".to_owned()]));
}

#[test]
fn a_pushed_result_is_not_repeated_by_a_clone_that_has_not_pulled() {
    let [first, second] = two_clones(ONCE, "write out/a; success\n");
    run(&first, &["exec"], 0);
    first.git(&["push", "-q", "origin", "main"]);
    // Forgets the claim, because the remote has the commit.
    run(&first, &["exec"], 0);
    let ran = run(&second, &["exec"], 4);
    assert!(ran.stdout.contains("`a` has a result on `origin`, which is not here"), "{}", ran.stdout);
    second.git(&["pull", "-q", "--ff-only"]);
    run(&second, &["exec"], 0);
}

#[test]
fn a_step_that_one_clone_blocked_waits_for_its_report() {
    let [first, second] = two_clones(ONCE, "blocked 'which file?'\nwrite out/a; success\n");
    run(&first, &["exec"], 3);
    let ran = run(&second, &["exec"], 4);
    assert!(ran.stdout.contains("`a` has a result in commit"), "{}", ran.stdout);
    first.git(&["push", "-q", "origin", "main"]);
    second.git(&["pull", "-q", "--ff-only"]);
    run(&second, &["set", "a", "pending", "--reason", "out/a"], 0);
    run(&second, &["exec"], 0);
}

#[test]
fn an_attempt_that_another_clone_overtook_is_given_up() {
    let [first, second] = two_clones(WORKTREES, "write out/a; hang\nwrite out/a; success\n");
    let mut killed = first.canonry_command();
    let mut killed = killed.args(["run", "exec"]).process_group(0).stderr(Stdio::null()).spawn().unwrap();
    wait_for(|| read_if(&first, ".git/canonry/attempts/build/a.1.log").contains("working"));
    super::clones::kill_group(&first, &mut killed);
    run(&second, &["exec"], 0);
    second.git(&["push", "-q", "origin", "main"]);
    // git does not overwrite the status that the killed run left.
    let pull = || first.try_git(&["pull", "-q", "--no-rebase", "--no-edit", "origin", "main"]).status.success();
    assert!(!pull());
    let ran = run(&first, &["exec"], 4);
    assert!(ran.stderr.contains("a: attempt 1 is given up: `a` has a result"), "{}", ran.stderr);
    assert_eq!((first.git(&["status", "--porcelain"]).as_str(), status(&first, "a").as_str()), ("", "pending"));
    assert!(pull());
    run(&first, &["exec"], 0);
    assert_eq!(first.git(&["for-each-ref", "refs/heads/canonry"]), "");
    assert_eq!(first.git(&["worktree", "list"]).lines().count(), 1);
}

/// A plan with comments of a person, in the index and in the work tree only.
#[test]
fn a_commit_has_the_status_of_its_own_step_only() {
    let repo = counted();
    let before = super::read(&repo, PLAN_FILE);
    repo.write(PLAN_FILE, format!("{before}# staged\n"));
    repo.git(&["add", PLAN_FILE]);
    repo.write(PLAN_FILE, format!("# not staged\n{before}# staged\n"));
    run(&repo, &["exec", "--workers", "4"], 0);
    let commits = repo.git(&["log", "--format=%H", "--no-merges", "--", PLAN_FILE]);
    let commits: Vec<&str> = commits.lines().collect();
    assert_eq!(commits.len(), 9);
    for commit in &commits[..8] {
        let changes = repo.git(&["show", "--format=", "-U0", commit, "--", PLAN_FILE]);
        let changes: Vec<&str> = changes.lines().filter(|line| line.starts_with(['+', '-'])).skip(2).collect();
        assert_eq!(changes, ["-    status: pending", "+    status: complete"]);
    }
    let changes = |args: &[&str]| {
        let diff = repo.git(&[&["diff", "-U0"], args].concat());
        diff.lines().filter(|line| line.starts_with(['+', '-'])).skip(2).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        (changes(&["--cached"]), changes(&[])),
        (vec!["+# staged".to_owned()], vec!["+# not staged".to_owned()])
    );
}

#[test]
fn a_kill_at_any_reference_lets_only_one_clone_do_the_work() {
    let script = "write out/a; success\n";
    let command = |repo: &Repo| {
        let mut command = repo.canonry_command();
        command.args(["run", "exec"]).stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let [whole, _] = two_clones(ONCE, script);
    let failpoints = failpoints_of(command(&whole), &whole.tmp().join("failpoints"));
    let references: Vec<_> = failpoints.iter().filter(|it| ["reference", "push"].contains(&&*it.write)).collect();
    assert!(references.len() > 3, "{failpoints:?}");
    for failpoint in references {
        let [first, second] = two_clones(ONCE, script);
        let effects = |repo: &Repo| repo.git(&["log", "--format=%h", "main", "--", "out/a"]).lines().count();
        kill_command(command(&first), failpoint);
        let said =
            [&second, &first].map(|repo| Ran::from(repo.canonry_command().args(["run", "exec"]).output().unwrap()));
        let said = said.map(|ran| format!("{}{}", ran.stdout, ran.stderr)).join("\n");
        assert_eq!(effects(&first) + effects(&second), 1, "{failpoint:?}: {said}");
    }
}

#[test]
fn two_clones_share_a_plan_through_a_bare_remote() {
    let first = faked(PLAN, "api write api.txt\napi report success\nui write ui.txt\nui report success\n");
    first.write("canonry.yaml", "plans: {remote: origin}\n");
    commit(&first);
    let second = second_clone(&first);
    let remote = first.tmp().join("remote.git");
    std::fs::copy(first.tmp().join("script"), second.tmp().join("script")).unwrap();
    // While the first clone works on the step, the second has nothing to do.
    let token = run(&first, &["claim", "api", "--as", "ann"], 0);
    assert!(token.stdout.contains("api"), "{}", token.stdout);
    let ran = execute(&second, &["exec"]);
    assert_eq!(ran.status, 4, "{}{}", ran.stdout, ran.stderr);
    run(&first, &["release", "api", "--as", "ann"], 0);
    let ran = execute(&first, &["exec", "api"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    first.git(&["push", "-q", "origin", "main"]);
    second.git(&["pull", "-q", "--ff-only"]);
    let ran = execute(&second, &["exec"]);
    assert_eq!(ran.status, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stdout.contains("2 of 2 steps complete, 1 attempt in this run"), "{}", ran.stdout);
    // A remote that does not answer means no claim.
    std::fs::rename(&remote, remote.with_extension("gone")).unwrap();
    run(&second, &["set", "ui", "pending", "--reason", "again"], 0);
    assert_eq!(execute(&second, &["exec"]).status, 4);
}

const PLAN_FILE: &str = "agent/plans/build/plan.yaml";

/// Eight steps that may run at the same time.
fn wide() -> String {
    let step = |at: usize| {
        format!(
            "  - id: s{at}\n    owner: A\n    parallel: true\n    criteria: c\n    files: [out/s{at}]\n    \
             commands: [\"Run: test -s out/s{at}\"]\n    status: pending\n"
        )
    };
    (0..8).map(step).collect()
}

fn effects(repo: &Repo) -> Vec<String> {
    let text = std::fs::read_to_string(repo.tmp().join("effects")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

fn together(runs: [std::process::Command; 2]) -> Vec<Ran> {
    let children = runs.map(|mut run| run.args(["run", "exec"]).spawn().unwrap());
    children.into_iter().map(|child| child.wait_with_output().unwrap().into()).collect()
}

/// The plan in a repository whose worker appends to the file of effects.
fn counted() -> Repo {
    let repo = project(&format!("steps:\n{}", wide()), "default: {argv: [sh, AGENT], isolation: worktree}\n");
    for at in 0..8 {
        let effects = repo.tmp().join("effects");
        let line = format!("echo s{at} >>{}; sleep 0.2; write out/s{at}; success\n", effects.display());
        super::run::behave(&repo, &format!("s{at}"), &line);
    }
    repo
}

#[test]
fn two_clones_with_a_remote_do_each_step_once() {
    let first = counted();
    first.write("canonry.yaml", "plans: {remote: origin}\n");
    commit(&first);
    let second = second_clone(&first);
    for ran in together([first.canonry_command(), second.canonry_command()]) {
        assert!([0, 4].contains(&ran.status), "{}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(effects(&first), (0..8).map(|at| format!("s{at}")).collect::<Vec<_>>());
    first.git(&["push", "-q", "origin", "main"]);
    second.git(&["pull", "-q", "--no-edit"]);
    let ran = run(&second, &["exec"], 0);
    assert!(ran.stdout.contains("8 of 8 steps complete, 0 attempts in this run"), "{}", ran.stdout);
    second.git(&["push", "-q", "origin", "main"]);
    run(&second, &["exec"], 0);
    assert_eq!(second.git(&["ls-remote", "origin", "refs/canonry/*"]), "");
}

#[test]
fn two_work_trees_of_a_clone_do_each_step_once() {
    let repo = counted();
    let other = repo.tmp().join("other");
    repo.git(&["worktree", "add", "-q", "-b", "other", other.to_str().unwrap()]);
    let mut second = repo.canonry_command();
    second.current_dir(&other);
    for ran in together([repo.canonry_command(), second]) {
        assert!([0, 4].contains(&ran.status), "{}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(effects(&repo), (0..8).map(|at| format!("s{at}")).collect::<Vec<_>>());
    // What one has done, the other does not repeat before it has the work.
    let ran = run(&repo, &["exec"], 4);
    assert!(ran.stdout.contains("has a result in commit"), "{}", ran.stdout);
    repo.git(&["merge", "-q", "-m", "both", "other"]);
    let ran = run(&repo, &["exec"], 0);
    assert!(ran.stdout.contains("8 of 8 steps complete, 0 attempts in this run"), "{}", ran.stdout);
    repo.command("git").args(["-C", other.to_str().unwrap(), "merge", "-q", "main"]).status().unwrap();
    run(&repo, &["exec"], 0);
    assert_eq!(repo.git(&["for-each-ref", "refs/canonry"]), "");
}
