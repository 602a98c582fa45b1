//! `.jdi/` of just-do-it, and the workflows of Spec Kit.

use crate::import::{assert_done, assert_kept, changes, json, left, taken};
use crate::support::repo::Repo;
use serde_json::Value;

const LISTED: &str = "\
name: ship
description: Build, review and finish
steps:
  - name: plan
    agent: planner
    prompt: |
      Write a plan for {{config.team}}.
      End with READY or STUCK.
    report:
      name: design
      format: |
        ## Design
      validation: \"READY|STUCK\"
    next: build
    conditions:
      - keyword: STUCK
        goto: plan
  - name: build
    agent: coder
    prompt: Build what reports/design.md says. Answer the findings of reports/checks_0.md.
    next: review
  - name: review
    parallel:
      - agent: reader
        prompt: Read the code. APPROVED or REJECTED.
      - agent: tester
        prompt: Run the tests. APPROVED or REJECTED.
    check: all
    report:
      name: checks
    next: finish
    conditions:
      - keyword: APPROVED
        goto: finish
      - keyword: REJECTED
        goto: build
  - name: finish
    agent: coder
    human: true
    prompt: Clean up.
    retries: 3
    end: true
";

const ROUTED: &str = "\
name: fix
steps:
  build:
    prompt: Fix it as .jdi/reports/{task_id}/nothing.md says.
    next:
      - goto: review
  review:
    parallel:
      - agent: reader
        prompt: Look at .jdi/reports/{task_id}/build.md.
      - agent: tester
        prompt: Test it.
    check: all
    next:
      - {if: GOOD, goto: end}
      - {if: BAD, goto: build}
      - goto: build
";

fn jdi() -> Repo {
    let repo = Repo::empty();
    let write = |path: &str, text: &str| repo.write(&format!(".jdi/{path}"), text);
    write("config.yaml", "task_skill: tasks\ndefault_workflow: ship.yaml\nteam: core\nteams: [a]\n");
    write("config.local.yaml", "verbose_logs: true\n");
    write(".gitignore", "status\n");
    write("workflows/ship.yaml", LISTED);
    write("workflows/fix.yml", ROUTED);
    write("workflows/notes.txt", "x\n");
    write("agents/reader.md", "---\nname: reader\ndescription: Reads code. Use for reviews.\n---\n\nRead.\n");
    write(
        "agents/tester.json",
        r#"{"name": "tester", "description": "Tests code: all of it.", "prompt": "Test.", "color": "red"}"#,
    );
    write("agents/limited.json", r#"{"description": "x", "prompt": "y", "tools": ["read"]}"#);
    write(
        "LESSONS.md",
        "## 2026-02-08 - Task #3, Step: review\n\n**Trigger:** REJECTED\n\n**Lesson:** Quote every path.\n\n## later\n\n**Lesson:** x\n",
    );
    write("reports/3/design.md", "# Design\n");
    write("status", "CONTINUE\n");
    write("tasks/001-a.yaml", "title: A\n");
    repo
}

#[test]
fn imports_workflows_agents_and_lessons_of_just_do_it() {
    let repo = jdi();
    let before = repo.tree();
    let document = json(&repo, &["--from", "jdi"], 0);
    assert_kept(&before, &repo.tree());
    let want = [
        ".jdi/LESSONS.md -> agent/memory/episodic/AGENT_LEARNINGS.jsonl",
        ".jdi/agents/reader.md -> agent/agents/reader.md",
        ".jdi/agents/tester.json -> agent/agents/tester.md",
        ".jdi/workflows/fix.yml -> agent/workflows/fix.yaml",
        ".jdi/workflows/ship.yaml -> agent/workflows/ship.yaml",
    ];
    assert_eq!(taken(&document), want, "{document:#}");
    assert_eq!(
        repo.text("agent/workflows/ship.yaml"),
        "\
name: ship
description: \"Build, review and finish\"
parameters:
  team: core
steps:
  - name: plan
    agent: planner
    prompt: templates/ship-plan.md
    report: design
    conditions:
      - {keyword: STUCK, goto: plan}
    next: build
  - name: build
    agent: coder
    prompt: templates/ship-build.md
    next: review
  - name: review
    report: checks
    parallel:
      - agent: reader
        prompt: templates/ship-review-0.md
      - agent: tester
        prompt: templates/ship-review-1.md
    check: all
    reject: [REJECTED]
    conditions:
      - {keyword: APPROVED, goto: finish}
      - {keyword: REJECTED, goto: build}
    next: finish
  - name: finish
    agent: coder
    prompt: templates/ship-finish.md
    human: true
    end: true
"
    );
    assert_eq!(
        repo.text("agent/workflows/templates/ship-plan.md"),
        "## Task\n\n{{task}}\n\n## Step\n\nWrite a plan for {{team}}.\nEnd with READY or STUCK.\n\n## Form of the report\n\n## Design\n"
    );
    assert_eq!(
        repo.text("agent/workflows/templates/ship-build.md"),
        "## Task\n\n{{task}}\n\n## Step\n\nBuild what the report `design` below says. Answer the findings of the report `checks` below.\n\n## Report checks\n\n{{report.checks}}\n\n## Report design\n\n{{report.design}}\n"
    );
    let ship = changes(&document, "agent/workflows/ship.yaml");
    assert!(ship.contains("line 13: `validation` has no counterpart"), "{ship}");
    assert!(ship.contains("line 41: `retries` has no counterpart and is left out"), "{ship}");
    assert_eq!(
        repo.text("agent/workflows/fix.yaml"),
        "\
name: fix
steps:
  build:
    agent: general-purpose
    prompt: templates/fix-build.md
    next:
      - {goto: review}
  review:
    parallel:
      - agent: reader
        prompt: templates/fix-review-0.md
      - agent: tester
        prompt: templates/fix-review-1.md
    check: all
    reject: [BAD]
    next:
      - {if: GOOD, goto: end}
      - {if: BAD, goto: build}
      - {goto: build}
"
    );
    let fix = changes(&document, "agent/workflows/fix.yaml");
    assert!(fix.contains("line 4: the prompt names reports/nothing.md, which no step writes"), "{fix}");
    assert_eq!(
        repo.text("agent/agents/tester.md"),
        "---\nname: \"tester\"\ndescription: \"Tests code: all of it.\"\n---\n\nTest.\n"
    );
    for (path, words) in [
        (".jdi/config.yaml", "`task_skill`, `default_workflow`"),
        (".jdi/config.yaml", "line 4: `teams` is a list"),
        (".jdi/config.local.yaml", "one person"),
        (".jdi/workflows/notes.txt", "only YAML files"),
        (".jdi/agents/limited.json", "its `tools` restricts it"),
        (".jdi/reports", "records of runs"),
        (".jdi/status", "records of runs"),
        (".jdi/tasks", "tasks of just-do-it"),
    ] {
        assert!(left(&document, path).iter().any(|text| text.contains(words)), "{path}: {:?}", left(&document, path));
    }
    assert_eq!(document["left"].as_array().unwrap().len(), 8, "{document:#}");
    let next = document["next"].to_string();
    assert!(next.contains("coder, general-purpose, planner, reader, tester in agent/owners.yaml"), "{next}");
    let lessons = changes(&document, "agent/memory/episodic/AGENT_LEARNINGS.jsonl");
    assert!(lessons.contains("line 7: left out"), "{lessons}");
    assert_done(&repo, &["--from", "jdi"]);
    assert_clean(&repo);
    repo.commit_all("imported");
    repo.canonry(&["dream", "--now", "2026-02-20"]).expect(0);
    // The log is the canon's own from now on.
    json(&repo, &["--from", "jdi"], 0);
}

/// `canonry check` finds nothing.
#[track_caller]
fn assert_clean(repo: &Repo) {
    let ran = repo.check(&["--format", "json"]);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["findings"], Value::Array(Vec::new()), "{document:#}");
}

const SPEC_KIT: &str = r#"schema_version: "1.0"
workflow:
  id: deliver
  name: Deliver
  version: "1.2.0"
  author: somebody
requires:
  integrations: {any: [claude]}
inputs:
  spec:
    type: string
    required: true
    prompt: What to build
  integration:
    type: string
    default: claude
  scope:
    type: string
    default: full
    enum: [full, small]
  task:
    type: string
    default: none
steps:
  - id: specify
    command: speckit.specify
    integration: "{{ inputs.integration }}"
    input:
      args: "{{ inputs.spec }} ({{ inputs.task }})"
  - id: review-spec
    type: gate
    message: "Is the specification right?"
    options: [approve, edit, reject]
    on_reject: abort
  - id: route
    type: switch
    expression: "{{ steps.review-spec.output.choice }}"
    cases:
      edit:
        - id: revise
          type: prompt
          prompt: "Revise it: {{ steps.specify.output.stdout }} {{ status | default('new') }}"
  - id: check-scope
    type: if
    condition: "{{ inputs.scope == 'full' }}"
    then:
      - id: full-plan
        command: speckit.plan
    else:
      - id: quick-plan
        command: speckit.plan
        options: {quick: true}
  - id: run-tests
    type: shell
    run: "npm test -- ``` {{ inputs.scope }}"
    timeout: 1800
    continue_on_error: true
  - id: check-tests
    type: if
    condition: "{{ steps.run-tests.output.exit_code != 0 }}"
    then:
      - id: fix
        type: prompt
        prompt: "Fix the tests."
  - id: refine
    type: do-while
    condition: "{{ steps.ask.output.choice == 'again' }}"
    max_iterations: 3
    steps:
      - id: polish
        command: speckit.implement
        model: big
      - id: ask
        type: gate
        message: "Exit {{ steps.run-tests.output.exit_code }}. Again?"
        options: [again, done]
  - id: until-green
    type: while
    condition: "{{ steps.run-tests.output.stdout | contains('red') }}"
    steps:
      - id: try
        type: prompt
        prompt: "Try."
  - id: each
    type: fan-out
    items: "{{ steps.full-plan.output.task_list }}"
    max_concurrency: 3
    step:
      id: impl
      command: speckit.implement
      input: {args: "{{ item }}"}
  - id: collect
    type: fan-in
    wait_for: [each]
  - id: bootstrap
    type: init
    here: true
  - id: last
    type: prompt
    prompt: "Summarise."
    continue_on_error: true
"#;

#[test]
fn imports_workflows_of_spec_kit() {
    let repo = Repo::empty();
    let write = |path: &str, text: &str| repo.write(&format!(".specify/{path}"), text);
    write("workflows/deliver/workflow.yml", SPEC_KIT);
    write("workflows/deliver/helper.sh", "exit 1\n");
    write("workflows/overlays/deliver/lint.yml", "id: lint\nextends: deliver\nedits: []\n");
    write("workflows/runs/1/state.json", "{}\n");
    write("workflows/workflow-registry.json", "{}\n");
    write("templates/plan.md", "# Plan\n");
    write("memory/constitution.md", "# Rules\n");
    write("init-options.json", "{}\n");
    let before = repo.tree();
    let document = json(&repo, &[], 0);
    assert_kept(&before, &repo.tree());
    assert_eq!(document["from"], "spec-kit");
    assert_eq!(taken(&document), [".specify/workflows/deliver/workflow.yml -> agent/workflows/deliver.yaml"]);
    insta::assert_snapshot!("spec_kit_workflow", repo.text("agent/workflows/deliver.yaml"));
    insta::assert_snapshot!("spec_kit_changes", changes(&document, "agent/workflows/deliver.yaml"));
    assert_eq!(
        repo.text("agent/workflows/templates/deliver-run-tests.md"),
        "Run this command at the top of the repository, once and unchanged:\n\n````sh\nnpm test -- ``` {{scope}}\n````\n\nReport its exit status as `exit_code` and its output as `stdout`. `passed` is true if the status is 0.\n"
    );
    assert_eq!(
        repo.text("agent/workflows/templates/deliver-revise.md"),
        "Revise it: {{specify.summary}} `status | default('new')`\n"
    );
    assert_eq!(
        repo.text("agent/workflows/templates/deliver-check-scope.md"),
        "Evaluate this expression and change nothing:\n\n    inputs.scope == 'full'\n\n- `inputs.scope` is {{scope}}\n\nWrite `holds: true` if it is true, otherwise `holds: false`, and `passed: true` if you could evaluate it.\n"
    );
    for (path, words) in [
        (".specify/workflows/deliver/helper.sh", "comes with a workflow"),
        (".specify/workflows/overlays/deliver/lint.yml", "no overlays"),
        (".specify/workflows/runs", "records of runs"),
        (".specify/workflows/workflow-registry.json", "installed workflows"),
        (".specify/templates", "templates and programs"),
        (".specify/memory", "no place"),
        (".specify/init-options.json", "settings"),
    ] {
        assert!(left(&document, path).iter().any(|text| text.contains(words)), "{path}: {:?}", left(&document, path));
    }
    assert_eq!(document["left"].as_array().unwrap().len(), 7, "{document:#}");
    assert!(document["next"].to_string().contains("agent, claude in agent/owners.yaml"), "{document:#}");
    assert_done(&repo, &[]);
    assert_clean(&repo);
}

/// The workflow that Spec Kit installs has this form.
#[test]
fn a_line_of_commands_and_gates_stays_a_line() {
    let repo = Repo::empty();
    let text = "\
workflow: {id: line, name: Line, version: 1.0.0}
inputs: {spec: {type: string, required: true}}
steps:
  - {id: ask, type: gate, message: Begin?, on_reject: retry}
  - {id: plan, command: speckit.plan, input: {args: '{{ inputs.spec }}'}}
  - {id: look, type: gate, message: Good?, on_reject: skip}
  - {id: end, command: speckit.implement}
";
    repo.write(".specify/workflows/line.yml", text);
    json(&repo, &["--from", "spec-kit"], 0);
    insta::assert_snapshot!("spec_kit_line", repo.text("agent/workflows/line.yaml"));
    assert_clean(&repo);
}

#[test]
fn names_of_a_source_lead_nowhere_else() {
    let repo = Repo::empty();
    let token = format!("ghp_{}", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo");
    let hostile = "\
workflow: {id: ../../../etc, name: x, version: 1.0.0}
steps:
  - {id: ../../up, type: prompt, prompt: Hello.}
  - {id: '/abs', type: prompt, prompt: Hello.}
  - {id: 'CON', type: prompt, prompt: TOKEN}
"
    .replace("TOKEN", &token);
    repo.write(".specify/workflows/x/workflow.yml", &hostile);
    let jdi = "name: '../../../x'\nsteps:\n  - {name: '../../a', agent: b, prompt: Hello., next: '/b'}\n  - {name: '/b', agent: b, prompt: Hi., end: true}\n";
    repo.write(".jdi/workflows/y.yaml", jdi);
    repo.write("outside.md", "mine\n");
    repo.link(".jdi/workflows/link.yaml", "../../outside.md");
    let before = repo.tree();
    let document = json(&repo, &["--from", "spec-kit"], 0);
    assert!(changes(&document, "agent/workflows/x.yaml").contains("GITHUB_PERSONAL_ACCESS_TOKEN"), "{document:#}");
    let document = json(&repo, &["--from", "jdi"], 0);
    assert!(left(&document, ".jdi/workflows/link.yaml")[0].contains("link"), "{document:#}");
    let after = repo.tree();
    assert_kept(&before, &after);
    let new: Vec<String> = after.keys().filter(|path| !before.contains_key(*path)).map(ToString::to_string).collect();
    let want = [
        "agent",
        "agent/workflows",
        "agent/workflows/templates",
        "agent/workflows/templates/x-CON-workflow.md",
        "agent/workflows/templates/x-abs.md",
        "agent/workflows/templates/x-up.md",
        "agent/workflows/templates/y-a.md",
        "agent/workflows/templates/y-b.md",
        "agent/workflows/x.yaml",
        "agent/workflows/y.yaml",
    ];
    assert_eq!(new, want);
    assert_clean(&repo);
}

#[test]
fn unreadable_workflows_are_reported_with_their_line() {
    let repo = Repo::empty();
    repo.write(".jdi/workflows/a.yaml", "steps:\n  a: [\n");
    repo.write(".jdi/workflows/b.yaml", "name: b\nsteps:\n  a: {prompt: x}\n");
    repo.write(".jdi/workflows/c.yaml", "name: c\nname: d\nsteps: []\n");
    repo.write(".jdi/workflows/d.yaml", "jobs: {}\n");
    let document = json(&repo, &[], 65);
    for (name, words) in [
        ("a", "invalid YAML"),
        ("b", "line 3: the step `a` has no `next`"),
        ("c", "line 2: duplicate key `name`"),
        ("d", "it has no `steps`"),
    ] {
        let reasons = left(&document, &format!(".jdi/workflows/{name}.yaml"));
        assert!(reasons[0].contains(words), "{name}: {reasons:?}");
    }
    assert_eq!(document["written"], Value::Array(Vec::new()));
    repo.write(".specify/workflows/e.yml", "schema_version: 2\nworkflow: {id: e}\nsteps: [{id: a, command: b}]\n");
    repo.write(".specify/workflows/f.yml", "workflow: {id: f}\nsteps:\n  - {id: a, command: b}\n  - {command: b}\n");
    let document = json(&repo, &["--from", "spec-kit"], 0);
    assert!(left(&document, ".specify/workflows/e.yml")[0].contains("`schema_version` is 2"), "{document:#}");
    assert!(left(&document, ".specify/workflows/f.yml")[0].contains("line 4: a step has no `id`"), "{document:#}");
}

#[test]
fn nothing_is_overwritten() {
    let repo = jdi();
    repo.write("agent/workflows/templates/ship-build.md", "mine\n");
    repo.write("agent/memory/episodic/AGENT_LEARNINGS.jsonl", "");
    let before = repo.tree();
    let document = json(&repo, &[], 5);
    assert_kept(&before, &repo.tree());
    let refused = &document["refused"][0];
    assert_eq!(refused["to"], "agent/workflows/ship.yaml", "{document:#}");
    assert_eq!(refused["reason"], "agent/workflows/templates/ship-build.md exists and differs", "{document:#}");
    assert!(repo.tree().keys().all(|path| !path.to_string().contains("ship-plan")), "all or nothing");
    assert!(left(&document, ".jdi/LESSONS.md")[0].contains("exists"), "{document:#}");
}

/// Two workflows can want the same template.
#[test]
fn templates_of_two_workflows_are_kept_apart() {
    let repo = Repo::empty();
    repo.write(".jdi/workflows/a.yaml", "steps:\n  - {name: b-c, agent: x, prompt: One., end: true}\n");
    repo.write(".jdi/workflows/a-b.yaml", "steps:\n  - {name: c, agent: x, prompt: Two., end: true}\n");
    let document = json(&repo, &[], 5);
    let reason = document["refused"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("agent/workflows/templates/a-b-c.md differs from that of .jdi/workflows/a"), "{reason}");
    assert_eq!(document["written"].as_array().unwrap().len(), 2, "{document:#}");
    assert_clean(&repo);
}

/// The directories of tools belong to their user, whatever workflows the repository has.
#[test]
fn tools_come_before_workflows() {
    let repo = jdi();
    repo.write(".claude/commands/go.md", "Go.\n");
    let document = json(&repo, &[], 0);
    assert_eq!(document["from"], "tools");
    assert_eq!(document["also_found"], serde_json::json!(["jdi"]));
}
