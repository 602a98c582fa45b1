//! Random walks through one plan: workers, people who do and free steps, decide, commit and save older plans, and commands that
//! are killed at any write or find a full disk. Whatever the sequence, every look at the plan works, and in the end each step is
//! done once, and nothing is left behind.
//!
//! `CANONRY_WALKS` sets the number of walks, `CANONRY_WALK_SEED` the first seed. A failure prints its seed and its commands.

use super::run::{DIAMOND, SHARED, WORKTREES, project, statuses};
use crate::support::random::Random;
use crate::support::repo::Repo;
use crate::support::walk::{execute, interruption, kill_later, seeds};
use std::fmt::Write as _;
use std::ops::Range;
use std::process::Command;

const PLAN: &str = "agent/plans/build/plan.yaml";
const STEPS: [&str; 5] = ["base", "left", "right", "top", "gated"];
const GATED: &str = "  - {id: gated, owner: A, criteria: c, approval: true, commands: [\"Run: test -s out/gated\"], files: [out/gated]}\n";
/// Writes of a command that an interruption may hit.
const WRITES: usize = 50;
/// Commands that may be needed to end a run that nothing disturbs.
const CALM: usize = 20;

struct Walk {
    repo: Repo,
    random: Random,
    story: String,
    notes: usize,
    /// The plan as an editor has it.
    buffer: Option<String>,
}

impl Walk {
    fn begin(seed: u64) -> Self {
        let owners = if seed.is_multiple_of(2) { SHARED } else { WORKTREES };
        let repo = project(&format!("{DIAMOND}{GATED}"), owners);
        Self { repo, random: Random::new(seed), story: String::new(), notes: 0, buffer: None }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.repo.canonry_command();
        command.arg("run").args(args);
        command
    }

    fn execute(&mut self, args: &[&str]) -> Option<i32> {
        execute(self.command(args), None, &mut self.story)
    }

    fn disturbed(&mut self, args: &[&str]) -> Option<i32> {
        let interruption = interruption(&mut self.random, WRITES);
        execute(self.command(args), interruption.as_deref(), &mut self.story)
    }

    fn step(&mut self) {
        let step = self.random.pick(&STEPS);
        match self.random.below(16) {
            0..=4 => drop(self.disturbed(&["exec"])),
            5 | 6 => kill_later(self.command(&["exec"]), &mut self.random, &mut self.story),
            7 | 8 => self.work_by_hand(step),
            9 => drop(self.disturbed(&["approve", "gated", "--reason", "fine"])),
            10 => drop(self.disturbed(&["set", step, "pending"])),
            11 => drop(self.disturbed(&["release", step])),
            12 => {
                self.buffer = Some(self.repo.text(PLAN));
                writeln!(self.story, "an editor opens the plan").unwrap();
            }
            13 => {
                if let Some(buffer) = self.buffer.take() {
                    self.repo.write(PLAN, buffer);
                    writeln!(self.story, "an editor saves the plan").unwrap();
                }
            }
            14 => drop(self.disturbed(&["verify"])),
            // A killed command leaves git's lock, as git does. The next one removes it.
            _ if self.repo.exists(".git/index.lock") => {}
            _ => {
                self.notes += 1;
                let note = format!("note-{}", self.notes);
                self.repo.write(&note, "a person's\n");
                self.repo.git(&["add", &note]);
                self.repo.git(&["commit", "-qm", &note, "--", &note]);
                writeln!(self.story, "commit {note}").unwrap();
            }
        }
        for args in [&["status", "build"][..], &["show", "build"], &["log", "build"]] {
            let ran = self.repo.canonry(&[&["run"], args].concat());
            assert_eq!(ran.status, 0, "{}{args:?} {}", self.story, ran.stderr);
        }
    }

    fn work_by_hand(&mut self, step: &str) {
        if self.disturbed(&["claim", step]) != Some(0) || self.disturbed(&["set", step, "in_progress"]) != Some(0) {
            return;
        }
        self.repo.write(&format!("out/{step}"), format!("{step}\n"));
        self.disturbed(&["finish", "build", step, "--details", "by hand"]);
    }

    /// Nothing disturbs any more. People give up what they have not finished, and throw older plans away.
    fn finish(&mut self) {
        self.execute(&["exec"]);
        for step in STEPS {
            self.execute(&["set", step, "pending"]);
            self.execute(&["release", step]);
        }
        self.repo.try_git(&["checkout", "-q", "--", PLAN]);
        self.repo.try_git(&["clean", "-qfd", "out"]);
        self.repo.try_git(&["checkout", "-q", "--", "out"]);
        for _ in 0..CALM {
            match self.execute(&["exec"]) {
                Some(0) => return self.assert_settled(),
                Some(3) => drop(self.execute(&["approve", "gated", "--reason", "fine"])),
                _ => {}
            }
            for (step, status) in statuses(&self.repo) {
                if status == "blocked" {
                    self.execute(&["set", &step, "pending", "--reason", "again"]);
                }
            }
        }
        let state = self.repo.canonry(&["run", "status", "build"]);
        panic!("the plan does not end:\n{}{}", self.story, state.stdout);
    }

    fn assert_settled(&self) {
        let Self { repo, story, .. } = self;
        let details = || format!("{story}{}", repo.git(&["log", "--oneline", "--graph"]));
        // People commit what `verify` found.
        let verification = "agent/reports/build/verification.json";
        assert_eq!(repo.git(&["status", "--porcelain", "--", ".", &format!(":!{verification}")]), "", "{}", details());
        for step in STEPS {
            assert!(repo.text(&format!("out/{step}")).lines().all(|line| line == step), "{step}: {}", details());
        }
        for number in 1..=self.notes {
            assert_eq!(repo.git(&["show", &format!("HEAD:note-{number}")]), "a person's", "{}", details());
        }
        assert!(!repo.text(PLAN).contains("in_progress"), "{}", details());
        let plan = repo.git(&["show", &format!("HEAD:{PLAN}")]);
        assert_eq!(plan.matches("status: complete").count(), STEPS.len(), "{plan}{}", details());
        // A branch that is left has work that nobody took.
        let branches = repo.git(&["branch", "--format=%(refname:short)", "--list", "canonry/*"]);
        let trees = repo.git(&["worktree", "list"]);
        assert_eq!(trees.lines().count(), 1 + branches.lines().count(), "{trees}{branches}{}", details());
        assert_eq!(repo.git(&["for-each-ref", "refs/canonry"]), "", "{}", details());
    }
}

fn walk(seeds: Range<u64>, steps: usize) {
    for seed in seeds {
        eprintln!("seed {seed}");
        let mut walk = Walk::begin(seed);
        (0..steps).for_each(|_| walk.step());
        walk.finish();
    }
}

#[test]
fn walks() {
    walk(seeds(2), 8);
}

#[test]
#[ignore = "minutes; run by .ci/nightly"]
fn nightly_walks() {
    walk(seeds(60), 30);
}
