//! `canonry bench`

use crate::support::repo::{Ran, Repo};
use insta::assert_snapshot;
use serde_json::Value;
use std::path::Path;

const LOGIN: &str = "task: Add a login form with a table for sessions.\nowners: [steady, moody]\nruns: 2\nmin_score: 0.8\nexpect:\n  \
                     steps: {min: 2, max: 4}\n  required:\n    - {name: table, words: [sessions table], owner: Backend}\n    \
                     - {name: form, words: [form]}\n  order: [table before form]\n  criteria: {every_step: true}\n  \
                     owners: [Backend, Frontend]\n";
const PLAN: &str = "steps:\n  - {id: db, description: Create the sessions table, owner: Backend, criteria: it exists}\n  \
                    - {id: ui, description: Write the form, owner: Frontend, deps: [db], criteria: it shows}\n";
const TRIGGERS: &str = "tests:\n  - {prompt: Draft the release notes, expect: release-notes}\n  \
                        - {prompt: What time is it in Lima?, expect: none, never: [release-notes]}\n";

fn repo() -> Repo {
    let repo = Repo::with_skill();
    repo.write("agent/benchmarks/login.yaml", LOGIN);
    repo.write("agent/benchmarks/triggers.yaml", TRIGGERS);
    repo
}

fn recorded() -> Repo {
    let repo = repo();
    let fenced = format!("This is the plan:\n\n```yaml\n{PLAN}```\n");
    let json = serde_json::json!({"type": "result", "result": fenced, "duration_ms": 1500}).to_string();
    repo.write("recorded/login/steady.1.json", &json);
    repo.write("recorded/login/steady.2.md", &fenced);
    repo.write("recorded/login/moody.1.md", fenced.replace(", deps: [db]", "").replace("Frontend", "Ops"));
    repo.write("recorded/login/moody.2.md", "I cannot plan this.\n");
    repo.write("recorded/triggers/steady.1.md", "release-notes\n");
    repo.write("recorded/triggers/steady.2.md", "`release-notes` could say it.\n");
    repo
}

fn run(repo: &Repo, args: &[&str], status: i32) -> Ran {
    let ran = repo.canonry(&[&["bench"], args].concat());
    assert_eq!(ran.status, status, "{args:?}:\n{}{}", ran.stdout, ran.stderr);
    ran
}

fn document(repo: &Repo, args: &[&str], status: i32) -> Value {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas/bench.schema.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let document = serde_json::from_str(&run(repo, &[args, &["--format", "json"]].concat(), status).stdout).unwrap();
    let errors: Vec<String> = validator.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
    document
}

#[test]
fn recorded_outputs_are_scored_alike_every_time() {
    let repo = recorded();
    let ran = run(&repo, &["--recorded", "recorded"], 1);
    assert_snapshot!("bench_recorded", ran.stdout);
    assert_eq!(run(&repo, &["--recorded", "recorded"], 1).stdout, ran.stdout);
    let document = document(&repo, &["login", "--recorded", "recorded", "--owner", "steady"], 0);
    let owner = &document["plans"][0]["owners"][0];
    assert_eq!((&owner["score"], &owner["runs"][0]["seconds"]), (&1.0.into(), &1.5.into()));
}

#[test]
fn trigger_tests_run_without_a_tool() {
    let repo = repo();
    assert_eq!(
        run(&repo, &["--triggers"], 0).stdout,
        "triggers  agent/benchmarks/triggers.yaml\n  skills match: 2 of 2 tests passed\n"
    );
    repo.append("agent/benchmarks/triggers.yaml", "  - {prompt: Bake a cake, expect: release-notes}\n");
    let failed = run(&repo, &["triggers"], 1).stdout;
    assert!(
        failed.ends_with("2 of 3 tests passed\n  failed: \"Bake a cake\": `release-notes` does not match\n"),
        "{failed}"
    );
    assert_eq!(document(&repo, &["--triggers"], 1)["triggers"][0]["passed"], 2);
}

/// A tool that writes into its folder, and answers with what is in `plan.txt`.
fn with_tool(script: &str) -> Repo {
    let repo = repo();
    repo.write("agent/owners.yaml", "owners:\n  tool: {argv: [sh, tool.sh], timeout: 20s}\n");
    repo.write("plan.txt", PLAN);
    repo.write("tool.sh", script);
    repo
}

#[test]
fn each_run_starts_in_a_fresh_copy_without_the_benchmarks() {
    let script = "cat > prompt.txt\ntest ! -e seen && test ! -e agent/benchmarks || exit 9\ntouch seen\n\
                  if grep -q 'sessions' prompt.txt; then cat plan.txt; else echo none; fi\n";
    let repo = with_tool(script);
    let document = document(&repo, &["--owner", "tool"], 1);
    let owner = &document["plans"][0]["owners"][0];
    assert_eq!((&owner["owner"], &owner["score"]), (&"tool".into(), &1.0.into()), "{document:#}");
    assert_eq!(owner["runs"].as_array().unwrap().len(), 2);
    let asked = &document["triggers"][1];
    assert_eq!((&asked["owner"], &asked["passed"]), (&"tool".into(), &1.into()));
    assert!(!repo.path("seen").exists() && !repo.path("prompt.txt").exists());
    assert_eq!(std::fs::read_dir(repo.tmp()).unwrap().count(), 0, "the copies are removed");
}

#[test]
fn a_plan_may_be_a_file_and_a_failure_has_a_reason() {
    let repo = with_tool("cp plan.txt plan.yaml; echo 'See plan.yaml.'\n");
    assert_eq!(document(&repo, &["login", "--owner", "tool", "--runs", "1"], 0)["plans"][0]["owners"][0]["score"], 1.0);
    repo.write("tool.sh", "echo 'usage limit reached' >&2; exit 3\n");
    let failed = run(&repo, &["login", "--owner", "tool", "--runs", "1"], 1);
    assert!(failed.stdout.contains("tool: run 1: exit status 3: usage limit reached\n"), "{}", failed.stdout);
    assert_eq!(failed.stderr, "Running tool: runs 1, minutes at most 1.\n");
}

#[test]
fn what_cannot_run_is_refused() {
    let repo = repo();
    for (args, message) in [
        (&["logn"][..], "error: there is no benchmark `logn`\n  help: did you mean `login`?\n"),
        (&["login", "--owner", "x"], "the owner `x` is unknown: there is no agent/owners.yaml"),
        (&["--recorded", "none"], "there is no folder none"),
    ] {
        let ran = run(&repo, args, 65);
        assert!(ran.stderr.contains(message), "{}", ran.stderr);
    }
    repo.write("agent/benchmarks/login.yaml", "task: a\n");
    assert!(run(&repo, &["login"], 65).stderr.contains("agent/benchmarks/login.yaml:1: the key `expect` is missing"));
    let none = Repo::with_skill();
    assert!(run(&none, &[], 65).stderr.contains("there are no benchmarks"));
}
