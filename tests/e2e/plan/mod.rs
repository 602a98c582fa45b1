//! `canonry run` with plans: one module per command or two.

mod claim;
mod claim_remote;
mod clones;
mod decisions;
mod export;
mod gates;
mod guarantees;
mod hand_over;
mod kill;
mod new;
mod others;
pub mod people;
mod preflight;
mod protocols;
pub mod report;
mod run;
mod set;
mod shared;
pub mod show;
mod skills;
mod walk;
mod worker_sessions;

use crate::support::repo::{Ran, Repo};

const PLAN: &str = "agent/plans/login/plan.yaml";

/// Four steps in the style of people, with comments.
const TEXT: &str = "# The login.
steps:
  - id: schema   # first
    description: Create the table.
    owner: Backend-Agent
    criteria: The table exists.
    commands: [\"Run: true\"]
    files: [db/schema.sql]
    status: pending  # not started
  - id: api
    owner: Backend-Agent
    deps: [schema]
    criteria: [it answers]
  - {id: ui, owner: Frontend-Agent, deps: [schema], criteria: [it renders], status: \"pending\"}
  - id: docs
    owner: Docs-Agent
    deps: [api, ui]
    criteria: [it reads well]
";

fn repo() -> Repo {
    let repo = Repo::with_skill();
    repo.write(PLAN, TEXT);
    repo.commit_all("plan");
    repo
}

#[track_caller]
fn run(repo: &Repo, args: &[&str], status: i32) -> Ran {
    let ran = repo.canonry(&[&["run"], args].concat());
    assert_eq!(ran.status, status, "{args:?}:\n{}{}", ran.stdout, ran.stderr);
    ran
}

fn read(repo: &Repo, path: &str) -> String {
    std::fs::read_to_string(repo.path(path)).unwrap()
}

fn report(repo: &Repo, step: &str, attempt: u32, outcome: &str) {
    let text = format!(
        "{{\"step_id\": \"{step}\", \"outcome\": \"{outcome}\", \"details\": \"d\", \"artifacts\": [], \"timestamp\": \"2026-01-02T03:04:05Z\"}}\n"
    );
    repo.write(&format!("agent/reports/login/{step}.{attempt}.json"), &text);
}
