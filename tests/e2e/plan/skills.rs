//! The skills in the prompt of a step.

use super::run::{ONCE, SHARED, project};
use super::{read, run};
use crate::support::workflow::WorkflowProject;

const PLAN: &str = "steps:
  - {id: a, owner: A, criteria: c, commands: [\"Run: test -s out/a\"], files: [out/a]}
  - {id: review, owner: Security, deps: [a], criteria: c, commands: [\"Run: test -s out/review\"], files: [out/review]}
";

#[test]
fn a_prompt_has_the_skill_of_its_phase_and_of_its_role() {
    for (owners, rule) in [
        (ONCE, "Commit your work there, or leave it uncommitted: canonry commits the rest."),
        (SHARED, "Leave your changes uncommitted: canonry commits them once the commands of the step pass."),
    ] {
        let repo = project(PLAN, owners);
        repo.canonry(&["init", "--with", "workflow"]).expect(0);
        // The worker of these tests writes an empty error, which the team's schema refuses.
        repo.remove("agent/schemas");
        super::run::commit(&repo);
        run(&repo, &["exec"], 0);
        let first = read(&repo, ".git/canonry/attempts/build/a.1.prompt.md");
        let execute = read(&repo, "agent/skills/execute/SKILL.md");
        let body = execute.split("\n---\n").nth(1).unwrap().trim();
        assert!(first.contains(body), "{first}");
        assert!(!first.contains("skills/review/") && !first.contains("skills/security/"), "{first}");
        // The prompt and the skill have one rule.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
        assert!(words(&first).contains(&words(rule)), "{first}");
        assert!(words(body).contains(&words(rule)), "{body}");
        let second = read(&repo, ".git/canonry/attempts/build/review.1.prompt.md");
        for skill in ["execute", "review", "security"] {
            assert!(second.contains(&format!("`agent/skills/{skill}/SKILL.md`:")), "{skill}: {second}");
        }
    }
}

#[test]
fn a_task_of_a_workflow_has_the_skills_of_its_step_and_its_agent() {
    let flow = "name: flow\nsteps:\n  - {name: build, agent: A, prompt: Build.}\n  - {name: review, agent: Security, prompt: Look., end: true}\n";
    let project = WorkflowProject::new(flow, "");
    project.repo.canonry(&["init", "--with", "workflow"]).expect(0);
    let project = project.start();
    project.run(&["exec"], 0);
    let has = |task: u64, skill: &str| project.prompt(task).contains(&format!("`agent/skills/{skill}/SKILL.md`:"));
    assert_eq!(["execute", "review", "security"].map(|skill| has(1, skill)), [false; 3], "{}", project.prompt(1));
    assert_eq!(
        ["execute", "review", "security"].map(|skill| has(2, skill)),
        [false, true, true],
        "{}",
        project.prompt(2)
    );
}

#[test]
fn the_policy_names_the_skill() {
    let repo = project(PLAN, ONCE);
    repo.write("agent/policies/WORKFLOW.md", "| phase | skill |\n|---|---|\n| Execute | alpha |\n");
    repo.write("agent/skills/alpha/SKILL.md", "---\nname: alpha\ndescription: Ours.\n---\n\nBuild as we build.\n");
    super::run::commit(&repo);
    run(&repo, &["exec"], 0);
    assert!(read(&repo, ".git/canonry/attempts/build/a.1.prompt.md").contains("Build as we build."));
}
