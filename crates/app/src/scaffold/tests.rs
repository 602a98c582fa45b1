#![allow(clippy::unwrap_used, clippy::panic)]

use super::*;
use canonry_model::canon::schema;
use canonry_model::config::Config;
use canonry_model::edit::EditContent;
use canonry_text::Source;
use std::collections::BTreeMap;

fn texts(layout: &Layout, targets: Option<&[Target]>, parts: &[CanonPart]) -> BTreeMap<String, String> {
    let request = ScaffoldRequest {
        parts,
        layout,
        hash: Kind::Sha1,
        targets,
        switches: &[],
        git_ignores_mirrors: false,
        status: &|_| PathStatus::Free,
        needs_document: false,
        has_own: &|_| false,
    };
    let text = |edit: &Edit| match edit {
        Edit::Write { content: EditContent::Bytes(bytes), was: None, .. } => String::from_utf8(bytes.clone()).unwrap(),
        _ => panic!("{edit:?}"),
    };
    plan_scaffold(&request).edits.iter().map(|edit| (edit.path().to_display(), text(edit))).collect()
}

fn default() -> BTreeMap<String, String> {
    texts(&Layout::default(), None, &CanonPart::ALL)
}

#[test]
fn files_are_complete_and_short() {
    let files = default();
    assert_eq!(files.len(), FILES.len(), "two files have the same place");
    for (path, text) in &files {
        let limit = match path.as_str() {
            "agent/AGENTS.md" => 31,
            path if path.ends_with("/SKILL.md") => 79,
            _ => 120,
        };
        assert!(text.lines().count() <= limit, "{path}: {} lines", text.lines().count());
        assert!(text.is_empty() || text.ends_with('\n'), "{path}");
    }
    assert_eq!(files["agent/memory/working/WORKSPACE.md"], canonry_model::canon::memory_file::WORKSPACE);
}

#[test]
fn the_workflow_names_the_skill_and_the_artefact_of_each_phase() {
    let files = default();
    let workflow = &files["agent/policies/WORKFLOW.md"];
    for (number, phase, artefact) in [
        (1, "Intake", "agent/plans/<id>/intake.md"),
        (2, "Plan", "agent/plans/<id>/plan.yaml"),
        (3, "Execute", "agent/reports/<id>/<step>.<attempt>.json"),
        (4, "Verify", "agent/reports/<id>/verification.md"),
        (5, "Report", "agent/reports/<id>/report.md"),
    ] {
        assert!(workflow.contains(&format!("\n## {number} {phase}\n")), "{phase}");
        let skill = &files[&format!("agent/skills/{}/SKILL.md", phase.to_lowercase())];
        assert!(workflow.contains(artefact) && skill.contains(artefact), "{artefact}");
        assert!(skill.contains(&format!("Phase {number} of the workflow")), "{phase}");
    }
}

#[test]
fn every_skill_is_a_procedure() {
    for (path, text) in default().iter().filter(|(path, _)| path.ends_with("SKILL.md")) {
        for heading in ["## Inputs", "## Steps", "## Produce", "## Done when", "## Do not"] {
            assert!(text.contains(&format!("\n{heading}\n")), "{path}: {heading}");
        }
        assert!(text.lines().nth(2).unwrap().contains(" Use "), "{path} must say when to use it");
    }
}

#[test]
fn the_report_schema_requires_an_error_or_passing_commands() {
    let files = default();
    let schema = serde_json::from_str(&files["agent/schemas/report-schema.json"]).unwrap();
    let schema = schema::compile(&schema).unwrap();
    let skill = &files["agent/skills/execute/SKILL.md"];
    let example = skill.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let report: serde_json::Value = serde_json::from_str(example).unwrap();
    assert!(schema.is_valid(&report));
    for (key, wrong) in [
        ("outcome", serde_json::json!("failure")),
        ("outcome", serde_json::json!("done")),
        ("passed", serde_json::json!(false)),
        ("timestamp", serde_json::json!("yesterday")),
        ("commands", serde_json::json!([{ "command": "make", "exit_status": 2 }])),
        ("artifacts", serde_json::json!([{ "file": "a" }])),
    ] {
        let mut report = report.clone();
        report[key] = wrong;
        assert!(!schema.is_valid(&report), "{report}");
    }
    let mut failed = report;
    failed["outcome"] = "failure".into();
    failed["passed"] = false.into();
    failed["error"] = "the disk was full".into();
    assert!(schema.is_valid(&failed));
}

#[test]
fn the_config_has_the_defaults_and_accepts_other_targets() {
    let parse =
        |text: &str| Config::parse(&Source::new(RepoPath::from("agent/canonry.yaml"), text.to_owned()), &[]).unwrap();
    let text = &default()["agent/canonry.yaml"];
    assert_eq!(parse(text), Config::default());
    let uncommented: String = text
        .lines()
        .map(|line| line.strip_prefix("# ").filter(|l| is_key(l)).unwrap_or(line).to_owned() + "\n")
        .collect();
    assert_ne!(&uncommented, text);
    assert_eq!(parse(&uncommented), Config::default(), "commented values are the defaults");
    let targets = [Target::CLAUDE, Target::AGENTS];
    let files = texts(&Layout::default(), Some(&targets), &CanonPart::ALL);
    assert_eq!(parse(&files["agent/canonry.yaml"]).targets, targets);
}

fn is_key(line: &str) -> bool {
    line.starts_with("targets: ") || line.starts_with("rules: ")
}

#[test]
fn paths_follow_a_configured_root() {
    let layout = Layout::new(RepoPath::from("tools/.canon"));
    for (path, text) in texts(&layout, None, &CanonPart::ALL) {
        assert!(path.starts_with("tools/.canon/"));
        assert!(!text.contains("agent/"), "{path}");
    }
    // Each `agent/` names the folder, and is not part of another word.
    for (path, text) in default() {
        let in_a_word = text.match_indices("agent/").any(|(at, _)| text[..at].ends_with(char::is_alphanumeric));
        assert!(!in_a_word, "{path}");
    }
}

#[test]
fn a_repository_that_is_the_canon_names_its_skills() {
    let layout = Layout::new(RepoPath::default());
    for parts in [&CanonPart::ALL[..], &[CanonPart::Instructions]] {
        let text = &texts(&layout, None, parts)["AGENTS.md"];
        assert!(text.contains("`skills/`") && !text.contains("`/"), "{text}");
    }
}

#[test]
fn existing_files_and_parts_are_skipped() {
    let layout = Layout::default();
    let request = ScaffoldRequest {
        switches: &[],
        git_ignores_mirrors: false,
        parts: &CanonPart::ALL,
        layout: &layout,
        hash: Kind::Sha1,
        targets: None,
        status: &|path| match path.file_name_lossy().as_str() {
            "AGENTS.md" => PathStatus::Taken,
            "LESSONS.md" => PathStatus::Blocked(RepoPath::from("agent/memory")),
            _ => PathStatus::Free,
        },
        needs_document: false,
        has_own: &|part| matches!(part, ScaffoldRole::Skill("plan")),
    };
    let found = plan_scaffold(&request);
    assert_eq!(found.kept, [RepoPath::from("agent/AGENTS.md")]);
    assert_eq!(found.blocked, [(RepoPath::from("agent/memory/semantic/LESSONS.md"), RepoPath::from("agent/memory"))]);
    let paths: Vec<String> = found.edits.iter().map(|edit| edit.path().to_display()).collect();
    assert!(!paths.iter().any(|path| path.contains("skills/plan/")), "{paths:?}");
    assert_eq!(paths.len(), FILES.len() - 4);
}

/// The map names only files of the chosen parts.
#[test]
fn the_instructions_name_the_chosen_parts_only() {
    let layout = Layout::default();
    for (parts, names) in [
        (&[CanonPart::Instructions][..], &[][..]),
        (&[CanonPart::Instructions, CanonPart::Hooks], &["permissions.md"]),
        (&[CanonPart::Instructions, CanonPart::Workflow], &["WORKFLOW.md", "delegation.md"]),
        (&[CanonPart::Instructions, CanonPart::Memory], &["DECISIONS.md", "DOMAIN_KNOWLEDGE.md", "LESSONS.md"]),
    ] {
        let text = &texts(&layout, None, parts)["agent/AGENTS.md"];
        for file in
            ["permissions.md", "WORKFLOW.md", "delegation.md", "DECISIONS.md", "DOMAIN_KNOWLEDGE.md", "LESSONS.md"]
        {
            assert_eq!(text.contains(file), names.contains(&file), "{parts:?} {file}:\n{text}");
        }
        assert_eq!(text.contains("| read |"), parts.len() > 1, "{text}");
        assert!(!text.contains('[') && !text.contains("\n\n\n"), "{text}");
    }
}

#[test]
fn skills_alone_are_a_config() {
    let files = texts(&Layout::default(), None, &[CanonPart::Skills]);
    assert_eq!(files.keys().collect::<Vec<_>>(), ["agent/canonry.yaml"]);
}

/// An editor that knows only the team's schema reports a misspelt key too.
#[test]
fn the_plan_schema_knows_the_keys_of_the_built_in_one() {
    let keys = |schema: &serde_json::Value, pointer: &str| -> std::collections::BTreeSet<String> {
        assert_eq!(schema.pointer(pointer.trim_end_matches("/properties")).unwrap()["additionalProperties"], false);
        schema.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect()
    };
    let own = serde_json::from_str(&default()["agent/schemas/plan-schema.json"]).unwrap();
    let built_in = serde_json::from_str(schema::SchemaKind::Plan.built_in_text()).unwrap();
    for pointer in ["/properties", "/$defs/step/properties"] {
        assert_eq!(keys(&own, pointer), keys(&built_in, pointer));
    }
}
