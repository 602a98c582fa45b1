//! `canonry check` of workflows: which files each view checks, and which earlier version they are compared with.

use crate::support::repo::Repo;
use serde_json::Value;
use std::path::Path;

const FILE: &str = "agent/workflows/notes.yaml";

/// The workflow of the valid fixtures, which has no findings.
fn whole() -> String {
    let fixture = "fixtures/rules/workflow-schema/valid-whole/agent/workflows/notes.yaml";
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture)).unwrap()
}

/// The same with a defect that one rule finds.
fn broken() -> String {
    whole().replace("timeout: 10m", "timeout: soon")
}

/// `path: rule` of each finding except mirror findings, in the printed order.
fn found(repo: &Repo, args: &[&str]) -> Vec<String> {
    let ran = repo.canonry(&[&["check", "--format", "json"], args].concat());
    let document: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|e| panic!("{args:?}: {e}: {}", ran.stderr));
    let findings = document["findings"].as_array().unwrap().iter();
    let brief = findings.map(|f| format!("{}: {}", f["path"].as_str().unwrap(), f["rule"].as_str().unwrap()));
    // The fixture has no templates, which is a warning.
    let is_other = |line: &String| !line.contains(": mirror-") && !line.ends_with(": workflow-missing-file");
    let brief: Vec<String> = brief.filter(is_other).collect();
    assert_eq!(ran.status, i32::from(!brief.is_empty()), "{args:?}: {}", ran.stdout);
    brief
}

fn no_timeout(path: &str) -> Vec<String> {
    vec![format!("{path}: workflow-schema")]
}

#[test]
fn each_view_has_its_own_findings() {
    let repo = Repo::with_synced_skill();
    repo.write(FILE, broken());
    repo.git(&["add", FILE]);
    repo.git(&["commit", "-qm", "broken"]);
    repo.write(FILE, whole().replace("workflow_version: 1.0.0", "workflow_version: 1.0.1"));
    repo.git(&["add", FILE]);
    repo.write(FILE, "- nothing\n");
    assert_eq!(found(&repo, &["--rev", "HEAD"]), no_timeout(FILE));
    assert_eq!(found(&repo, &["--staged"]), Vec::<String>::new());
    assert_eq!(found(&repo, &[]), [format!("{FILE}: workflow-schema")]);
    assert_eq!(found(&repo, &["--rev", "HEAD^"]), Vec::<String>::new());
}

#[test]
fn staging_other_files_does_not_check_workflows() {
    let repo = Repo::with_synced_skill();
    repo.write(FILE, broken());
    repo.git(&["add", FILE]);
    repo.git(&["commit", "-qm", "broken"]);
    repo.write("agent/plans/x/plan.yaml", "steps:\n- {id: a, owner: A, criteria: x}\n");
    repo.git(&["add", "agent/plans"]);
    assert_eq!(found(&repo, &["--staged"]), Vec::<String>::new());
}

#[test]
fn a_workflow_outside_the_canon_is_recognised_by_its_keys() {
    let repo = Repo::empty();
    let ci = "name: ci\non: push\njobs:\n  test:\n    runs-on: x\n    steps:\n      - run: make\n";
    let listed = "name: w\nsteps:\n- {name: a, agent: A, next: gone}\n";
    for (path, text) in [
        ("flows/odd-name.yaml", broken().as_str()),
        ("flows/wf-notes.yaml", &broken()),
        ("flows/wf-ci.yaml", ci),
        ("flows/workflow.yml", listed),
        ("flows/wf-text.yaml", "a: [\n"),
        (".github/workflows/ci.yml", ci),
        ("plan.yaml", "steps:\n- {id: a, owner: A, criteria: x}\n"),
        ("todo.yaml", "steps:\n- {id: a, owner: A, deps: [b], criteria: x}\n"),
    ] {
        repo.write(path, text);
    }
    for path in ["flows/odd-name.yaml", "flows/wf-notes.yaml"] {
        assert_eq!(found(&repo, &[path]), no_timeout(path), "{path}");
    }
    assert_eq!(found(&repo, &["flows/workflow.yml"]), ["flows/workflow.yml: workflow-unknown-target"]);
    assert_eq!(found(&repo, &["plan.yaml"]), Vec::<String>::new());
    assert_eq!(found(&repo, &["todo.yaml"]), ["todo.yaml: plan-unknown-dep"]);
    // In a folder, only files that are recognisable as workflows are checked.
    let of_folder = ["flows/wf-notes.yaml: workflow-schema", "flows/workflow.yml: workflow-unknown-target"];
    assert_eq!(found(&repo, &["flows"]), of_folder);
    assert_eq!(found(&repo, &["."]), of_folder);
}

#[test]
fn an_unrelated_yaml_file_has_one_finding() {
    let repo = Repo::with_synced_skill();
    let jobs: String =
        (0..50).map(|n| format!("  j{n}:\n    runs-on: x\n    steps: [{{run: make, name: n}}]\n")).collect();
    for (name, text) in [
        ("ci", format!("name: ci\non: push\njobs:\n{jobs}")),
        ("recipe", "version: 1\ntitle: x\nprompt: y\nparameters: [{key: a}]\n".to_owned()),
        ("graph", "workflow: {name: x}\nagents: [{name: a, routes: [{to: b}]}]\noutput: {x: y}\n".to_owned()),
        ("tasks", format!("steps:\n{}", "- {run: make, uses: x, with: y}\n".repeat(40))),
        ("empty", String::new()),
    ] {
        let path = format!("agent/workflows/{name}.yaml");
        repo.write(&path, &text);
        assert_eq!(found(&repo, &[&path]), [format!("{path}: workflow-schema")]);
    }
    repo.write("agent/workflows/templates/draft.yaml", "just: a template\n");
    assert_eq!(found(&repo, &[]).len(), 5);
}

#[test]
fn a_changed_workflow_needs_a_new_version() {
    let repo = Repo::empty();
    let bump = || vec![format!("{FILE}: workflow-version-bump")];
    let clean = Vec::<String>::new;
    repo.write("agent/AGENTS.md", "# Ours\n");
    repo.write(FILE, whole());
    // Before the first commit there is no earlier version.
    assert_eq!(found(&repo, &[FILE]), clean());
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "first"]);
    let changed = whole().replace("timeout: 10m", "timeout: 12m");
    repo.write(FILE, &changed);
    assert_eq!(found(&repo, &[FILE]), bump());
    assert_eq!(found(&repo, &[]), bump());
    assert_eq!(found(&repo, &["--staged"]), clean());
    repo.git(&["add", FILE]);
    assert_eq!(found(&repo, &["--staged"]), bump());
    repo.git(&["commit", "-qm", "unannounced"]);
    assert_eq!(found(&repo, &[FILE]), clean());
    assert_eq!(found(&repo, &["--rev", "HEAD"]), bump());
    assert_eq!(found(&repo, &["--rev", "HEAD^"]), clean());
    repo.write(FILE, changed.replace("1.0.0", "1.0.1").replace("score >= 7", "score >= 8"));
    assert_eq!(found(&repo, &[FILE]), bump());
    repo.write(FILE, changed.replace("1.0.0", "1.1.0").replace("score >= 7", "score >= 8"));
    assert_eq!(found(&repo, &[FILE]), clean());
}

#[test]
fn team_schemas_and_severities_apply_to_workflows() {
    let repo = Repo::empty();
    repo.write(FILE, whole());
    repo.write("agent/schemas/workflow-schema.json", r#"{"properties": {"max_steps": {"maximum": 10}}}"#);
    assert_eq!(found(&repo, &[]), [format!("{FILE}: team-schema-violation")]);
    repo.write(FILE, broken().replace("max_steps: 20", "max_steps: 9"));
    repo.write("agent/canonry.yaml", "rules:\n  workflow-schema: off\n");
    assert_eq!(found(&repo, &[]), Vec::<String>::new());
}

#[test]
fn a_linked_workflow_is_checked_by_its_destination() {
    let repo = Repo::with_synced_skill();
    repo.write("flows/notes.yaml", broken());
    std::fs::create_dir_all(repo.path("agent/workflows")).unwrap();
    std::os::unix::fs::symlink("../../flows/notes.yaml", repo.path(FILE)).unwrap();
    std::os::unix::fs::symlink("nowhere.yaml", repo.path("agent/workflows/gone.yaml")).unwrap();
    let want = ["agent/workflows/gone.yaml: file-unreadable", "agent/workflows/notes.yaml: workflow-schema"];
    assert_eq!(found(&repo, &[]), want);
}
