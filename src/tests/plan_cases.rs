//! Plans with known results.

use crate::tests::files::Files;
use canonry_lint::Finding;
use canonry_lint::Profile;
use canonry_model::canon::Blob;
use canonry_model::canon::plan::Plan;
use canonry_model::canon::schema::Schemas;
use canonry_model::finding::Severity;
use canonry_text::RepoPath;

/// The results for a plan: whether it passes, rule ids.
#[derive(Debug, PartialEq, Eq)]
struct CheckedCase {
    passes: bool,
    rules: Vec<String>,
}

fn check(text: &str) -> CheckedCase {
    let findings = findings(text);
    let mut rules: Vec<String> = findings.iter().map(|f| f.rule.id.to_owned()).collect();
    rules.dedup();
    CheckedCase { passes: findings.iter().all(|f| f.severity < Severity::Error), rules }
}

fn findings(text: &str) -> Vec<Finding> {
    let mut files = Files::default();
    files.add("plan.yaml", text);
    let team = files.findings(Profile::Team);
    let severities = |of: &[Finding]| of.iter().map(|f| (f.rule.id, f.severity)).collect::<Vec<_>>();
    assert_eq!(
        severities(&team),
        severities(&files.findings(Profile::Spec)),
        "both profiles have the same findings for plans"
    );
    team
}

fn words(list: &str) -> Vec<String> {
    list.split(',').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// One step per line: `id status deps` and more keys in YAML flow style.
fn steps(lines: &[&str]) -> String {
    let lines = lines.iter().map(|line| format!("- {{owner: Coder, {line}}}\n"));
    format!("steps:\n{}", lines.collect::<String>())
}

#[test]
fn each_plan_has_the_expected_result() {
    let pass = true;
    let fail = false;
    let table: [(&str, bool, &str, &[&str]); 18] = [
        (
            "a line",
            pass,
            "",
            &["id: a, status: complete, criteria: x", "id: b, deps: [a], criteria: x", "id: c, deps: [b], criteria: x"],
        ),
        (
            "a diamond",
            pass,
            "",
            &[
                "id: a, status: complete, criteria: x",
                "id: b, deps: [a], parallel: true, files: [b.rs], criteria: x",
                "id: c, deps: [a], parallel: true, files: [c.rs], criteria: x",
                "id: d, deps: [b, c], criteria: x",
            ],
        ),
        ("a circle", fail, "plan-cycle", &["id: a, deps: [b], criteria: x", "id: b, deps: [a], criteria: x"]),
        ("itself", fail, "plan-cycle", &["id: a, deps: [a], criteria: x"]),
        ("unknown dep", fail, "plan-unknown-dep", &["id: a, criteria: x", "id: b, deps: [aa], criteria: x"]),
        ("number as id", pass, "plan-schema", &["id: 1, criteria: x", "id: b, deps: ['1'], criteria: x"]),
        ("id twice", fail, "plan-duplicate-id", &["id: a, criteria: x", "id: a, criteria: x"]),
        ("no status", fail, "plan-schema", &["id: a, status: done, criteria: x"]),
        ("too early", fail, "plan-order", &["id: a, criteria: x", "id: b, status: complete, deps: [a], criteria: x"]),
        (
            "in progress too early",
            fail,
            "plan-order",
            &["id: a, status: blocked, criteria: x", "id: b, status: in_progress, deps: [a], criteria: x"],
        ),
        (
            "overlap",
            fail,
            "plan-parallel-overlap",
            &["id: a, parallel: true, files: [f], criteria: x", "id: b, parallel: true, files: [f, g], criteria: x"],
        ),
        (
            "ordered",
            pass,
            "",
            &[
                "id: a, parallel: true, files: [f], criteria: x",
                "id: b, parallel: true, files: [f], deps: [a], criteria: x",
            ],
        ),
        ("escape", fail, "plan-path-escape", &["id: a, files: [../hosts], criteria: x"]),
        ("typo", fail, "plan-schema", &["id: a, dependencies: [b], criteria: x", "id: b, criteria: x"]),
        ("extra key", pass, "plan-schema", &["id: a, estimate: 2, criteria: x", "id: b, ticket: x1, criteria: x"]),
        ("no proof", pass, "plan-no-proof", &["id: a"]),
        ("bare command", fail, "plan-schema", &["id: a, commands: [cargo test]"]),
        (
            "pending behind a blocked one",
            pass,
            "",
            &["id: a, status: blocked, criteria: x", "id: b, deps: [a], criteria: x"],
        ),
    ];
    for (name, passes, rules, lines) in table {
        let want = CheckedCase { passes, rules: words(rules) };
        assert_eq!(check(&steps(lines)), want, "{name}");
    }
}

/// Every violation of the built-in schema is reported by exactly one rule.
#[test]
fn each_schema_violation_is_reported_by_exactly_one_rule() {
    let text =
        "owner: me\nsteps:\n- {id: 1, status: done, deps: x, note: y, commands: [ls, 3], files: ['']}\n- text\n- {}\n";
    let blob = Blob::Bytes(text.as_bytes().to_vec());
    let plan = Plan::parse(RepoPath::from("plan.yaml"), blob, &Schemas::default());
    let count = plan.document.unwrap().violations.len();
    let by_schema = ["plan-schema"];
    let found = findings(text);
    assert!(count >= 10, "{count}");
    assert_eq!(found.iter().filter(|f| by_schema.contains(&f.rule.id)).count(), count, "{found:#?}");
}

#[test]
fn a_team_schema_violation_names_the_schema_and_is_reported_once() {
    let mut files = Files::default();
    files.add(
        "agent/schemas/plan-schema.json",
        r#"{"required": ["title", "steps"], "properties": {"steps": {"type": "array"}}}"#,
    );
    files.add("plan.yaml", "steps: x\n");
    let found = files.findings(Profile::Team);
    let brief: Vec<_> = found.iter().map(|f| (f.rule.id, f.message.as_str())).collect();
    assert_eq!(
        brief,
        [
            ("team-schema-violation", "the key `title` is missing (required by agent/schemas/plan-schema.json)"),
            ("plan-schema", "`steps` must be a list, but is a string"),
        ]
    );
}
