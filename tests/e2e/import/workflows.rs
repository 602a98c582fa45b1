//! `.jdi/` of just-do-it.

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
    write("agents/tester.json", r#"{"name": "tester", "description": "Tests code.", "prompt": "Test."}"#);
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
        ".jdi/config.yaml -> agent/workflows/config.yaml",
        ".jdi/workflows/fix.yml -> agent/workflows/fix.yaml",
        ".jdi/workflows/ship.yaml -> agent/workflows/ship.yaml",
    ];
    assert_eq!(taken(&document), want, "{document:#}");
    assert_eq!(repo.text("agent/workflows/config.yaml"), "default_workflow: ship\n");
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
    for (path, words) in [
        (".jdi/config.yaml", "settings of just-do-it: `task_skill`"),
        (".jdi/config.yaml", "line 4: `teams` is a list"),
        (".jdi/config.local.yaml", "one person"),
        (".jdi/workflows/notes.txt", "only YAML files"),
        (".jdi/agents/tester.json", "Markdown files agents"),
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

#[test]
fn names_of_a_source_lead_nowhere_else() {
    let repo = Repo::empty();
    let token = format!("ghp_{}", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo");
    let hostile = "\
name: ../../../etc
steps:
  - {name: ../../up, agent: b, prompt: Hello.}
  - {name: '/abs', agent: b, prompt: Hello.}
  - {name: 'CON', agent: b, prompt: TOKEN, end: true}
"
    .replace("TOKEN", &token);
    repo.write(".jdi/workflows/x.yaml", &hostile);
    let jdi = "name: '../../../x'\nsteps:\n  - {name: '../../a', agent: b, prompt: Hello., next: '/b'}\n  - {name: '/b', agent: b, prompt: Hi., end: true}\n";
    repo.write(".jdi/workflows/y.yaml", jdi);
    repo.write("outside.md", "mine\n");
    repo.link(".jdi/workflows/link.yaml", "../../outside.md");
    let before = repo.tree();
    let document = json(&repo, &["--from", "jdi"], 0);
    assert!(changes(&document, "agent/workflows/x.yaml").contains("GITHUB_PERSONAL_ACCESS_TOKEN"), "{document:#}");
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
