//! Claims that two clones share through a remote.

use super::claim::{assert_one_won, claims, foreign, rivals};
use super::{PLAN, TEXT, read, run};
use crate::support::failpoints::{failpoints_of, kill_command};
use crate::support::repo::{Ran, Repo};
use serde_json::json;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

/// A bare repository and two clones that share claims through it.
struct Team {
    /// The first clone, whose temporary folder has everything else.
    one: Repo,
    two: PathBuf,
    bare: PathBuf,
}

impl Team {
    fn new() -> Self {
        let one = Repo::with_skill();
        one.write(PLAN, TEXT);
        one.write("agent/canonry.yaml", "plans: {remote: origin, claim_ttl: 10m}\n");
        one.git(&["add", "-A"]);
        one.git(&["commit", "-qm", "plan"]);
        let top = one.tmp().parent().unwrap().to_owned();
        let bare = top.join("bare.git");
        let two = top.join("two");
        one.git(&["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
        // A relative URL, which starts at the top of the work tree.
        one.git(&["remote", "add", "origin", "../bare.git"]);
        one.git(&["clone", "-q", bare.to_str().unwrap(), two.to_str().unwrap()]);
        Self { one, two, bare }
    }

    /// canonry in the second clone.
    fn second(&self, args: &[&str]) -> Command {
        let mut command = self.one.canonry_command();
        command.current_dir(&self.two).arg("run").args(args);
        command
    }

    #[track_caller]
    fn in_second(&self, args: &[&str], status: i32) -> Ran {
        let ran = Ran::from(self.second(args).output().unwrap());
        assert_eq!(ran.status, status, "{args:?}:\n{}{}", ran.stdout, ran.stderr);
        ran
    }

    /// The references of a repository below `prefix`.
    fn references(&self, repo: &Path, prefix: &str) -> String {
        self.one.git(&["-C", repo.to_str().unwrap(), "for-each-ref", prefix])
    }
}

#[test]
fn one_clone_claims_and_the_other_waits() {
    let team = Team::new();
    let branches = team.references(&team.two, "refs/remotes");
    run(&team.one, &["claim", "schema", "--as", "w1"], 0);
    let ran = team.in_second(&["claim", "schema", "--as", "w2"], 4);
    assert!(ran.stderr.contains("`schema` is claimed by w1 (attempt 1)"), "{}", ran.stderr);
    assert!(team.in_second(&["show"], 0).stdout.contains("claimed by w1"));
    team.in_second(&["next", "--claim"], 4);
    assert!(team.in_second(&["release", "schema", "--as", "w2"], 4).stderr.contains("claimed by w1"));
    // Renewed there, it is renewed here.
    run(&team.one, &["claim", "schema", "--as", "w1"], 0);
    team.in_second(&["claim", "schema", "--as", "w2"], 4);
    let claims = "refs/canonry/claims";
    assert_eq!(team.references(&team.two, claims), team.references(&team.bare, claims));
    run(&team.one, &["release", "schema", "--as", "w1"], 0);
    assert_eq!(team.references(&team.bare, claims), "");
    team.in_second(&["claim", "schema", "--as", "w2"], 0);
    run(&team.one, &["claim", "schema", "--as", "w1"], 4);
    // Nothing but claims is exchanged.
    assert_eq!(team.references(&team.two, "refs/remotes"), branches);
    assert!(!team.two.join(".git/FETCH_HEAD").exists());
}

#[test]
fn one_of_many_rivals_in_two_clones_claims_a_step() {
    let team = Team::new();
    let first = |at: usize| {
        let mut command = team.one.canonry_command();
        command.args(["run", "claim", "schema", "--as", &format!("one{at}")]);
        command
    };
    let both = (0..4).flat_map(|at| [first(at), team.second(&["claim", "schema", "--as", &format!("two{at}")])]);
    assert_one_won(&rivals(both));
    assert_eq!(team.references(&team.bare, "refs/canonry/claims").lines().count(), 1);
}

#[test]
fn without_an_answer_from_the_remote_nothing_is_claimed() {
    let team = Team::new();
    run(&team.one, &["claim", "schema", "--as", "w1"], 0);
    std::fs::rename(&team.bare, team.bare.with_extension("away")).unwrap();
    for args in [&["claim", "schema"][..], &["next", "--claim"], &["release", "schema", "--as", "w1"]] {
        let ran = team.in_second(args, 4);
        assert!(ran.stderr.contains("claims go through the remote `origin`, which did not answer"), "{}", ran.stderr);
        assert_eq!(team.references(&team.two, "refs/canonry"), "");
    }
    // The holder keeps its claim, and commands that only read do not need the remote.
    run(&team.one, &["release", "schema", "--as", "w1"], 4);
    assert_eq!(claims(&team.one), ["refs/canonry/claims/login/schema w1"]);
    assert!(run(&team.one, &["show"], 0).stdout.contains("claimed by w1"));
    team.one.git(&["remote", "remove", "origin"]);
    let ran = run(&team.one, &["claim", "schema", "--as", "w1"], 4);
    assert!(ran.stderr.contains("the remote `origin`, which this clone does not have"), "{}", ran.stderr);
    team.one.write("agent/canonry.yaml", "plans: {}\n");
    run(&team.one, &["release", "schema", "--as", "w1"], 0);
}

#[test]
fn a_remote_that_refuses_the_reference_is_named() {
    let team = Team::new();
    let hook = team.bare.join("hooks/update");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let ran = run(&team.one, &["claim", "schema"], 4);
    assert!(ran.stderr.contains("the remote `origin` does not accept the claim on `schema`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hook declined"), "{}", ran.stderr);
    assert_eq!(claims(&team.one), Vec::<String>::new());
}

#[test]
fn a_late_worker_in_another_clone_is_fenced() {
    let team = Team::new();
    let reference = "refs/canonry/claims/login/schema";
    foreign(&team.one, reference, &json!({}));
    team.one.git(&["push", "-q", "origin", reference]);
    team.in_second(&["claim", "schema", "--as", "w2"], 4);
    // Seen ten minutes ago.
    let seen = team.two.join(".git/canonry/claims-seen");
    let text = std::fs::read_to_string(&seen).unwrap();
    std::fs::write(&seen, format!("2026-01-01T00:00:00Z {}", text.split_once(' ').unwrap().1)).unwrap();
    team.in_second(&["claim", "schema", "--as", "w2"], 0);
    let late = "login/schema/0123456789abcdef0123456789abcdef";
    let ran = run(&team.one, &["release", "schema", "--token", late], 4);
    assert!(ran.stderr.contains("was taken over by w2"), "{}", ran.stderr);
    assert_eq!(claims(&team.one), ["refs/canonry/claims/login/schema w2"]);
    assert_eq!(read(&team.one, PLAN), TEXT);
}

/// The user's hook is about commits, and would run for each claim.
#[test]
fn a_reopened_step_is_not_taken_by_a_clone_that_lacks_the_decision() {
    let team = Team::new();
    let report = r#"{"step_id": "schema", "outcome": "blocked", "details": "d", "error": "e", "artifacts": [], "timestamp": "2026-01-02T03:04:05Z"}"#;
    let worker = format!("cat >/dev/null; printf '%s' '{report}' >\"$CANONRY_REPORT\"");
    team.one.write("agent/owners.yaml", json!({"default": {"argv": ["sh", "-c", worker]}}).to_string());
    team.one.git(&["add", "-A"]);
    team.one.git(&["commit", "-qm", "owners"]);
    team.one.git(&["push", "-q", "origin", "HEAD"]);
    team.one.git(&["-C", team.two.to_str().unwrap(), "pull", "-q"]);
    run(&team.one, &["exec", "login", "schema"], 3);
    let decided = team.one.git(&["rev-parse", "--short=10", "HEAD"]);
    // An editor saves the plan as it was before, or a person tries the step again.
    team.one.write(PLAN, TEXT);
    run(&team.one, &["claim", "schema", "--as", "w1"], 0);
    run(&team.one, &["release", "schema", "--as", "w1"], 0);
    let ran = team.in_second(&["claim", "schema", "--as", "w2"], 4);
    assert!(ran.stderr.contains(&format!("`schema` has a result in commit {decided}")), "{}", ran.stderr);
    team.one.git(&["push", "-q", "origin", "HEAD"]);
    team.one.git(&["-C", team.two.to_str().unwrap(), "pull", "-q"]);
    std::fs::write(team.two.join(PLAN), TEXT).unwrap();
    team.in_second(&["claim", "schema", "--as", "w2"], 0);
    // A decision that was taken back by hand can be forgotten.
    team.in_second(&["release", "schema", "--as", "w2"], 0);
    team.one.git(&["reset", "-q", "--hard", "HEAD^"]);
    run(&team.one, &["claim", "schema", "--as", "w1"], 4);
    run(&team.one, &["release", "schema", "--as", "w1"], 0);
    run(&team.one, &["claim", "schema", "--as", "w1"], 0);
}

#[test]
fn a_step_that_was_finished_by_hand_is_not_taken_by_a_clone_that_lacks_the_commit() {
    for result in [&["--details", "done"][..], &["--blocked", "the database is down"]] {
        let team = Team::new();
        run(&team.one, &["claim", "schema"], 0);
        run(&team.one, &["set", "schema", "in_progress"], 0);
        run(&team.one, &[&["finish", "login", "schema"][..], result].concat(), 0);
        assert_eq!(team.one.git(&["status", "--porcelain"]), "");
        let decided = team.one.git(&["rev-parse", "--short=10", "HEAD"]);
        let ran = team.in_second(&["claim", "schema", "--as", "w2"], 4);
        assert!(ran.stderr.contains(&format!("`schema` has a result in commit {decided}")), "{}", ran.stderr);
        team.one.git(&["push", "-q", "origin", "HEAD"]);
        team.one.git(&["-C", team.two.to_str().unwrap(), "pull", "-q"]);
        team.in_second(&["claim", "schema", "--as", "w2"], 5);
    }
    // Nothing is decided by a failure.
    let team = Team::new();
    run(&team.one, &["claim", "schema"], 0);
    run(&team.one, &["set", "schema", "in_progress"], 0);
    run(&team.one, &["finish", "login", "schema", "--failed", "it does not compile"], 0);
    assert_eq!(team.one.git(&["status", "--porcelain"]), "");
    team.in_second(&["claim", "schema", "--as", "w2"], 0);
}

#[test]
fn hooks_of_the_clone_do_not_run() {
    let team = Team::new();
    let hook = team.one.path(".git/hooks/pre-push");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    run(&team.one, &["claim", "schema"], 0);
}

/// A question for a password or a host key would wait forever.
#[test]
fn nobody_is_asked() {
    let team = Team::new();
    let ssh = "sh -c 'echo asked: $GIT_TERMINAL_PROMPT $SSH_ASKPASS_REQUIRE >&2; exit 255'";
    team.one.git(&["config", "core.sshCommand", ssh]);
    team.one.git(&["remote", "set-url", "origin", "ssh://host.invalid/x"]);
    let ran = run(&team.one, &["claim", "schema"], 4);
    assert!(ran.stderr.contains("asked: 0 never"), "{}", ran.stderr);
    // Without the user's own ssh command.
    let bin = team.one.tmp().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::fs::write(bin.join("ssh"), "#!/bin/sh\necho options: \"$*\" >&2\nexit 255\n").unwrap();
    std::fs::set_permissions(bin.join("ssh"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    team.one.git(&["config", "--unset", "core.sshCommand"]);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let ran =
        Ran::from(team.one.canonry_command().env("PATH", path).args(["run", "claim", "schema"]).output().unwrap());
    assert!(ran.status == 4 && ran.stderr.contains("options: -o BatchMode=yes"), "{}", ran.stderr);
}

#[test]
fn a_killed_run_leaves_both_clones_with_the_claim_of_the_remote() {
    let team = Team::new();
    // A skill that just changed is not cached: the cache would be written by whichever run finds the skill old enough.
    let skill = File::options().write(true).open(team.one.path("agent/skills/release-notes/SKILL.md")).unwrap();
    skill.set_modified(SystemTime::now() - Duration::from_secs(60)).unwrap();
    let command = || {
        let mut command = team.one.canonry_command();
        command.args(["run", "claim", "schema", "--as", "w1"]);
        command
    };
    let failpoints = failpoints_of(command(), &team.one.tmp().join("failpoints"));
    assert!(failpoints.iter().any(|failpoint| failpoint.write == "push"), "{failpoints:?}");
    run(&team.one, &["release", "schema", "--as", "w1"], 0);
    let last = failpoints_of(command(), &team.one.tmp().join("failpoints-again"));
    run(&team.one, &["release", "schema", "--as", "w1"], 0);
    for failpoint in &last {
        kill_command(command(), failpoint);
        let remote = team.references(&team.bare, "refs/canonry/claims");
        assert!(remote.lines().count() <= 1, "{failpoint:?}: {remote}");
        // This clone never has a claim that the remote does not have.
        let here = team.references(&team.one.root, "refs/canonry/claims");
        assert!(here.is_empty() || here == remote, "{failpoint:?}: {here} {remote}");
        run(&team.one, &["claim", "schema", "--as", "w1"], 0);
        team.in_second(&["claim", "schema", "--as", "w2"], 4);
        run(&team.one, &["release", "schema", "--as", "w1"], 0);
    }
}

#[test]
fn a_silent_remote_is_given_up() {
    let team = Team::new();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("git://{}/x", listener.local_addr().unwrap());
    std::thread::spawn(move || listener.incoming().flatten().collect::<Vec<_>>());
    team.one.git(&["remote", "set-url", "origin", &url]);
    team.one.git(&["config", "http.lowSpeedTime", "1"]);
    let ran = run(&team.one, &["claim", "schema"], 4);
    assert!(ran.stderr.contains("the server said nothing for 1 s"), "{}", ran.stderr);
}
