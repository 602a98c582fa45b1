//! Runs whose workflow changes while they are open.

use crate::support::workflow::{PASSED, WorkflowProject, says};

const FLOW: &str = "workflow: flow
workflow_version: 1.2.3
max_steps: 9
steps:
  one: {owner: A, prompt: First., COMMON, PASSES, next: [{goto: two}]}
  two: {owner: A, prompt: Second., COMMON, PASSES, next: [{goto: end}]}
";

fn version(number: &str) -> String {
    FLOW.replace("1.2.3", number).replace("Second.", "Other.")
}

fn structure(number: &str) -> String {
    version(number).replace(
        "[{goto: end}]}",
        "[{goto: three}]}\n  three: {owner: A, prompt: Third., COMMON, PASSES, next: [{goto: end}]}",
    )
}

fn at_second_step() -> WorkflowProject {
    let project = WorkflowProject::new(FLOW, &format!("* report-text {PASSED}\n")).start();
    project.answer(PASSED, 0);
    project
}

#[test]
fn the_version_decides_how_a_run_is_resumed() {
    for (definition, prompt) in [
        (FLOW.to_owned(), Some("Second.")),
        (format!("# A comment.\n{FLOW}"), Some("Second.")),
        (version("1.2.4"), Some("Other.")),
        (version("1.3.0"), Some("Second.")),
        (structure("1.3.0"), Some("Second.")),
        (structure("1.2.4"), None),
        (version("1.2.3"), None),
        (version("2.0.0"), None),
        (version("1.2.2"), None),
        (version("0.9.0"), None),
    ] {
        let project = at_second_step();
        project.define(&definition);
        let journal = project.file("events.jsonl");
        match prompt {
            Some(prompt) => says(&project.run(&["next"], 0), &[prompt]),
            None => {
                let ran = project.run(&["next"], 65);
                says(&ran, &["--snapshot", "--restart", "--migrate"]);
                says(&project.run(&["exec"], 65), &["--snapshot", "--restart", "--migrate"]);
                assert_eq!(project.file("events.jsonl"), journal);
            }
        }
        assert!(project.file("events.jsonl").starts_with(&journal));
    }
}

#[test]
fn a_person_chooses_how_a_refused_run_goes_on() {
    for (option, prompt, steps) in [
        ("--snapshot", "Second.", &["one done", "two done"][..]),
        ("--migrate", "Other.", &["one done", "two done", "three done"]),
        ("--restart", "First.", &["one done", "one done", "two done", "three done"]),
    ] {
        let project = at_second_step();
        project.define(&structure("2.0.0"));
        project.run(&["exec", option], 0);
        assert!(project.prompt(2).contains(prompt), "{option}: {}", project.prompt(2));
        assert_eq!(project.steps(), steps, "{option}");
        assert_eq!(project.state()["end"]["end"], "complete", "{option}");
    }
}

#[test]
fn a_run_cannot_migrate_to_a_workflow_without_its_step() {
    let project = at_second_step();
    project.define(&structure("2.0.0").replace("two", "second"));
    says(&project.run(&["exec", "--migrate"], 65), &["`two`"]);
    project.run(&["exec", "--snapshot"], 0);
    assert!(project.prompt(2).contains("Second."), "{}", project.prompt(2));
}

#[test]
fn a_broken_or_missing_definition_leaves_the_snapshot() {
    let project = at_second_step();
    project.define("workflow: [");
    says(&project.run(&["exec"], 65), &["--snapshot"]);
    std::fs::remove_file(project.repo.path("agent/workflows/flow.yaml")).unwrap();
    says(&project.run(&["exec"], 65), &["--snapshot"]);
    project.run(&["exec", "--snapshot"], 0);
    assert_eq!(project.steps(), ["one done", "two done"]);
}
