//! `canonry run claim`, `run release` and `run next --claim`

use super::{PLAN, TEXT, read, repo, report, run};
use crate::plan::show::valid;
use crate::support::failpoints::{failpoints_of, kill_command};
use crate::support::repo::{Ran, Repo};
use serde_json::{Value, json};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// The reference of the claim on a step of the plan `login`.
fn reference(step: &str) -> String {
    format!("refs/canonry/claims/login/{step}")
}

/// All claims: references and holders.
pub fn claims(repo: &Repo) -> Vec<String> {
    let references = repo.git(&["for-each-ref", "--format=%(refname)", "refs/canonry/claims"]);
    let holder = |reference: &str| -> Value {
        serde_json::from_str::<Value>(&repo.git(&["cat-file", "blob", reference])).unwrap()["holder"].clone()
    };
    references.lines().map(|reference| format!("{reference} {}", holder(reference).as_str().unwrap())).collect()
}

/// Writes a claim as another worker would.
pub fn foreign(repo: &Repo, reference: &str, changes: &Value) -> String {
    let mut claim = json!({
        "schema": "canonry/claim/v1", "plan": "login", "step": "schema", "holder": "other", "host": "elsewhere",
        "boot": "another-boot", "process": null, "attempt": 1, "ttl": 600, "time": "2026-05-01T12:00:00Z", "renewals": 0,
        "nonce": "0123456789abcdef0123456789abcdef",
    });
    let changes = changes.as_object().unwrap().clone();
    claim.as_object_mut().unwrap().extend(changes);
    let mut git = repo.command("git");
    git.args(["hash-object", "-w", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut git = git.spawn().unwrap();
    git.stdin.take().unwrap().write_all(claim.to_string().as_bytes()).unwrap();
    let id = Ran::from(git.wait_with_output().unwrap()).stdout.trim().to_owned();
    repo.git(&["update-ref", reference, &id]);
    id
}

fn token(ran: &Ran) -> String {
    ran.stdout.lines().find_map(|line| line.strip_prefix("token: ")).unwrap().to_owned()
}

/// Runs command lines at the same time and returns their statuses.
pub fn rivals(commands: impl IntoIterator<Item = Command>) -> Vec<i32> {
    let start = |mut command: Command| command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let rivals: Vec<_> = commands.into_iter().map(start).collect();
    rivals.into_iter().map(|mut rival| rival.wait().unwrap().code().unwrap()).collect()
}

#[track_caller]
pub fn assert_one_won(statuses: &[i32]) {
    assert_eq!(statuses.iter().filter(|status| **status == 0).count(), 1, "{statuses:?}");
    assert!(statuses.iter().all(|status| [0, 4].contains(status)), "{statuses:?}");
}

#[test]
fn a_claim_is_shown_and_released_and_the_plan_stays() {
    let repo = repo();
    let ran = run(&repo, &["claim", "schema", "--as", "w1"], 0);
    assert!(ran.stdout.starts_with("claimed schema for w1 (attempt 1) until "), "{}", ran.stdout);
    assert!(ran.stdout.contains("start: canonry run set login schema in_progress\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("report: agent/reports/login/schema.1.json\n"), "{}", ran.stdout);
    let shown = run(&repo, &["show"], 0).stdout;
    assert!(shown.contains("ready, claimed by w1\n"), "{shown}");
    report(&repo, "api", 1, "failure");
    let shown = valid(&repo, "run-show.schema.json", &["show"], 0);
    let claim = &shown["steps"][0]["claim"];
    assert_eq!((&claim["holder"], &claim["attempt"], &claim["free"]), (&json!("w1"), &json!(1), &json!(false)));
    assert_eq!((&shown["steps"][1]["claim"], &shown["steps"][1]["attempts"]), (&Value::Null, &json!(1)));
    let ran = run(&repo, &["claim", "login", "schema", "--as", "w2"], 4);
    assert!(ran.stderr.contains("`schema` is claimed by w1 (attempt 1) since "), "{}", ran.stderr);
    assert!(run(&repo, &["release", "schema", "--as", "w2"], 4).stderr.contains("not by w2"));
    assert_eq!(run(&repo, &["release", "schema", "--as", "w1"], 0).stdout, "released schema\n");
    assert_eq!(run(&repo, &["release", "schema", "--as", "w1"], 0).stdout, "schema is not claimed\n");
    let taken = valid(&repo, "plan-claim.schema.json", &["claim", "schema", "--as", "w2", "--ttl", "2h"], 0);
    assert_eq!(
        (&taken["step"], &taken["status"], &taken["claim"]["attempt"]),
        (&json!("schema"), &json!("pending"), &json!(1))
    );
    run(&repo, &["release", "login", "schema", "--token", taken["claim"]["token"].as_str().unwrap()], 0);
    assert_eq!((read(&repo, PLAN), claims(&repo)), (TEXT.to_owned(), Vec::new()));
}

#[test]
fn a_named_worker_renews_its_claim_and_others_are_rivals() {
    let repo = repo();
    let first = token(&run(&repo, &["claim", "schema", "--as", "w1"], 0));
    let before = repo.git(&["rev-parse", &reference("schema")]);
    let second = run(&repo, &["claim", "schema", "--as", "w1"], 0);
    assert_eq!(first, token(&second));
    // Another object, from which other clones see that the worker is alive.
    assert_ne!(repo.git(&["rev-parse", &reference("schema")]), before);
    run(&repo, &["release", "schema", "--token", &first], 0);
    // Without a name, two terminals of one user are rivals.
    run(&repo, &["claim", "schema"], 0);
    run(&repo, &["claim", "schema"], 4);
    run(&repo, &["next", "--claim"], 4);
    run(&repo, &["release", "schema"], 0);
}

#[test]
fn only_steps_that_can_start_are_claimed() {
    let repo = repo();
    assert!(run(&repo, &["claim", "api"], 5).stderr.contains("`api` is not ready"));
    assert!(run(&repo, &["claim", "schem"], 65).stderr.contains("did you mean `schema`?"));
    assert!(run(&repo, &["release", "schem"], 65).stderr.contains("did you mean `schema`?"));
    for args in [
        &["claim", "schema", "--ttl", "30"][..],
        &["claim", "schema", "--ttl", "169h"],
        &["claim", "schema", "--as", " "],
        &["claim"],
        &["claim", "a", "b", "c"],
        &["next", "--as", "w1"],
        &["release", "schema", "--token", "x"],
        &["release", "schema", "--token", "login/api/0123456789abcdef0123456789abcdef"],
    ] {
        run(&repo, args, 64);
    }
    // A step in progress that nobody has claimed, or whose claim is free, is taken over.
    run(&repo, &["set", "schema", "in_progress"], 0);
    let ran = run(&repo, &["claim", "schema", "--as", "w1"], 0);
    assert!(!ran.stdout.contains("start:"), "{}", ran.stdout);
    run(&repo, &["claim", "schema", "--as", "w2"], 4);
    run(&repo, &["set", "schema", "blocked"], 0);
    assert!(run(&repo, &["claim", "schema", "--as", "w1"], 5).stderr.contains("`schema` is blocked"));
    assert_eq!(claims(&repo), ["refs/canonry/claims/login/schema w1"]);
}

#[test]
fn one_of_sixteen_rivals_claims_a_step() {
    for round in 0..3 {
        let repo = repo();
        let rival = |at: usize| {
            let mut command = repo.canonry_command();
            command.args(["run", "claim", "login", "schema"]);
            // In one round, all have the same default name.
            if round > 0 {
                command.args(["--as", &format!("w{at}")]);
            }
            command
        };
        assert_one_won(&rivals((0..16).map(rival)));
        assert_eq!(claims(&repo).len(), 1);
    }
}

#[test]
#[ignore = "many processes"]
fn nightly_one_of_sixteen_rivals_claims_a_step_in_a_thousand_rounds() {
    let repo = repo();
    let rival = |at: usize| {
        let mut command = repo.canonry_command();
        command.args(["run", "claim", "login", "schema", "--as", &format!("w{at}")]);
        command
    };
    for round in 0..1_000 {
        assert_one_won(&rivals((0..16).map(rival)));
        let holder = claims(&repo);
        let holder = holder[0].rsplit(' ').next().unwrap();
        run(&repo, &["release", "schema", "--as", holder], 0);
        if round % 100 == 50 {
            repo.git(&["gc", "-q", "--prune=now"]);
        }
    }
}

#[test]
fn rivals_get_different_steps() {
    let repo = Repo::with_skill();
    let step = |id: usize| format!("- {{id: s{id}, owner: A, criteria: c, parallel: true}}\n");
    repo.write(PLAN, format!("steps:\n{}", (0..4).map(step).collect::<String>()));
    let rival = |at: usize| {
        let mut command = repo.canonry_command();
        command.args(["run", "next", "--claim", "--as", &format!("w{at}")]);
        command
    };
    let statuses = rivals((0..8).map(rival));
    assert_eq!(statuses.iter().filter(|status| **status == 0).count(), 4, "{statuses:?}");
    assert!(statuses.iter().all(|status| [0, 4].contains(status)), "{statuses:?}");
    let claims = claims(&repo);
    assert_eq!(claims.len(), 4, "{claims:?}");
    let ran = run(&repo, &["next", "--claim", "--as", "late"], 4);
    assert!(ran.stderr.contains("4 steps are ready, but other workers have claimed all of them"), "{}", ran.stderr);
    // A worker that asks again gets the same step.
    let holder = claims[2].rsplit(' ').next().unwrap();
    let next = valid(&repo, "plan-next.schema.json", &["next", "--claim", "--as", holder], 0);
    assert_eq!((&next["step"]["id"], &next["step"]["claim"]["holder"]), (&json!("s2"), &json!(holder)));
}

#[test]
fn next_without_a_claim_takes_none() {
    let repo = repo();
    let next = valid(&repo, "plan-next.schema.json", &["next"], 0);
    assert_eq!((&next["step"]["claim"], claims(&repo).len()), (&Value::Null, 0));
    assert!(run(&repo, &["next", "--claim"], 0).stdout.contains("\ntoken: login/schema/"));
    run(&repo, &["set", "schema", "in_progress"], 0);
    assert_eq!(run(&repo, &["next", "--claim"], 0).stdout, "Nothing is ready; in progress: schema.\n");
}

#[test]
#[cfg(target_os = "linux")]
fn a_claim_is_free_when_its_holder_died_in_this_boot() {
    let repo = repo();
    let mut holder = Command::new("sleep").arg("100").spawn().unwrap();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", holder.id())).unwrap();
    let start: u64 = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().parse().unwrap();
    let process = json!({"pid": holder.id(), "start": start, "namespace": namespace.to_str().unwrap()});
    let now = run(&repo, &["claim", "schema", "--as", "x"], 0);
    let now = &now.stdout.split_once("until ").unwrap().1[..20];
    let claim = json!({"boot": boot.trim(), "process": process, "time": now, "ttl": 600});
    foreign(&repo, &reference("schema"), &claim);
    run(&repo, &["claim", "schema", "--as", "w1"], 4);
    // The same process in another container cannot be seen from here.
    let mut elsewhere = claim.clone();
    elsewhere["process"]["namespace"] = "pid:[1]".into();
    holder.kill().unwrap();
    holder.wait().unwrap();
    foreign(&repo, &reference("schema"), &elsewhere);
    run(&repo, &["claim", "schema", "--as", "w1"], 4);
    foreign(&repo, &reference("schema"), &claim);
    assert!(!run(&repo, &["show"], 0).stdout.contains("claimed by"));
    run(&repo, &["claim", "schema", "--as", "w1"], 0);
    assert_eq!(claims(&repo), ["refs/canonry/claims/login/schema w1"]);
}

#[test]
fn a_claim_from_elsewhere_is_free_after_its_time_to_live_on_this_clock() {
    let repo = repo();
    // The holder's clock says that it is long over, or far in the future: neither counts.
    for time in ["2001-01-01T00:00:00Z", "2099-01-01T00:00:00Z"] {
        foreign(&repo, &reference("schema"), &json!({"time": time}));
        let ran = run(&repo, &["claim", "schema", "--as", "w1"], 4);
        assert!(ran.stderr.contains("claimed by other (attempt 1)"), "{}", ran.stderr);
    }
    let seen = read(&repo, ".git/canonry/claims-seen");
    let (_, rest) = seen.split_once(' ').unwrap();
    repo.write(".git/canonry/claims-seen", format!("2026-01-01T00:00:00Z {rest}"));
    run(&repo, &["claim", "schema", "--as", "w1"], 0);
    // The late worker is fenced.
    let late = "login/schema/0123456789abcdef0123456789abcdef";
    let ran = run(&repo, &["release", "schema", "--token", late], 4);
    assert!(ran.stderr.contains("the claim on `schema` was taken over by w1"), "{}", ran.stderr);
    run(&repo, &["release", "schema", "--as", "w1"], 0);
    let ran = run(&repo, &["release", "schema", "--token", late], 4);
    assert!(ran.stderr.contains("no longer exists"), "{}", ran.stderr);
}

#[test]
fn objects_that_are_no_claims_are_respected() {
    let repo = repo();
    repo.write("x", "no claim");
    let id = repo.git(&["hash-object", "-w", "x"]);
    repo.git(&["update-ref", &reference("schema"), &id]);
    let ran = run(&repo, &["claim", "schema"], 4);
    assert!(ran.stderr.contains("claimed by a newer version of canonry"), "{}", ran.stderr);
    assert!(run(&repo, &["show"], 0).stdout.contains("claimed by a newer version"));
    assert_eq!(valid(&repo, "run-show.schema.json", &["show"], 0)["steps"][0]["claim"]["holder"], Value::Null);
    foreign(&repo, &reference("schema"), &json!({"holder": "a\u{1b}[2J"}));
    assert!(!run(&repo, &["claim", "schema"], 4).stderr.contains('\u{1b}'));
    assert!(!run(&repo, &["show"], 0).stdout.contains('\u{1b}'));
}

#[test]
fn every_id_and_packed_references_work() {
    let repo = Repo::with_skill();
    let ids = ["a", "a/b", "A", "b.lock", "a..b", "größe", "x y", "7"];
    let steps: String = ids.iter().map(|id| format!("- {{id: '{id}', owner: A, criteria: c}}\n")).collect();
    repo.write(PLAN, format!("steps:\n{steps}"));
    for id in ids {
        run(&repo, &["claim", id, "--as", "w1"], 0);
    }
    assert_eq!(claims(&repo).len(), ids.len());
    repo.git(&["pack-refs", "--all"]);
    let shown = valid(&repo, "run-show.schema.json", &["show"], 0);
    assert!(shown["steps"].as_array().unwrap().iter().all(|step| step["claim"]["holder"] == "w1"), "{shown:#}");
    for id in ids {
        run(&repo, &["claim", id, "--as", "w1"], 0);
        run(&repo, &["claim", id, "--as", "w2"], 4);
        run(&repo, &["release", id, "--as", "w1"], 0);
    }
    assert!(claims(&repo).is_empty());
}

#[test]
fn linked_work_trees_share_claims() {
    let repo = repo();
    repo.git(&["worktree", "add", "-q", "../tree"]);
    let tree = repo.tmp().parent().unwrap().join("tree");
    let claim = |name: &str| {
        Ran::from(
            repo.canonry_command().current_dir(&tree).args(["run", "claim", "schema", "--as", name]).output().unwrap(),
        )
    };
    assert_eq!(claim("w1").status, 0);
    run(&repo, &["claim", "schema", "--as", "w2"], 4);
    run(&repo, &["release", "schema", "--as", "w1"], 0);
    run(&repo, &["claim", "schema", "--as", "w2"], 0);
    assert_eq!(claim("w1").status, 4);
}

#[test]
fn a_killed_run_leaves_a_claim_or_none() {
    for held_before in [false, true] {
        let prepared = || {
            let repo = repo();
            if held_before {
                let claim = json!({"ttl": 1});
                let id = foreign(&repo, &reference("schema"), &claim);
                repo.write(".git/canonry/claims-seen", format!("2026-01-01T00:00:00Z {id} login/schema\n"));
            }
            repo
        };
        let command = |repo: &Repo| {
            let mut command = repo.canonry_command();
            command.args(["run", "claim", "schema", "--as", "w1"]);
            command
        };
        let complete = prepared();
        let failpoints = failpoints_of(command(&complete), &complete.tmp().join("failpoints"));
        assert!(failpoints.len() >= 2, "{failpoints:?}");
        let before = claims(&prepared());
        for failpoint in &failpoints {
            let repo = prepared();
            kill_command(command(&repo), failpoint);
            let now = claims(&repo);
            assert!(now == before || now == claims(&complete), "{failpoint:?}: {now:?}");
            assert_eq!(read(&repo, PLAN), TEXT);
            run(&repo, &["claim", "schema", "--as", "w1"], 0);
            run(&repo, &["claim", "schema", "--as", "w2"], 4);
        }
    }
}

#[test]
fn the_only_free_step_of_a_thousand_is_claimed() {
    let repo = Repo::with_skill();
    let step = |id: usize| format!("- {{id: s{id}, owner: A, criteria: c, parallel: true}}\n");
    repo.write(PLAN, format!("steps:\n{}", (0..1_000).map(step).collect::<String>()));
    let id = foreign(&repo, &reference("s0"), &json!({}));
    let create = |step: usize| format!("create {} {id}\n", reference(&format!("s{step}")));
    let mut git = repo.command("git");
    let mut git = git.args(["update-ref", "--stdin"]).stdin(Stdio::piped()).spawn().unwrap();
    let all: String = (1..999).map(create).collect();
    git.stdin.take().unwrap().write_all(all.as_bytes()).unwrap();
    assert!(git.wait().unwrap().success());
    let next = run(&repo, &["next", "--claim", "--as", "w1"], 0);
    assert!(next.stdout.contains("s999"), "{}", next.stdout);
    run(&repo, &["next", "--claim", "--as", "w2"], 4);
}
