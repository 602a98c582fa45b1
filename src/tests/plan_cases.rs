//! Plans with known results.

use crate::canon::Blob;
use crate::canon::blob::BlobError;
use crate::canon::plan::Plan;
use crate::canon::schema::Schemas;
use crate::finding::{Finding, Severity};
use crate::rules::Profile;
use crate::syntax::RepoPath;
use crate::tests::files::Files;

/// The results for a plan: whether it passes, rule ids.
#[derive(Debug, PartialEq, Eq)]
struct PlanResult {
    passes: bool,
    rules: Vec<String>,
}

fn check(text: &str) -> PlanResult {
    let findings = findings(text);
    let mut rules: Vec<String> = findings.iter().map(|f| f.rule.to_owned()).collect();
    rules.dedup();
    PlanResult { passes: findings.iter().all(|f| f.severity < Severity::Error), rules }
}

fn findings(text: &str) -> Vec<Finding> {
    let mut files = Files::default();
    files.add("plan.yaml", text);
    let team = files.findings(Profile::Team);
    let severities = |of: &[Finding]| of.iter().map(|f| (f.rule, f.severity)).collect::<Vec<_>>();
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
        ("typo", fail, "plan-unknown-key", &["id: a, dependencies: [b], criteria: x", "id: b, criteria: x"]),
        ("extra key", pass, "plan-unknown-key", &["id: a, estimate: 2, criteria: x", "id: b, ticket: x1, criteria: x"]),
        ("no proof", pass, "plan-no-proof", &["id: a"]),
        ("bare command", fail, "plan-command-form", &["id: a, commands: [cargo test]"]),
        (
            "pending behind a blocked one",
            pass,
            "",
            &["id: a, status: blocked, criteria: x", "id: b, deps: [a], criteria: x"],
        ),
    ];
    for (name, passes, rules, lines) in table {
        let want = PlanResult { passes, rules: words(rules) };
        assert_eq!(check(&steps(lines)), want, "{name}");
    }
}

#[test]
fn messages_have_a_location_and_a_remedy() {
    let table = [
        (
            steps(&["id: a, deps: [c], criteria: x", "id: b, deps: [a], criteria: x", "id: c, deps: [b], criteria: x"]),
            "these steps depend on each other: a -> c -> b -> a",
            "a",
            "remove one of these dependencies",
        ),
        (
            steps(&["id: a, deps: [a], criteria: x"]),
            "`a` depends on itself: a -> a",
            "a",
            "remove one of these dependencies",
        ),
        (steps(&["id: 1, criteria: x"]), "`steps[0].id` must be a string, but is a number", "1", "quote it: \"1\""),
        (
            steps(&["id: api, criteria: x", "id: ui, deps: [apl], criteria: x"]),
            "`ui` depends on `apl`, but no step has that id",
            "apl",
            "did you mean `api`?",
        ),
        (
            steps(&["id: a, needs: [b], criteria: x"]),
            "unknown key `needs` in step `steps[0]`",
            "needs",
            "did you mean `deps`?",
        ),
        (
            steps(&["id: a, status: completed, criteria: x"]),
            "`steps[0].status` is `completed`, which is not a status",
            "completed",
            "did you mean `complete`? valid statuses are pending, in_progress, complete, blocked",
        ),
        (
            steps(&["id: a, commands: ['run: x']"]),
            "`steps[0].commands[0]` starts with neither `Run:` nor `Read:`",
            "'run: x'",
            "write the prefix as `Run:`",
        ),
    ];
    for (text, message, at, help) in table {
        let found = findings(&text);
        let [finding] = found.as_slice() else { panic!("{text}: {found:?}") };
        let draft = &finding.raw;
        let source = draft.location.source.as_ref().unwrap();
        assert_eq!((draft.message.as_str(), source.slice(draft.location.span)), (message, at));
        assert_eq!(draft.help.as_deref(), Some(help));
    }
}

#[test]
fn related_locations_explain_the_finding() {
    for (text, label, at) in [
        (steps(&["id: a, criteria: x", "id: a, criteria: y"]), "first used here", "a"),
        (
            steps(&[
                "id: a, parallel: true, files: [./f], criteria: x",
                "id: b, parallel: true, files: [f], criteria: x",
            ]),
            "`a` uses it here",
            "./f",
        ),
        (
            steps(&["id: a, status: blocked, criteria: x", "id: b, status: complete, deps: [a], criteria: x"]),
            "`a` is blocked",
            "blocked",
        ),
    ] {
        let found = findings(&text);
        let related = &found[0].raw.related[0];
        let source = related.location.source.as_ref().unwrap();
        assert_eq!((related.label.as_str(), source.slice(related.location.span)), (label, at));
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
    let by_schema = ["plan-schema", "plan-unknown-key", "plan-schema", "plan-command-form"];
    let found = findings(text);
    assert!(count >= 10, "{count}");
    assert_eq!(found.iter().filter(|f| by_schema.contains(&f.rule)).count(), count, "{found:#?}");
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
    let brief: Vec<_> = found.iter().map(|f| (f.rule, f.raw.message.as_str())).collect();
    assert_eq!(
        brief,
        [
            ("team-schema-violation", "the key `title` is missing (required by agent/schemas/plan-schema.json)"),
            ("plan-schema", "`steps` must be a list, but is a string"),
        ]
    );
}

#[test]
fn an_unreadable_plan_is_reported_with_its_reason() {
    let loops = BlobError::Loop { target: "plan.yaml".to_owned() };
    let plan = Plan::parse(RepoPath::from("plan.yaml"), Blob::Missing(loops), &Schemas::default());
    let found = crate::rules::check(&plan);
    let [(rule, draft)] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(*rule, "file-unreadable");
    assert_eq!(draft.message, "cannot read the plan: it is a link that leads back to itself (`plan.yaml`)");
}
