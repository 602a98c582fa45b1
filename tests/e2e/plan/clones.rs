//! Two clones of one remote, whose runs are killed again and again.

use super::run::{WORKTREES, behave, commit, project, read_if};
use super::shared::second_clone;
use super::{read, run};
use crate::support::random::Random;
use crate::support::repo::{Ran, Repo};
use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::Duration;

/// Steps of one plan.
const STEPS: usize = 8;
/// Half of the steps wait for one of the other half.
fn plan(number: usize) -> String {
    let step = |at: usize| {
        let id = format!("p{number}s{at}");
        let deps = if at < STEPS / 2 { String::new() } else { format!("    deps: [p{number}s{}]\n", at - STEPS / 2) };
        format!(
            "  - id: {id}\n    owner: A\n    parallel: true\n{deps}    criteria: c\n    files: [out/{id}]\n    \
             commands: [\"Run: test -s out/{id}\"]\n    status: pending\n"
        )
    };
    format!("steps:\n{}", (0..STEPS).map(step).collect::<String>())
}

struct Team {
    clones: [Repo; 2],
    plans: usize,
}

impl Team {
    fn new() -> Self {
        let first = project(&plan(0), WORKTREES);
        first.write("canonry.yaml", "plans: {remote: origin}\n");
        commit(&first);
        let second = second_clone(&first);
        let team = Self { clones: [first, second], plans: 1 };
        team.behave();
        team
    }

    /// Both clones have the same agent.
    fn behave(&self) {
        for at in 0..STEPS {
            let id = format!("p{}s{at}", self.plans - 1);
            behave(&self.clones[0], &id, &format!("sleep 0.2; write out/{id}; success\n").repeat(60));
        }
    }

    /// The id of the current plan.
    fn plan(&self) -> String {
        if self.plans == 1 { "build".to_owned() } else { format!("build{}", self.plans) }
    }

    fn start(&self) -> [Child; 2] {
        let id = self.plan();
        self.clones.each_ref().map(|clone| {
            let output = File::create(clone.tmp().join("output")).unwrap();
            let mut command = clone.canonry_command();
            command.args(["run", "exec", &id, "--workers", "2"]).process_group(0);
            command.stdout(output.try_clone().unwrap()).stderr(output).spawn().unwrap()
        })
    }

    /// Output of the last run in each clone.
    fn output(&self) -> String {
        self.clones.iter().map(|clone| std::fs::read_to_string(clone.tmp().join("output")).unwrap()).collect()
    }

    /// People pull and push between their runs. git refuses a pull while a killed run has left a change of the plan.
    fn exchange(&self) {
        for clone in &self.clones {
            clone.try_git(&["pull", "-q", "--no-rebase", "--no-edit"]);
            assert!(
                !clone.exists(".git/MERGE_HEAD"),
                "a pull conflicts:\n{}\n{}",
                clone.git(&["diff"]),
                clone.git(&["log", "--oneline", "--graph", "HEAD", "MERGE_HEAD"])
            );
            clone.try_git(&["push", "-q", "origin", "main"]);
        }
    }

    /// Executes the current plan to its end.
    fn finish(&self) {
        for round in 0.. {
            let ends: Vec<i32> =
                self.start().into_iter().map(|child| Ran::from(child.wait_with_output().unwrap()).status).collect();
            self.exchange();
            if ends == [0, 0] {
                break;
            }
            assert!(
                round < 10 && ends.iter().all(|end| [0, 4].contains(end)),
                "{ends:?}: {}{}",
                self.output(),
                self.clones.each_ref().map(|clone| clone.git(&["status", "--short", "--branch"])).join("\n")
            );
        }
        self.exchange();
    }

    /// A new plan in both clones.
    fn next_plan(&mut self) {
        self.finish();
        self.plans += 1;
        let [first, second] = &self.clones;
        first.write(&format!("agent/plans/{}/plan.yaml", self.plan()), plan(self.plans - 1));
        first.git(&["add", "agent/plans"]);
        first.git(&["commit", "-qm", "a new plan"]);
        first.git(&["push", "-q", "origin", "main"]);
        second.git(&["pull", "-q", "--no-rebase", "--no-edit"]);
        self.behave();
    }

    fn is_complete(&self) -> bool {
        let plan = read_if(&self.clones[0], &format!("agent/plans/{}/plan.yaml", self.plan()));
        plan.matches("status: complete").count() == STEPS
    }

    fn assert_settled(&self) {
        let [first, second] = &self.clones;
        assert_eq!(first.git(&["rev-parse", "HEAD^{tree}"]), second.git(&["rev-parse", "HEAD^{tree}"]));
        for id in (0..self.plans).flat_map(|number| (0..STEPS).map(move |at| format!("p{number}s{at}"))) {
            assert_eq!(read(first, &format!("out/{id}")), format!("{id}\n"));
            let effects = first.git(&["log", "--no-merges", "--format=%h", "--", &format!("out/{id}")]);
            assert_eq!(effects.lines().count(), 1, "{id}: {effects}");
            let reports = first.git(&["ls-files", &format!("agent/reports/*/{id}.*.json")]);
            let successes =
                reports.lines().filter(|path| read(first, path).contains("\"outcome\": \"success\"")).count();
            assert_eq!(successes, 1, "{id}: {reports}");
        }
        for clone in &self.clones {
            assert_eq!(clone.git(&["status", "--porcelain"]), "");
            let trees = clone.git(&["worktree", "list"]);
            assert_eq!(trees.lines().count(), 1, "{trees}");
            assert_eq!(clone.git(&["for-each-ref", "refs/canonry", "refs/heads/canonry"]), "");
            assert_eq!(folders(&clone.home().join(".local/state/canonry/worktrees"), 2), Vec::<PathBuf>::new());
            clone.git(&["fsck", "--no-dangling", "--connectivity-only"]);
        }
        assert_eq!(first.git(&["ls-remote", "origin", "refs/canonry/*", "refs/heads/canonry/*"]), "");
    }
}

/// The folders at this depth.
fn folders(folder: &Path, depth: usize) -> Vec<PathBuf> {
    let inside = folder.read_dir().into_iter().flatten().flatten().map(|entry| entry.path());
    let inside = inside.filter(|path| path.is_dir());
    if depth == 1 { inside.collect() } else { inside.flat_map(|path| folders(&path, depth - 1)).collect() }
}

/// Kills the whole group: no handler runs.
pub fn kill_group(repo: &Repo, child: &mut Child) {
    // The builtin: the program of procps takes `-12` for -1, which is every process.
    repo.command("bash").args(["-c", &format!("kill -KILL -- -{}", child.id())]).status().unwrap();
    child.wait().unwrap();
}

fn kill(count: usize, seed: u64) {
    let mut random = Random::new(seed);
    let mut team = Team::new();
    let mut kills = 0;
    while kills < count {
        let mut runs = team.start();
        for at in if random.below(2) == 0 { [0, 1] } else { [1, 0] } {
            std::thread::sleep(Duration::from_millis(random.below(1500) as u64));
            if runs[at].try_wait().unwrap().is_none() {
                kills += 1;
                kill_group(&team.clones[at], &mut runs[at]);
            }
        }
        team.exchange();
        if team.is_complete() {
            team.next_plan();
        }
    }
    team.finish();
    // Twice: what the second clone pushes, the first one knows in its next run.
    for clone in team.clones.iter().chain(&team.clones) {
        clone.git(&["pull", "-q", "--no-rebase", "--no-edit"]);
        run(clone, &["exec", "build"], 0);
        (2..=team.plans).for_each(|number| drop(run(clone, &["exec", &format!("build{number}")], 0)));
        clone.git(&["push", "-q", "origin", "main"]);
    }
    team.assert_settled();
}

#[test]
fn killed_runs_in_two_clones_end_in_one_tree() {
    kill(6, 7);
}

#[test]
#[ignore = "minutes: 60 kills; run by .ci/nightly"]
fn nightly_killed_runs_in_two_clones_end_in_one_tree() {
    kill(60, 2);
}
