//! What is written about the tool, held to the tool: the index of the rules, and the schemas of its JSON documents.
#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use canonry::rules::{self, FAMILIES, Rule};
use common::repo::{COLON, LINK, Repo};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// The page of a rule, relative to `docs`.
fn page(family: &str, rule: &Rule) -> String {
    format!("../src/rules/{family}/{}.md", rule.id.replace('-', "_"))
}

fn index() -> String {
    let count = rules::all().count();
    let mut text = format!(
        "# Rules\n\n\
         All {count} rules. `canonry explain RULE` prints a rule's page; `rules:` in `agent/canonry.yaml` changes its severity.\n\
         The profile `team` is the default; `--profile spec` holds skills to the specification to the letter.\n\n\
         This file is made from the rules themselves: `UPDATE_DOCS=1 cargo test --test docs`.\n"
    );
    for (family, rules) in &FAMILIES {
        text.push_str(&format!("\n## {family}\n\n| rule | team | spec | finds |\n|---|---|---|---|\n"));
        for rule in *rules {
            let (team, spec) = (rule.severity.team.as_str(), rule.severity.spec.as_str());
            let summary = rule.summary.replace('|', "\\|");
            text.push_str(&format!("| [`{}`]({}) | {team} | {spec} | {summary} |\n", rule.id, page(family, rule)));
        }
    }
    text
}

#[test]
fn the_index_of_the_rules_is_up_to_date() {
    let path = root().join("docs/rules.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, index()).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == index(), "docs/rules.md is stale; run `UPDATE_DOCS=1 cargo test --test docs` and commit it");
}

#[test]
fn the_index_links_to_pages() {
    for (family, rules) in &FAMILIES {
        for rule in *rules {
            let path = root().join("docs").join(page(family, rule));
            let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            assert_eq!(text, rule.docs, "{}", rule.id);
        }
    }
}

fn schema(name: &str) -> jsonschema::Validator {
    let text = std::fs::read_to_string(root().join("schemas").join(name)).unwrap();
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert!(jsonschema::meta::is_valid(&schema), "{name} is no valid schema");
    jsonschema::validator_for(&schema).unwrap()
}

/// The document that a run printed, which the schema allows.
fn valid(repo: &Repo, schema: &jsonschema::Validator, args: &[&str]) -> Value {
    let text = repo.run(&[args, &["--format", "json"]].concat()).stdout;
    let document: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{args:?}: {e}:\n{text}"));
    let errors: Vec<String> = schema.iter_errors(&document).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{args:?}: {errors:#?}\n{text}");
    document
}

fn length(document: &Value, key: &str) -> usize {
    document[key].as_array().unwrap().len()
}

#[test]
fn findings_are_as_their_schema_says() {
    let schema = schema("findings.schema.json");
    let repo = Repo::synced();
    assert_eq!(length(&valid(&repo, &schema, &["check"]), "findings"), 0);
    repo.write("agent/skills/triage-bug/SKILL.md", COLON);
    repo.write("agent/skills/deploy-check/SKILL.md", LINK);
    repo.write("agent/skills/twice/SKILL.md", "---\nname: twice\nname: twice\ndescription: Use it twice.\n---\n");
    repo.append(".claude/skills/release-notes/SKILL.md", "- Be brief.\n");
    let document = valid(&repo, &schema, &["check"]);
    assert!(length(&document, "findings") >= 5, "{document:#}");
    let related = document["findings"].as_array().unwrap().iter().any(|finding| length(finding, "related") > 0);
    assert!(related, "no finding with a second place is in the sample");
    // Mended wrongly, it must be seen: a schema that allows everything proves nothing.
    for (pointer, wrong) in
        [("/findings/0/severity", "fatal"), ("/findings/0/span/line", "1"), ("/schema", "canonry/findings/v2")]
    {
        let mut document = document.clone();
        *document.pointer_mut(pointer).unwrap() = Value::from(wrong);
        assert!(!schema.is_valid(&document), "{pointer}: {wrong} is allowed");
    }
}

#[test]
fn outcomes_of_sync_are_as_their_schema_says() {
    let schema = schema("sync.schema.json");
    let repo = Repo::with_skill();
    for args in [&["sync", "--check"][..], &["sync", "--dry-run"], &["sync"]] {
        assert_eq!(length(&valid(&repo, &schema, args), "written"), 10, "{args:?}");
    }
    repo.append(".claude/skills/release-notes/SKILL.md", "- Be brief.\n");
    repo.write(".claude/skills/own/SKILL.md", "mine\n");
    std::fs::remove_file(repo.path("agent/skills/release-notes/references/format.md")).unwrap();
    let document = valid(&repo, &schema, &["sync"]);
    let lengths = ["written", "removed", "refused", "unowned"].map(|key| length(&document, key));
    assert_eq!(lengths, [0, 5, 1, 1], "{document:#}");
    let mut wrong = document.clone();
    wrong["refused"][0]["reason"] = Value::Null;
    assert!(!schema.is_valid(&wrong));
}

#[test]
fn outcomes_of_init_are_as_their_schema_says() {
    let schema = schema("init.schema.json");
    let repo = Repo::new();
    repo.write(".claude/skills/own/SKILL.md", "---\nname: own\ndescription: Use when asked.\n---\n");
    for tool in [".claude", ".gemini"] {
        repo.write(&format!("{tool}/skills/odd/SKILL.md"), tool);
    }
    repo.write("agent/AGENTS.md", "# Ours\n");
    let lengths =
        |document: &Value| ["written", "kept", "adopted", "owned", "refused"].map(|key| length(document, key));
    for args in [&["init", "--dry-run"][..], &["init"]] {
        let document = valid(&repo, &schema, args);
        assert_eq!(lengths(&document), [25, 1, 1, 1, 1], "{document:#}");
    }
    let document = valid(&repo, &schema, &["init"]);
    assert_eq!(lengths(&document), [0, 26, 0, 0, 1], "{document:#}");
    let mut wrong = document.clone();
    wrong["refused"][0]["reason"] = Value::Null;
    assert!(!schema.is_valid(&wrong));
}
