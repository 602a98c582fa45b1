//! `canonry status`

use crate::support::repo::Repo;
use serde_json::Value;

const PLAN: &str = "steps:
  - {id: free, owner: A, criteria: c}
  - {id: gated, owner: A, criteria: c, approval: true}
  - {id: stuck, owner: A, criteria: c, status: blocked}
  - {id: later, owner: A, criteria: c, deps: [free]}
";

fn status(repo: &Repo) -> Value {
    let ran = repo.canonry(&["status", "--format", "json"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/schemas/status.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&serde_json::from_str(&text).unwrap()).unwrap();
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let errors: Vec<String> = schema.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}\n{document:#}");
    document
}

#[test]
fn a_synced_canon_waits_for_nobody() {
    let repo = Repo::with_synced_skill();
    assert_eq!(status(&repo)["waiting"], Value::Array(Vec::new()));
    insta::assert_snapshot!(repo.canonry(&["status"]).stdout);
}

#[test]
fn what_waits_for_a_person_has_a_command() {
    let repo = Repo::with_synced_skill();
    repo.write("agent/plans/release/plan.yaml", PLAN);
    repo.write("agent/plans/broken/plan.yaml", "steps: [{id: a, deps: [gone]}]\n");
    repo.append("agent/skills/release-notes/SKILL.md", "- Be brief.\n");
    repo.append(".claude/skills/release-notes/SKILL.md", "- Edited.\n");
    let before = repo.git(&["status", "--porcelain", "--ignored"]);
    let shown = repo.canonry(&["status"]).stdout;
    insta::assert_snapshot!(shown);
    let document = status(&repo);
    assert_eq!(document["runs"][1]["unapproved"][0]["step"], "gated");
    // Each command is one that exists, and that is accepted as written.
    for item in document["waiting"].as_array().unwrap() {
        let command = item["command"].as_str().unwrap().strip_prefix("canonry ").unwrap();
        let ran = repo.canonry(&command.split(' ').collect::<Vec<_>>());
        assert_ne!(ran.status, 64, "{command}: {}", ran.stderr);
    }
    assert!(before.contains("agent/plans"), "{before}");
}

/// Nobody edited what a tool cannot express.
#[test]
fn what_a_tool_does_not_get_is_no_edit() {
    let repo = Repo::with_synced_skill();
    repo.write("agent/canonry.yaml", "files: {codex: {permissions: true}}\n");
    repo.write("agent/protocols/permissions.md", "# Permissions\n\n## Never allowed\n\n- Edit: `secret/**`\n");
    repo.canonry(&["sync"]);
    let mirrors = &status(&repo)["mirrors"];
    assert_eq!((&mirrors["refused"], &mirrors["omitted"]), (&Value::from(0), &Value::from(1)), "{mirrors}");
    let shown = repo.canonry(&["status"]).stdout;
    assert!(shown.contains("1 that a tool does not get\n") && !shown.contains("edited"), "{shown}");
    assert!(shown.contains("1 part of the canon that a tool does not get: `canonry sync --check`"), "{shown}");
}

/// If the repository itself is the canon, a template beside `skills/` is checked, but no tool gets it.
#[test]
fn only_the_skills_of_the_canon_are_counted() {
    let repo = Repo::empty();
    repo.write("canonry.yaml", "root: .\n");
    for folder in ["skills/alpha", "template"] {
        let name = folder.rsplit('/').next().unwrap();
        let text = format!("---\nname: {name}\ndescription: Does it. Use when asked to.\n---\n\n# How\n");
        repo.write(&format!("{folder}/SKILL.md"), &text);
    }
    assert_eq!(status(&repo)["check"]["skills"], 1);
    assert!(repo.canonry(&["check"]).stdout.contains("2 skills"));
}

#[test]
fn there_must_be_a_canon() {
    let ran = Repo::empty().canonry(&["status"]);
    assert_eq!(ran.status, 65);
    assert!(ran.stderr.contains("canonry init"), "{}", ran.stderr);
}
