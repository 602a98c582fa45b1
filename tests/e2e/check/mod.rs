//! `canonry check`: fixes, suppressions, the baseline, output formats, severities by path.

mod allow;
mod base;
mod baseline;
mod fix;
mod formats;
#[cfg(target_os = "linux")]
mod opened;
mod paths;
mod plan_forms;
mod pull_request;
mod report;
mod reports;
mod scope;
mod tool_files;

use crate::support::repo::{Ran, Repo};
use serde_json::Value;

const SKILL: &str = "agent/skills/triage-bug/SKILL.md";

/// A skill with these extra frontmatter lines and this body.
fn skill(front: &str, body: &str) -> String {
    format!(
        "---\nname: triage-bug\ndescription: Triages a bug report. Use when one comes in.\n{front}---\n\n# Triage\n\n{body}"
    )
}

fn with(text: &str) -> Repo {
    let repo = Repo::with_skill();
    repo.write(SKILL, text);
    repo
}

fn text(repo: &Repo) -> String {
    std::fs::read_to_string(repo.path(SKILL)).unwrap()
}

fn json(repo: &Repo, args: &[&str]) -> Value {
    let Ran { stdout, stderr, .. } = repo.canonry(&[&["check", "--format", "json"], args].concat());
    serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{e}: {stdout}{stderr}"))
}

fn rules(document: &Value) -> Vec<&str> {
    document["findings"].as_array().unwrap().iter().map(|f| f["rule"].as_str().unwrap()).collect()
}

fn summary(document: &Value, key: &str) -> u64 {
    document["summary"][key].as_u64().unwrap()
}
