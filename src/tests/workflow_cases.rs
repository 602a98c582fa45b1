//! Workflows with known findings.

use crate::tests::files::Files;
use canonry_lint::Finding;
use canonry_lint::{self as rules, Profile};
use std::path::Path;

const PATH: &str = "agent/workflows/case.yaml";

fn findings(text: &str) -> Vec<Finding> {
    let mut files = Files::default();
    files.add(PATH, text);
    let of_file = |profile| -> Vec<Finding> {
        files.findings(profile).into_iter().filter(|f| f.location.path.to_display() == PATH).collect()
    };
    let team = of_file(Profile::Team);
    let severities = |of: &[Finding]| of.iter().map(|f| (f.rule.id, f.severity)).collect::<Vec<_>>();
    assert_eq!(
        severities(&team),
        severities(&of_file(Profile::Spec)),
        "both profiles have the same findings for workflows"
    );
    team
}

/// Fixtures whose defect causes a second one, with the rules that report it.
const TWO_DEFECTS: &[(&str, &[&str])] =
    &[("workflow-schema/invalid-gate-incomplete-only-id", &["workflow-unreachable"])];

/// Most fixtures are workflows without the templates and policies that they name.
const WITHOUT_FILES: &str = "workflow-missing-file";

/// Each invalid fixture has exactly one defect, and valid fixtures have none.
#[test]
fn invalid_fixtures_have_one_defect() {
    let family = rules::FAMILIES.iter().find(|(family, _)| *family == "workflow").unwrap().1;
    let mut wrong = Vec::new();
    for rule in family {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/rules").join(rule.id);
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let name = format!("{}/{}", rule.id, entry.file_name().to_str().unwrap());
            let found = Files::from_disk(&entry.path()).findings(Profile::Team);
            let of_file = found.iter().filter(|f| f.location.path.to_display().starts_with("agent/workflows/"));
            let others = TWO_DEFECTS.iter().find(|(fixture, _)| *fixture == name).map_or(&[][..], |(_, rules)| rules);
            let extra: Vec<String> = of_file
                .filter(|f| f.rule.id != rule.id || name.contains("/valid-"))
                .filter(|f| !others.contains(&f.rule.id) && f.rule.id != WITHOUT_FILES)
                .map(|f| format!("{name}: {}: {}", f.rule.id, f.message))
                .collect();
            wrong.extend(extra);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const STEP: &str = "workflow: w\nworkflow_version: 1.0.0\nmax_steps: 9\nsteps:\n  a:\n    owner: A\n    context_mode: accumulate\n    \
                    timeout: 1m\n    on_failure: abort\n    output: {file: a.json, schema: {passed: bool, score: 'number[0..1]'}}\n    \
                    next: [{goto: end}]\n";

/// Each violation of the built-in schema is reported by exactly one rule: the general one, or a more specific one.
#[test]
fn each_schema_violation_is_reported_by_exactly_one_rule() {
    let text = "workflow: w\nworkflow_version: [1]\nmax_steps: x\nsteps:\n  a:\n    owner: [A]\n    context_mode: {}\n    \
                timeout: []\n    session: 7\n    retry_strategy: 1\n    max_retries: -1\n    feedback_mode: f\n    \
                on_max_retries_exceeded: abort\n    parallel_candidates: one\n    fan_in_strategy: 3\n    on_failure: abort\n    \
                output: {file: a.json, schema: {passed: bool}}\n    effects: [external]\n    next: [{goto: g}]\ngates:\n- gate_id: g\n  \
                type: x\n  trigger_condition: ''\n  message: '{{a}}'\n  options: [{value: v, goto: end, x: y}]\n  timeout: 3\n  \
                timeout_action: []\n";
    let workflow = canonry_model::canon::workflow::Workflow::parse(
        canonry_text::RepoPath::from(PATH),
        canonry_model::canon::Blob::Bytes(text.as_bytes().to_vec()),
        &canonry_model::canon::schema::Schemas::default(),
    );
    let violations = workflow.document.unwrap().violations;
    let found = findings(text);
    let gate = found.iter().filter(|f| f.message.starts_with("the gate `g` has no")).count();
    assert_eq!(gate, 1, "an empty value counts as missing: {found:#?}");
    for violation in violations.iter().filter(|v| !v.pointer.ends_with("trigger_condition")) {
        let about = found.iter().filter(|f| f.location.span == violation.span).count();
        assert_eq!(about, 1, "{violation:?}: {found:#?}");
    }
    assert!(violations.len() >= 15, "{}", violations.len());
}

/// Text that is not a workflow has one clear finding with a location in the text.
#[test]
fn malformed_input_has_one_finding() {
    let deep = format!("workflow: w\nsteps: {}{}", "[".repeat(200), "]".repeat(200));
    let deep_keys: String = (0..100).map(|at| format!("{}k:\n", " ".repeat(at))).collect();
    let bomb = format!(
        "a: &a [x, x, x, x, x, x, x, x, x]\n{}workflow: w\n",
        (b'b'..=b'i')
            .map(|c| format!("{0}: &{0} [{1}]\n", c as char, format!("*{}, ", (c - 1) as char).repeat(9)))
            .collect::<String>()
    );
    for (text, rules) in [
        ("", &["workflow-schema"][..]),
        ("# only a comment\n", &["workflow-schema"]),
        ("---\n", &["workflow-schema"]),
        ("- a\n- b\n", &["workflow-schema"]),
        ("just text", &["workflow-schema"]),
        ("42", &["workflow-schema"]),
        ("{}", &["workflow-schema"]),
        ("steps:\n", &["workflow-schema"]),
        ("workflow: w\nworkflow_version: 1.0.0\nsteps: 3\n", &["workflow-schema"]),
        ("workflow: w\nworkflow_version: 1.0.0\nsteps: []\n", &["workflow-schema"]),
        ("workflow: [\n", &["workflow-schema"]),
        ("workflow: w\n\tsteps: x\n", &["workflow-schema"]),
        ("workflow: w\0\nsteps: {}\n", &["workflow-schema"]),
        ("workflow: w\n---\nworkflow: v\n", &["workflow-schema"]),
        ("workflow: !!python/object x\n", &["workflow-schema"]),
        ("? [a]\n: b\n", &["workflow-schema"]),
        ("workflow: *nobody\n", &["workflow-schema"]),
        (&deep, &["workflow-schema"]),
        (&deep_keys, &["workflow-schema"]),
        (&bomb, &["workflow-schema"]),
    ] {
        let found = findings(text);
        let brief: Vec<&str> = found.iter().map(|f| f.rule.id).collect();
        assert_eq!(brief, rules, "{}", text.chars().take(60).collect::<String>());
        for finding in &found {
            assert!(finding.help.is_some(), "{finding:#?}");
            assert!(finding.location.span.end() <= text.len(), "{finding:#?}");
        }
    }
}

#[test]
fn crlf_and_a_byte_order_mark_do_not_move_findings() {
    let broken = STEP.replace("timeout: 1m", "timeout: soon");
    let line = |text: &str| findings(text)[0].location.position;
    for text in [broken.replace('\n', "\r\n"), format!("\u{feff}{broken}")] {
        assert_eq!((findings(&text).len(), line(&text)), (1, line(&broken)));
    }
}

#[test]
fn many_findings_with_one_cause_are_capped() {
    let steps = |count: usize| -> String {
        (0..count).map(|at| format!("- {{name: s{at}, agent: A, oops: 1, next: s{}}}\n", at + 1)).collect()
    };
    let count = |number: usize| {
        let found =
            findings(&format!("name: w\nsteps:\n{}- {{name: s{number}, agent: A, end: true}}\n", steps(number)));
        (found.len(), found.last().unwrap().message.clone())
    };
    assert_eq!(count(21).0, 21);
    assert_eq!(count(500), (21, "480 more findings like the 20 above; this is the first one".to_owned()));
}

#[test]
fn thousands_of_steps_are_checked() {
    let steps: String = (0..2_000)
        .map(|at| format!("- {{name: s{at}, agent: A, conditions: [{{keyword: BACK, goto: s0}}]}}\n"))
        .collect();
    let text = format!("name: w\nsteps:\n{steps}");
    let mut files = Files::default();
    files.add(PATH, &text);
    assert_eq!(files.findings(Profile::Team).iter().filter(|f| f.rule.id != "mirror-never-synced").count(), 1);
    // Unknown names are not compared with every other name.
    let steps: String = (0..1_000)
        .map(|at| {
            format!("  s{at}: {{owner: A, context_inputs: [t{at}.x], on_failure: u{at}, next: [{{goto: v{at}}}]}}\n")
        })
        .collect();
    assert!(findings(&format!("workflow: w\nsteps:\n{steps}")).len() > 100);
}
