//! Random walks through one run: workers, sessions, decisions and commits of people, and commands that are killed at any write or
//! find a full disk. Whatever the sequence, the journal only grows, every look at the run works, and in the end each step that is
//! done has one commit, each effect happened once, and nothing is left behind.
//!
//! `CANONRY_WALKS` sets the number of walks, `CANONRY_WALK_SEED` the first seed. A failure prints its seed and its commands.

use super::fan_out::BEST;
use crate::support::random::Random;
use crate::support::walk::{execute, interruption, kill_later, seeds};
use crate::support::workflow::{PASSED, WorkflowProject};
use serde_json::Value;
use std::fmt::Write as _;
use std::ops::Range;

/// Workers in the shared work tree, candidates, a gate that sends back, and an effect outside.
const FLOW: &str = "workflow: flow
workflow_version: 1.0.0
max_steps: 90
steps:
  build: {owner: A, prompt: Build it., COMMON, PASSES, next: [{goto: try}]}
  try:
    owner: A
    prompt: \"Try candidate-{{candidate}}.\"
    context_mode: explicit
    context_inputs: []
    timeout: 1m
    retry_strategy: parallel
    parallel_candidates: 2
    BEST
    on_all_failed: abort
    on_max_retries_exceeded: abort
    on_failure: abort
    output: {file: \"try/{{candidate}}.json\", schema: {passed: bool, error: string, score: number}}
    next: [{goto: sign_off}]
  announce:
    owner: A
    prompt: Announce it.
    context_mode: explicit
    context_inputs: []
    output: {schema: {passed: bool}}
    timeout: 1m
    effects: external
    idempotency: {marker: \"run {{run_id}}\"}
    on_failure: abort
    next: [{goto: end}]
gates:
  - {gate_id: sign_off, type: approval, trigger_condition: try.passed, message: Announce it?, options: [{value: yes, goto: announce}, {value: again, goto: build}], timeout: 1h, timeout_action: pause}
";
const SCRIPT: &str = "build write built.txt
build report-text {\"passed\": true}
try when candidate-1 write tried.txt one
try when candidate-1 report-text {\"passed\": true, \"error\": \"\", \"score\": 3}
try when candidate-2 write tried.txt two
try when candidate-2 report-text {\"passed\": true, \"error\": \"\", \"score\": 9}
announce effect EFFECTS run flow-1
announce report-text {\"passed\": true}
";
/// Writes of a command that an interruption may hit.
const WRITES: usize = 40;
/// Commands that may be needed to end a run that nothing disturbs.
const CALM: usize = 12;

struct Walk {
    project: WorkflowProject,
    random: Random,
    story: String,
    journal: String,
    notes: usize,
}

impl Walk {
    fn begin(seed: u64) -> Self {
        let project = WorkflowProject::new(&FLOW.replace("BEST", BEST), "");
        // The candidates have work trees of their own.
        let effects = project.repo.tmp().join("effects");
        project.script(&SCRIPT.replace("EFFECTS", effects.to_str().unwrap()));
        let project = project.committed().start();
        let random = Random::new(seed);
        Self { project, random, story: String::new(), journal: String::new(), notes: 0 }
    }

    fn execute(&mut self, args: &[&str]) -> Option<i32> {
        execute(self.project.command(args), None, &mut self.story)
    }

    fn disturbed(&mut self, args: &[&str]) {
        let interruption = interruption(&mut self.random, WRITES);
        execute(self.project.command(args), interruption.as_deref(), &mut self.story);
    }

    fn step(&mut self) {
        match self.random.below(14) {
            0..=4 => self.disturbed(&["exec"]),
            5 => kill_later(self.project.command(&["exec"]), &mut self.random, &mut self.story),
            6 | 7 => {
                let option = ["yes", "again", "again"][self.random.below(3)];
                self.disturbed(&["approve", "--option", option]);
            }
            8 => self.disturbed(&["next"]),
            9 => self.disturbed(&["next", "--take-over"]),
            10 => {
                let answer = ["{\"passed\": true, \"error\": \"\", \"score\": 5}", PASSED][self.random.below(2)];
                self.disturbed(&["finish", "--details", answer]);
            }
            11 => self.disturbed(&["exec", "--restart"]),
            12 => self.disturbed(&["abort"]),
            // A killed command leaves git's lock, as git does. The next one removes it.
            _ if self.project.repo.exists(".git/index.lock") => {}
            _ => {
                self.notes += 1;
                let note = format!("note-{}", self.notes);
                self.project.repo.write(&note, "a person's\n");
                self.project.repo.git(&["add", &note]);
                self.project.repo.git(&["commit", "-qm", &note, "--", &note]);
                writeln!(self.story, "commit {note}").unwrap();
            }
        }
        self.look();
    }

    /// Everybody may look at any time, and what was written stays.
    fn look(&mut self) {
        let journal = self.project.file("events.jsonl");
        let whole = self.journal.rsplit_once('\n').map_or("", |(lines, _)| lines);
        assert!(journal.starts_with(whole), "{}", self.story);
        self.journal = journal;
        for args in [&["status", "flow-1"][..], &["log", "flow-1"]] {
            let ran = self.project.command(args).output().unwrap();
            assert_eq!(ran.status.code(), Some(0), "{}{}", self.story, String::from_utf8_lossy(&ran.stderr));
        }
    }

    /// Nothing disturbs any more, and people decide.
    fn finish(&mut self) {
        self.execute(&["next", "--take-over"]);
        for _ in 0..CALM {
            match self.execute(&["exec", "--take-over"]) {
                Some(0) => return self.assert_settled(),
                // Somebody aborted it.
                Some(1) => drop(self.execute(&["exec", "--restart"])),
                Some(3) => drop(self.execute(&["approve", "--option", "yes"])),
                _ => {}
            }
        }
        panic!("the run does not end:\n{}{}", self.story, self.project.file("log.txt"));
    }

    fn assert_settled(&self) {
        let Self { project, story, notes, .. } = self;
        let details =
            || format!("{story}{}{}", project.file("log.txt"), project.repo.git(&["log", "--oneline", "--graph"]));
        assert_eq!(project.repo.git(&["status", "--porcelain"]), "", "{}", details());
        let started = project.events("task_started");
        let ended = project.events("task_ended");
        let is_done = |task: &Value| ended.iter().any(|end| end["number"] == task["number"] && end["result"] == "done");
        let done = |step: &str| started.iter().filter(|task| task["step"] == step && is_done(task)).count();
        let commits = |file: &str| project.repo.git(&["log", "--no-merges", "--format=%h", "--", file]).lines().count();
        assert!(commits("built.txt") <= done("build"), "{}", details());
        assert!(commits("tried.txt") <= done("try"), "{}", details());
        assert_ne!(done("announce"), 0, "{}", details());
        let effects = std::fs::read_to_string(project.repo.tmp().join("effects")).unwrap_or_default();
        assert!(effects.lines().count() <= 1, "{}", details());
        for number in 1..=*notes {
            assert_eq!(project.repo.git(&["show", &format!("HEAD:note-{number}")]), "a person's", "{}", details());
        }
        // The log names each branch that is left, and why.
        let branches = project.repo.git(&["branch", "--format=%(refname:short)", "--list", "canonry/*"]);
        for branch in branches.lines() {
            assert!(project.file("log.txt").contains(branch), "{branch}: {}", details());
        }
        let trees = project.repo.git(&["worktree", "list"]);
        assert_eq!(trees.lines().count(), 1 + branches.lines().count(), "{trees}{}", details());
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
    walk(seeds(2), 10);
}

#[test]
#[ignore = "minutes; run by .ci/nightly"]
fn nightly_walks() {
    walk(seeds(60), 30);
}
