//! The forms of plans and reports that people and agents write: each is valid, or has a safe fix.

use super::{json, rules};
use crate::support::repo::Repo;

/// Numbers as ids, criteria as text, no goal.
const CURRENT: &str = "agent/plans/current_plan.yaml";
const PLAN: &str = "steps:
  - id: 1
    description: \"Show the list\"
    owner: \"Frontend\"
    deps: []
    criteria: \"The list has a row per order\"
    status: complete
  - id: 2
    description: \"Sort the list\"
    owner: \"Backend\"
    deps: [1]
    parallel: false
    criteria: \"The newest order comes first\"
    status: in_progress
    commands: [\"Run: true\", \"Read: docs/orders.md\"]
";

fn report(step: &str, more: &str) -> String {
    format!(
        r#"{{"step_id": "{step}", "outcome": "success", "details": "Done.", "artifacts": [{{"test": "tests/orders.py", "result": "PASSED in 0.2s"}}], "timestamp": "2026-02-03T10:00:00Z"{more}}}"#
    )
}

/// A canon with the scaffold's schemas.
fn canon() -> Repo {
    let repo = Repo::with_skill();
    for kind in ["plan", "report"] {
        let file = format!("schemas/{kind}-schema.json");
        let text =
            std::fs::read_to_string(format!("{}/crates/app/scaffold/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        repo.write(&format!("agent/{file}"), &text);
    }
    repo
}

fn found(repo: &Repo, args: &[&str]) -> Vec<String> {
    let document = json(repo, args);
    rules(&document).into_iter().filter(|rule| !rule.starts_with("mirror-")).map(str::to_owned).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn numbers_as_ids_have_a_safe_fix() {
    let repo = canon();
    repo.write(CURRENT, PLAN);
    repo.write("agent/reports/report_step1.json", report("1", ""));
    assert_eq!(found(&repo, &[]), ["plan-schema"; 3]);
    assert_eq!(repo.canonry(&["check", "--fix"]).status, 0);
    let text = std::fs::read_to_string(repo.path(CURRENT)).unwrap();
    assert_eq!(text, PLAN.replace("id: 1", "id: \"1\"").replace("id: 2", "id: \"2\"").replace("[1]", "[\"1\"]"));
    assert_eq!(found(&repo, &[]), NONE);
}

#[test]
fn reports_bind_by_their_content() {
    let repo = canon();
    repo.write(CURRENT, PLAN.replace("id: 1", "id: '1'").replace("id: 2", "id: '2'").replace("[1]", "['1']"));
    repo.write("agent/artifacts/step1.json", report("1", ""));
    repo.write("agent/artifacts/coverage.json", "{\"lines\": 80}\n");
    assert_eq!(found(&repo, &[]), NONE);
    // A flat report without an attempt counts as the first one.
    repo.write("agent/reports/report_step2.json", report("2", ""));
    repo.commit_all("plan");
    repo.canonry(&["run", "set", "2", "complete"]).expect(0);
    let ran = repo.canonry(&["run", "set", "2", "pending", "--reason", "the order is wrong"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    assert!(repo.path("agent/reports/current_plan/2.2.json").is_file(), "{}", ran.stdout);
    // With a second plan, the key `plan` decides.
    repo.write("agent/plans/other/plan.yaml", "steps:\n  - {id: '2', owner: A, description: d, criteria: c}\n");
    assert_eq!(found(&repo, &[]), ["report-step-mismatch", "plan-status-contradicted", "report-step-mismatch"]);
    repo.write("agent/artifacts/step1.json", report("1", ", \"plan\": \"current_plan\""));
    repo.write("agent/reports/report_step2.json", report("2", ", \"plan\": \"current_plan\""));
    assert_eq!(found(&repo, &[]), NONE);
}

#[test]
fn a_combined_report_counts_for_steps_without_a_report() {
    let repo = canon();
    repo.write(CURRENT, PLAN.replace("id: 1", "id: '1'").replace("id: 2", "id: '2'").replace("[1]", "['1']"));
    let combined = |plan: &str| {
        format!(r#"{{"plan": "{plan}", "outcome": "success", "reports": [{}, {}]}}"#, report("1", ""), report("2", ""))
    };
    repo.write("agent/reports/combined.json", combined("current_plan"));
    assert_eq!(found(&repo, &[]), NONE);
    repo.commit_all("plan");
    repo.canonry(&["run", "set", "2", "complete"]).expect(0);
    // An entry is validated as a report; a report on another plan counts for nothing here.
    repo.write("agent/reports/combined.json", combined("current_plan").replacen("\"Done.\"", "3", 1));
    assert_eq!(found(&repo, &[]), ["plan-status-contradicted", "report-schema"]);
    repo.write("agent/reports/combined.json", combined("csv-upload"));
    // The second step has a report of its own since it was completed.
    assert_eq!(found(&repo, &[]), ["plan-status-contradicted"]);
}

#[test]
fn yaml_schemas_apply() {
    let repo = Repo::with_skill();
    repo.write("agent/schemas/plan-schema.yaml", "type: object\nrequired: [steps, goal]\n");
    repo.write("agent/plans/order.json", "{\"steps\": [{\"id\": \"a\", \"owner\": \"A\", \"criteria\": \"c\"}]}\n");
    assert_eq!(found(&repo, &[]), ["team-schema-violation"]);
    assert_eq!(found(&repo, &["agent/schemas/plan-schema.yaml"]), NONE);
    assert!(repo.canonry(&["run", "show", "order"]).status == 0);
}

#[test]
fn named_files_of_other_kinds_are_left_alone() {
    let repo = canon();
    let files = [
        ("package.json", "{\"name\": \"x\", \"version\": \"1.0.0\", \"scripts\": {\"test\": \"jest\"}}"),
        ("tsconfig.json", "{\"compilerOptions\": {}}"),
        ("plan.json", "{\"format_version\": \"1.2\", \"resource_changes\": []}"),
        ("pipeline.yaml", "steps:\n  - script: make\n"),
        ("cloudbuild.yaml", "steps:\n  - {name: gcr.io/x, id: build, args: [a]}\n"),
        ("compose.yml", "services: {web: {image: x}}\n"),
        ("list.yaml", "- a\n"),
        ("broken.json", "{"),
        ("many.yaml", "a: 1\n---\nb: 2\n"),
    ];
    let mut args = vec![];
    for (path, text) in files {
        repo.write(path, text);
        args.push(path);
    }
    let document = json(&repo, &args);
    assert_eq!(rules(&document), NONE);
    assert_eq!(document["summary"]["files"], 0);
    assert_eq!(repo.canonry(&[&["check"], args.as_slice()].concat()).status, 0);
    // Content identifies plans, reports and schemas with any name.
    repo.write("todo.yaml", PLAN);
    repo.write("result.json", report("1", "").replace("\"Done.\"", "3"));
    repo.write("plan-schema.yaml", "type: 3\n");
    assert_eq!(found(&repo, &["todo.yaml"]), ["plan-schema"; 3]);
    assert_eq!(found(&repo, &["result.json"]), ["report-schema"]);
    assert_eq!(found(&repo, &["plan-schema.yaml"]), ["schema-invalid"]);
}

/// Steps are reported with the numbers that the plan has, and a combined report does not repeat what each one names.
#[test]
fn reports_with_numbers_count() {
    let repo = canon();
    repo.write(CURRENT, PLAN);
    repo.write("agent/artifacts/step1.json", report("1", "").replace("\"1\"", "1"));
    let entry = r#"{"step_id": 2, "outcome": "success", "details": "Done.", "timestamp": "2026-02-03T10:00:00Z"}"#;
    let combined = format!(r#"{{"plan": "current_plan", "outcome": "success", "reports": [{entry}]}}"#);
    repo.write("agent/artifacts/combined.json", combined);
    let document = json(&repo, &["agent/artifacts"]);
    let findings: Vec<_> =
        document["findings"].as_array().unwrap().iter().map(|finding| &finding["severity"]).collect();
    assert_eq!(findings, ["info", "info"], "{document:#}");
    repo.commit_all("plan");
    repo.canonry(&["run", "set", "2", "complete"]).expect(0);
    assert_eq!(repo.canonry(&["check", "--fix", "agent/artifacts"]).status, 0);
    assert_eq!(repo.text("agent/artifacts/step1.json"), report("1", ""));
    assert_eq!(found(&repo, &["agent/artifacts"]), NONE);
}

/// Numbers as ids are read as text, and the schema allows other keys: neither stops a command.
#[test]
fn numeric_ids_and_other_keys_stop_no_command() {
    let repo = canon();
    repo.write(
        CURRENT,
        "ticket: X-1\nsteps:\n- {id: 1, description: d, owner: Coder, estimate: 2, criteria: c, commands: ['Run: true']}\n\
         - {id: 2.5, description: d, owner: Coder, deps: [1], criteria: c, commands: ['Run: true']}\n",
    );
    repo.git(&["add", "-A"]);
    repo.git(&["commit", "-qm", "plan"]);
    let document = json(&repo, &["agent/plans"]);
    let severities: Vec<String> = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| format!("{} {}", finding["rule"].as_str().unwrap(), finding["severity"].as_str().unwrap()))
        .collect();
    let count = |what: &str| severities.iter().filter(|severity| *severity == what).count();
    assert_eq!((count("plan-schema info"), count("plan-schema warning")), (3, 2), "{severities:?}");
    assert_eq!(repo.canonry(&["check", "agent/plans"]).status, 0);
    let finish = ["run", "finish", "1", "--details", "Done."];
    for args in [&["run", "next"][..], &["run", "show"], &["run", "set", "1", "in_progress"], &finish] {
        let ran = repo.canonry(args);
        assert_eq!(ran.status, 0, "{args:?}: {}", ran.stderr);
    }
}

#[test]
fn configured_folders_hold_plans_and_reports() {
    let repo = Repo::with_skill();
    repo.write("agent/canonry.yaml", "plans: {roots: [docs/plans], reports: [docs/reports]}\n");
    repo.write(
        "docs/plans/order.yaml",
        "steps:\n  - {id: a, owner: A, criteria: c, status: in_progress}\n  - {id: b}\n",
    );
    repo.write("agent/plans/old.yaml", "steps:\n  - {id: b}\n");
    assert_eq!(found(&repo, &[]), ["plan-schema", "plan-no-proof"]);
    repo.write("docs/plans/order.yaml", "steps:\n  - {id: a, owner: A, criteria: c, status: in_progress}\n");
    repo.write("docs/reports/order/a.1.json", report("a", ""));
    assert_eq!(found(&repo, &[]), NONE);
    assert_eq!(repo.canonry(&["run", "set", "order", "a", "complete"]).status, 0);
    repo.write("agent/canonry.yaml", "plans: {roots: [../plans]}\n");
    assert_eq!(repo.canonry(&["check"]).status, 65);
}
