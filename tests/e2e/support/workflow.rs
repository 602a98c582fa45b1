//! A repository with a workflow whose workers are `fixtures/agent/fake-agent`.

use crate::support::repo::{Ran, Repo};
use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};

pub const AGENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/agent/fake-agent");
const PATH: &str = "agent/workflows/flow.yaml";
/// Keys that every step of a durable workflow has, and the smallest contract of its answer.
const COMMON: &str = "context_mode: explicit, context_inputs: [], timeout: 1m, on_failure: abort";
const PASSES: &str = "output: {schema: {passed: bool}}";
/// An answer that meets the contract.
pub const PASSED: &str = "{\"passed\": true}";

/// A repository with the workflow `flow`, and the script of its workers.
pub struct WorkflowProject {
    pub repo: Repo,
}

impl WorkflowProject {
    /// One owner for all roles.
    pub fn new(definition: &str, script: &str) -> Self {
        Self::with_owners(definition, script, "default: {argv: [AGENT], timeout: 1m}\n")
    }

    /// `AGENT` in the owners is the fake agent.
    pub fn with_owners(definition: &str, script: &str, owners: &str) -> Self {
        let project = Self::inline(definition);
        project.repo.write("agent/owners.yaml", owners.replace("AGENT", AGENT));
        project.script(script);
        project
    }

    /// No owners: the calling session does every step.
    pub fn inline(definition: &str) -> Self {
        let project = Self { repo: Repo::with_skill() };
        project.define(definition);
        project
    }

    /// Writes the workflow. `COMMON` and `PASSES` in it stand for what every durable step has, and outputs get a file.
    pub fn define(&self, definition: &str) {
        let definition = definition.replace("COMMON", COMMON).replace("PASSES", PASSES);
        let parts: Vec<&str> = definition.split("output: {schema").collect();
        let mut text = parts[0].to_owned();
        for (number, part) in parts[1..].iter().enumerate() {
            text.push_str(&format!("output: {{file: out-{number}.json, schema{part}"));
        }
        self.repo.write(PATH, &text);
    }

    pub fn script(&self, script: &str) {
        std::fs::write(self.repo.tmp().join("script"), script).unwrap();
    }

    /// `canonry run` with arguments.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = self.repo.canonry_command();
        command.arg("run").args(args).env("FAKE_AGENT_SCRIPT", self.repo.tmp().join("script"));
        command
    }

    #[track_caller]
    pub fn run(&self, args: &[&str], status: i32) -> Ran {
        let ran: Ran = self.command(args).output().unwrap().into();
        assert_eq!(ran.status, status, "{args:?}:\n{}{}", ran.stdout, ran.stderr);
        assert!(!ran.stderr.contains("internal error"), "{}", ran.stderr);
        ran
    }

    /// Waits until the worker of a step is at `once hang`: another one does not hang.
    #[track_caller]
    pub fn wait_for_hang(&self, step: &str) {
        let begin = Instant::now();
        while !self.repo.tmp().join(format!("once.{step}.hang")).exists() {
            assert!(begin.elapsed() < Duration::from_secs(20), "`{step}` does not hang");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Commits everything: candidates start from a commit.
    pub fn committed(self) -> Self {
        self.repo.commit_all("state");
        self
    }

    #[track_caller]
    pub fn start(self) -> Self {
        self.run(&["start", "flow", "--task", "Add a login"], 0);
        self
    }

    /// Begins the next step and answers it.
    #[track_caller]
    pub fn answer(&self, text: &str, status: i32) -> Ran {
        self.run(&["next"], 0);
        self.run(&["finish", "--details", text], status)
    }

    /// A file of the only run.
    pub fn file(&self, path: &str) -> String {
        let path = self.repo.path(&format!("agent/runs/flow-1/{path}"));
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    pub fn state(&self) -> Value {
        serde_json::from_str(&self.file("state.json")).unwrap()
    }

    /// The events of a kind, in order.
    pub fn events(&self, kind: &str) -> Vec<Value> {
        let journal = self.file("events.jsonl");
        let entries = journal.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        entries.filter(|entry| entry["event"] == kind).collect()
    }

    /// The steps that ended, as `step outcome`.
    pub fn steps(&self) -> Vec<String> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        self.events("step_ended")
            .iter()
            .map(|event| format!("{} {}", text(&event["step"]), text(&event["outcome"])))
            .collect()
    }

    /// The prompt of a task.
    pub fn prompt(&self, task: u64) -> String {
        self.file(&format!("tasks/{task}.prompt.md"))
    }
}

/// The error text of a run contains each of these.
#[track_caller]
pub fn says(ran: &Ran, words: &[&str]) {
    let all = format!("{}{}", ran.stdout, ran.stderr);
    words.iter().for_each(|word| assert!(all.contains(word), "`{word}` is not in:\n{all}"));
}
