//! `canonry run show` and `canonry run next`

use super::{PLAN, TEXT, read, repo, report, run};
use crate::support::repo::Repo;
use insta::assert_snapshot;
use serde_json::Value;
use std::path::Path;

/// Runs a command and validates its JSON document.
pub fn valid(repo: &Repo, schema: &str, args: &[&str], status: i32) -> Value {
    let document = serde_json::from_str(&run(repo, &[args, &["--format", "json"]].concat(), status).stdout).unwrap();
    assert_valid(schema, &document);
    document
}

/// Validates a document with one of the published schemas.
pub fn assert_valid(schema: &str, document: &Value) {
    let schema = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas").join(schema)).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert!(jsonschema::meta::is_valid(&schema));
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator.iter_errors(document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{document:#}");
}

#[test]
fn a_plan_is_shown_with_what_each_step_waits_for() {
    let repo = repo();
    assert_snapshot!("plan_show", run(&repo, &["show"], 0).stdout);
    assert_snapshot!("plan_show_mermaid", run(&repo, &["show", "--format", "mermaid"], 0).stdout);
    let svg = run(&repo, &["show", "--format", "svg"], 0).stdout;
    assert!(svg.starts_with("<svg xmlns=") && svg.matches("<rect").count() == 4 && svg.ends_with("</svg>\n"), "{svg}");
    assert_snapshot!("plan_next", run(&repo, &["next"], 0).stdout);
}

#[test]
fn documents_match_their_schemas() {
    let repo = repo();
    let document = valid(&repo, "run-show.schema.json", &["show"], 0);
    let ready: Vec<bool> =
        document["steps"].as_array().unwrap().iter().map(|s| s["ready"].as_bool().unwrap()).collect();
    assert_eq!(ready, [true, false, false, false]);
    assert_eq!(document["steps"][3]["deps"], serde_json::json!(["api", "ui"]));
    let next = valid(&repo, "plan-next.schema.json", &["next"], 0);
    assert_eq!((&next["state"], &next["step"]["id"]), (&"ready".into(), &"schema".into()));
    assert_eq!(next["step"]["report"], "agent/reports/login/schema.1.json");
}

#[test]
fn next_says_why_nothing_is_ready() {
    let repo = repo();
    run(&repo, &["set", "schema", "in_progress"], 0);
    assert_eq!(run(&repo, &["next"], 0).stdout, "Nothing is ready; in progress: schema.\n");
    run(&repo, &["set", "schema", "blocked"], 0);
    let next = run(&repo, &["next"], 3).stdout;
    let again = "`canonry run set login schema pending --reason TEXT` tries it again";
    assert_eq!(next, format!("Nothing is ready; a person is needed:\n  schema: blocked; {again}\n"));
    // One's own claim.
    let repo = super::repo();
    run(&repo, &["next", "--claim"], 0);
    let ran = run(&repo, &["next", "--claim"], 4);
    assert!(
        ran.stderr.contains("you or another session of yours")
            && ran.stderr.contains("canonry run release login schema"),
        "{}",
        ran.stderr
    );
    let repo = super::repo();
    run(&repo, &["set", "schema", "in_progress"], 0);
    run(&repo, &["set", "schema", "blocked"], 0);
    assert_eq!(valid(&repo, "plan-next.schema.json", &["next"], 3)["waiting_for"], serde_json::json!(["schema"]));
    repo.write(PLAN, "steps: [{id: a, owner: A, criteria: c, status: complete}]\n");
    assert_eq!(run(&repo, &["next"], 0).stdout, "The plan is complete.\n");
    assert_eq!(valid(&repo, "plan-next.schema.json", &["next"], 0)["state"], "complete");
}

#[test]
fn a_whole_plan_is_worked_through() {
    let repo = repo();
    let mut order = Vec::new();
    loop {
        let next = valid(&repo, "plan-next.schema.json", &["next"], 0);
        let Some(step) = next["step"]["id"].as_str() else { break };
        run(&repo, &["set", step, "in_progress"], 0);
        report(&repo, step, 1, "success");
        run(&repo, &["set", step, "complete"], 0);
        order.push(step.to_owned());
    }
    assert_eq!(order, ["schema", "api", "ui", "docs"]);
    assert_eq!(read(&repo, PLAN).lines().count(), TEXT.lines().count() + 2);
}

#[test]
fn a_plan_is_named_by_a_path_too() {
    let repo = repo();
    repo.write("agent/plans/plan-7.yaml", "steps: [{id: a, owner: A, criteria: c}]\n");
    for name in ["plan-7", "agent/plans/plan-7.yaml", "./agent/plans/plan-7.yaml"] {
        assert!(run(&repo, &["show", name], 0).stdout.contains("agent/plans/plan-7.yaml"), "{name}");
        run(&repo, &["check", name], 0);
    }
    for name in ["login", "agent/plans/login", "agent/plans/login/plan.yaml"] {
        assert!(run(&repo, &["show", name], 0).stdout.contains("agent/plans/login/plan.yaml"), "{name}");
    }
    let ran = run(&repo, &["show", "agent/plans/logim/plan.yaml"], 65);
    assert!(ran.stderr.contains("there is no plan, workflow or run `agent/plans/logim/plan.yaml`"), "{}", ran.stderr);
}

#[test]
fn the_path_of_a_plan_elsewhere_names_the_setting() {
    let repo = Repo::with_skill();
    for path in ["plans/next.yaml", "plans/login/plan.yaml", "todo.yaml"] {
        repo.write(path, "steps: [{id: a, owner: A, criteria: c}]\n");
    }
    for (path, help) in [
        ("plans/next.yaml", "move it to agent/plans, or set `plans: {roots: [plans]}` in the config"),
        ("plans/login/plan.yaml", "move it to agent/plans, or set `plans: {roots: [plans]}` in the config"),
        ("todo.yaml", "move it to agent/plans\n"),
    ] {
        for command in ["show", "check"] {
            let ran = run(&repo, &[command, path], 65);
            assert!(ran.stderr.contains(&format!("{path} is in no folder with plans")), "{}", ran.stderr);
            assert!(ran.stderr.contains(help), "{}", ran.stderr);
        }
    }
    assert!(run(&repo, &["next"], 65).stderr.contains("in `plans.roots`"));
    repo.write("agent/canonry.yaml", "plans: {roots: [plans]}\n");
    run(&repo, &["check", "plans/next.yaml"], 0);
    run(&repo, &["show", "plans/login/plan.yaml"], 0);
    assert!(run(&repo, &["show", "todo.yaml"], 65).stderr.contains("move it to plans\n"));
}

#[test]
fn several_plans_need_a_name() {
    let repo = repo();
    repo.write("agent/plans/plan-7.yaml", "steps: [{id: a, owner: A, criteria: c}]\n");
    assert!(run(&repo, &["show"], 64).stderr.contains("the plans are login, plan-7"));
    assert!(run(&repo, &["show", "plan-7"], 0).stdout.contains("agent/plans/plan-7.yaml"));
    run(&repo, &["set", "plan-7", "a", "in_progress"], 0);
    // Reports on a plan without a folder of its own are in a folder with the name of its file.
    assert!(run(&repo, &["set", "plan-7", "a", "complete"], 5).stderr.contains("agent/reports/plan-7/a.1.json"));
    let ran = run(&repo, &["next", "logim"], 65);
    assert!(ran.stderr.contains("did you mean `login`?"), "{}", ran.stderr);
    repo.write("agent/plans/login/plan.json", "{\"steps\": []}\n");
    assert!(run(&repo, &["show", "login"], 65).stderr.contains("two files are the plan `login`"));
}

#[test]
fn without_a_plan_the_error_says_how_to_begin_one() {
    let repo = Repo::with_skill();
    assert!(run(&repo, &["next"], 65).stderr.contains("`canonry run new ID`"));
}

#[test]
fn broken_plans_are_not_used() {
    let repo = repo();
    let step =
        |more: &str| format!("steps:\n- {{id: a, owner: A, criteria: c}}\n- {{id: b, owner: A, criteria: c{more}}}\n");
    for (text, says) in [
        ("steps: [\n".to_owned(), "invalid YAML"),
        (step("").replace("id: b", "id: a"), "plan.yaml:3:8: the id `a` belongs to another step"),
        (step(", deps: [c]"), "plan.yaml:3:41: `b` depends on `c`"),
        (step(", deps: [b]"), "plan.yaml:3:"),
        (step(", deps: a"), "plan.yaml:3:40: `steps[1].deps`"),
        (step(", dep: [a]"), "plan.yaml:3:34:"),
        (step(", status: done"), "which is not a status"),
        ("steps: [x]\n".to_owned(), "plan.yaml:1:9:"),
    ] {
        repo.write(PLAN, &text);
        for args in [&["show"][..], &["next"], &["set", "a", "in_progress"]] {
            let ran = run(&repo, args, 65);
            assert!(ran.stderr.contains(says), "{text}: {}", ran.stderr);
            assert!(ran.stderr.contains("run `canonry check agent/plans/login/plan.yaml`"), "{}", ran.stderr);
        }
        assert_eq!(read(&repo, PLAN), text);
    }
}

#[test]
fn control_characters_are_escaped() {
    let repo = Repo::with_skill();
    repo.write(
        PLAN,
        "steps:\n- {id: \"a\\e[2J\", owner: \"O\\a\", description: \"d\\e[31m\\nx\", criteria: [\"c\\e\"], files: [\"f\\e\"]}\n",
    );
    for args in [
        &["show"][..],
        &["next"],
        &["show", "--format", "mermaid"],
        &["show", "--format", "svg"],
        &["report"],
        &["report", "--format", "html"],
        &["report", "--format", "markdown"],
        &["export", "--to", "json"],
        &["next", "--format", "json"],
    ] {
        let text = run(&repo, args, 0).stdout;
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{args:?}: {text:?}");
        assert!(text.contains("[2J") || text.contains("2J"), "{args:?}: {text:?}");
    }
    let ran = run(&repo, &["set", "a\u{1b}[2J", "blocked"], 5);
    assert!(!ran.stderr.contains('\u{1b}') && ran.stderr.contains("a<U+001B>[2J"), "{}", ran.stderr);
}
