//! `canonry memory accept --to`: a lesson becomes a rule in a policy, in AGENTS.md, or in a skill.

use crate::support::failpoints::{copy, failpoints, for_each_failpoint, kill};
use crate::support::repo::{Held, Ran, Repo, Tree};
use crate::support::same::assert_same;
use serde_json::{Value, json};

const ID: &str = "4f0c1a2b3c4d5e6f";
const QUEUE: &str = "agent/memory/semantic/REVIEW.jsonl";
const LESSONS: &str = "agent/memory/semantic/LESSONS.md";
const ARCHIVE: &str = "agent/memory/semantic/archive/LESSONS.md";
const WORKFLOW: &str = "agent/policies/WORKFLOW.md";
const AGENTS: &str = "agent/AGENTS.md";
const NOW: &str = "2026-05-02T03:00:00Z";
const LINE: &str = "- Run the smoke test before traffic moves. Applies to: releases of the web service. Why: a broken build \
                    reached users. (lesson 4f0c1a2b3c4d5e6f)";

fn staged(id: &str, text: &str) -> String {
    let event = json!({
        "event": "staged", "candidate": id, "kind": "lesson", "date": "2026-05-01", "text": text, "episodes": ["r1/ship.1"],
        "of": 1,
    });
    format!("{event}\n")
}

/// A committed canon with a candidate, a policy, root instructions and a skill.
fn begun() -> Repo {
    let repo = Repo::with_skills(&["deploy"]);
    repo.write(QUEUE, staged(ID, "smoke test first"));
    repo.write(WORKFLOW, "# Workflow\n\nFive phases.\n");
    repo.write(AGENTS, "# Map\n\nText.\n\n## Lessons\n\n- Keep it short.\n\n## Later\n\nMore.\n");
    repo.commit_all("begin");
    repo
}

fn parts() -> Vec<&'static str> {
    vec![
        "--action",
        "Run the smoke test before traffic moves",
        "--scope",
        "releases of the web service",
        "--root-cause",
        "a broken build reached users",
    ]
}

fn accept(repo: &Repo, to: &str, more: &[&str]) -> Ran {
    repo.canonry(&[&["memory", "accept", ID, "--to", to, "--now", NOW], &parts()[..], more].concat())
}

fn files(repo: &Repo) -> Tree {
    repo.tree().into_iter().filter(|(_, held)| *held != Held::Folder).collect()
}

fn last_event(repo: &Repo) -> Value {
    serde_json::from_str(repo.text(QUEUE).lines().last().unwrap()).unwrap()
}

#[test]
fn a_lesson_becomes_a_rule_in_a_policy() {
    let repo = begun();
    accept(&repo, "policy", &["--reason", "we agreed"]).expect(0).says(&[
        "rule added to agent/policies/WORKFLOW.md: Run the smoke",
        "wrote     agent/policies/WORKFLOW.md",
        "canonry sync",
        "Committed as",
    ]);
    assert_eq!(repo.text(WORKFLOW), format!("# Workflow\n\nFive phases.\n\n## Lessons\n\n{LINE}\n"));
    assert!(!repo.exists(LESSONS));
    assert_eq!(repo.head_changes(), [format!("M {QUEUE}"), format!("M {WORKFLOW}")]);
    let event = last_event(&repo);
    assert_eq!((&event["event"], &event["reason"]), (&"accepted".into(), &"we agreed".into()));
    let rule = json!({
        "to": WORKFLOW, "action": "Run the smoke test before traffic moves", "scope": "releases of the web service",
        "root_cause": "a broken build reached users",
    });
    assert_eq!(event["rule"], rule);
    repo.canonry(&["memory", "review"]).expect(0).says(&["No candidates wait"]);
    repo.canonry(&["memory", "review", "--all"]).expect(0).says(&["accepted into agent/policies/WORKFLOW.md by"]);
    let listed = repo.canonry(&["memory", "review", "--all", "--format", "json"]).expect(0);
    let document: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(document["candidates"][0]["to"], WORKFLOW);
    let schema: Value = serde_json::from_str(include_str!("../../../schemas/memory-review.schema.json")).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&document));
    let schema: Value = serde_json::from_str(include_str!("../../../schemas/review-event.schema.json")).unwrap();
    assert!(jsonschema::validator_for(&schema).unwrap().is_valid(&event));
    repo.check(&[]).says_nothing_of(&["REVIEW.jsonl"]);
}

#[test]
fn a_lesson_becomes_a_rule_in_the_root_instructions() {
    let repo = begun();
    let text = repo.text(AGENTS);
    accept(&repo, "agents", &[]).expect(0);
    assert_eq!(repo.text(AGENTS), text.replace("short.\n", &format!("short.\n{LINE}\n")));
    assert_eq!(last_event(&repo)["reason"], "a broken build reached users");
    repo.sync(&["--commit"]).expect(0);
    repo.check(&[]).says_nothing_of(&["drift"]);
}

#[test]
fn a_lesson_becomes_a_rule_in_a_skill() {
    let repo = begun();
    accept(&repo, "skill:deploy", &[]).expect(0).says(&["wrote     agent/skills/deploy/KNOWLEDGE.md"]);
    assert_eq!(repo.text("agent/skills/deploy/KNOWLEDGE.md"), format!("# deploy\n\n## Lessons\n\n{LINE}\n"));
    repo.canonry(&["memory", "undo"]).expect(0);
    assert!(!repo.exists("agent/skills/deploy/KNOWLEDGE.md"));
    accept(&repo, "skill:deploy", &["--file", "SKILL.md"]).expect(0);
    assert!(repo.text("agent/skills/deploy/SKILL.md").ends_with(&format!("\n\n## Lessons\n\n{LINE}\n")));
    accept(&begun(), "skill:deplyo", &[]).expect(65).says(&["there is no skill `deplyo`", "deploy"]);
}

#[test]
fn undo_restores_every_byte_and_commits() {
    for (to, path, text) in [
        ("policy", WORKFLOW, "# Workflow\r\n\r\nText without a final newline"),
        ("agents", AGENTS, "\u{feff}# Map\n\n## Lessons\n* one\n* two"),
        ("skill:deploy", "agent/skills/deploy/KNOWLEDGE.md", "# Deploy\n\n## Lessons\n\n- one\n\n- two\n\n\n"),
    ] {
        let repo = begun();
        repo.write(path, text);
        repo.commit_all("text");
        let before = files(&repo);
        let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
        accept(&repo, to, &[]).expect(0);
        assert_ne!(repo.text(path), text);
        repo.canonry(&["memory", "undo", "--dry-run"]).expect(0).says(&[path, "-", "(lesson 4f0c1a2b3c4d5e6f)"]);
        repo.canonry(&["memory", "undo"]).expect(0).says(&[&format!("undo: rule added to {path}")]);
        assert_same(&files(&repo), &before, to);
        assert_eq!(repo.git(&["rev-parse", "HEAD^{tree}"]), tree, "{to}");
        assert_eq!(repo.git(&["status", "--porcelain"]), "");
        repo.canonry(&["memory", "review"]).expect(3).says(&["smoke test first"]);
        repo.canonry(&["memory", "undo"]).expect(5);
        accept(&repo, to, &[]).expect(0);
    }
}

#[test]
fn accepting_twice_is_refused() {
    let repo = begun();
    accept(&repo, "policy", &[]).expect(0);
    let before = files(&repo);
    let head = repo.git(&["rev-parse", "HEAD"]);
    for to in ["policy", "agents", "skill:deploy"] {
        accept(&repo, to, &[]).expect(5).says(&["was already accepted into agent/policies/WORKFLOW.md", "memory undo"]);
    }
    assert_same(&files(&repo), &before, "after the refusals");
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
    // Someone removes the rule by hand: it can be added again.
    repo.write(WORKFLOW, "# Workflow\n");
    accept(&repo, "policy", &[]).expect(0);
    assert!(repo.text(WORKFLOW).ends_with(&format!("{LINE}\n")));
}

#[test]
fn a_rule_that_exists_is_not_added_twice() {
    let repo = begun();
    let text = "# Workflow\n\n- run the smoke test before traffic moves\n";
    repo.write(WORKFLOW, text);
    repo.commit_all("text");
    accept(&repo, "policy", &[]).expect(0).says(&["WORKFLOW.md: line 3 already says this"]);
    assert_eq!(repo.text(WORKFLOW), text);
    assert_eq!(repo.head_changes(), [format!("M {QUEUE}")]);
    assert_eq!(last_event(&repo)["rule"]["to"], WORKFLOW);
    repo.canonry(&["memory", "undo"]).expect(0);
    repo.canonry(&["memory", "review"]).expect(3);
}

#[test]
fn missing_parts_are_a_usage_error_without_a_terminal() {
    let repo = begun();
    let before = files(&repo);
    for missing in ["--action", "--scope", "--root-cause"] {
        let mut args: Vec<&str> = vec!["memory", "accept", ID, "--to", "policy"];
        let given = parts();
        args.extend(given.chunks(2).filter(|pair| pair[0] != missing).flatten());
        repo.canonry(&args).expect(64).says(&[missing]);
        args.extend([missing, "  "]);
        repo.canonry(&args).expect(64).says(&[&format!("`{missing}` is empty")]);
    }
    accept(&repo, "somewhere", &[]).expect(64).says(&["skill:NAME"]);
    accept(&repo, "agents", &["--file", "X.md"]).expect(64).says(&["--file"]);
    accept(&repo, "policy", &["--as", "x"]).expect(64);
    repo.canonry(&["memory", "accept", ID, "--reason", "x", "--scope", "x"]).expect(64).says(&["--to"]);
    for file in ["../AGENTS.md", "/etc/passwd.md", "WORKFLOW.txt", ""] {
        accept(&repo, "policy", &["--file", file]).expect(64).says(&["is not a Markdown file in agent/policies"]);
    }
    accept(&repo, "policy", &["--file", "NONE.md"]).expect(5).says(&["NONE.md does not exist", "WORKFLOW.md"]);
    assert_same(&files(&repo), &before, "after the errors");
}

#[test]
fn links_other_candidates_and_open_blocks_are_refused() {
    let repo = begun();
    repo.remove(WORKFLOW);
    repo.link(WORKFLOW, "../AGENTS.md");
    accept(&repo, "policy", &[]).expect(5).says(&["is a link"]);
    repo.remove(WORKFLOW);
    repo.write(WORKFLOW, "# Workflow\n\n```\ncode\n");
    accept(&repo, "policy", &[]).expect(5).says(&["inside a code block"]);
    repo.write(QUEUE, staged(ID, "x").replace("\"lesson\"", "\"skill\""));
    accept(&repo, "agents", &[]).expect(64).says(&["applies to lessons"]);
}

#[test]
fn a_contradiction_is_refused_or_superseded() {
    let repo = begun();
    repo.write(LESSONS, "# Lessons\n\n- Never run the smoke test before traffic moves.\n");
    repo.commit_all("lessons");
    let args = |action: &'static str| {
        ["memory", "accept", ID, "--to", "policy", "--scope", "all", "--root-cause", "so", "--action", action]
    };
    let action = "Always run the smoke test before traffic moves.";
    repo.canonry(&args(action)).expect(5).says(&["LESSONS.md:3", "--supersede"]);
    let before = files(&repo);
    repo.canonry(&[&args(action)[..], &["--supersede", "--now", NOW]].concat()).expect(0);
    assert!(
        repo.text(LESSONS).contains("- ~~Never run the smoke test before traffic moves.~~ (superseded 2026-05-02)\n")
    );
    repo.canonry(&["memory", "undo"]).expect(0);
    assert_same(&files(&repo), &before, "after the undo");
}

/// A lesson that was accepted into LESSONS.md moves to the rule: its line is archived.
#[test]
fn an_accepted_lesson_moves_to_the_rule() {
    let repo = begun();
    repo.canonry(&["memory", "accept", ID, "--reason", "agreed", "--now", NOW]).expect(0);
    let before = files(&repo);
    assert!(repo.text(LESSONS).contains("- smoke test first (episodes: r1/ship.1; pattern 4f0c1a2b3c4d5e6f)\n"));
    accept(&repo, "policy", &[]).expect(0);
    assert!(!repo.text(LESSONS).contains("smoke test"));
    let archived = "- smoke test first (episodes: r1/ship.1; pattern 4f0c1a2b3c4d5e6f) (moved to \
                    agent/policies/WORKFLOW.md, 2026-05-02)\n";
    assert!(repo.text(ARCHIVE).ends_with(archived), "{}", repo.text(ARCHIVE));
    accept(&repo, "policy", &[]).expect(5);
    repo.canonry(&["memory", "undo"]).expect(0);
    assert_same(&files(&repo), &before, "after the undo");
}

#[test]
fn with_a_branch_for_the_memory_the_rule_stays_uncommitted() {
    let repo = begun();
    repo.write("agent/canonry.yaml", "memory: {branch: memory}\n");
    repo.commit_all("config");
    let before = files(&repo);
    let head = repo.git(&["rev-parse", "HEAD"]);
    accept(&repo, "policy", &[]).expect(0);
    assert_eq!(repo.git(&["ls-tree", "-r", "--name-only", "memory", "agent/policies"]), "");
    assert!(repo.git(&["show", &format!("memory:{QUEUE}")]).contains("\"rule\""));
    repo.canonry(&["memory", "undo"]).expect(0);
    assert_same(&files(&repo), &before, "after the undo");
    assert_eq!(repo.git(&["ls-tree", "-r", "--name-only", "memory", "agent/policies"]), "");
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), head);
}

#[test]
fn a_rule_survives_a_kill_at_any_write() {
    let template = begun();
    let line = [&["memory", "accept", ID, "--to", "skill:deploy", "--now", NOW], &parts()[..]].concat();
    let before = files(&template);
    let uninterrupted = copy(&template);
    let failpoints = failpoints(&uninterrupted, &line);
    assert!(failpoints.len() > 20, "{}", failpoints.len());
    let after = files(&uninterrupted);
    let story = uninterrupted.git(&["log", "--format=%s"]);
    for_each_failpoint(&failpoints, |failpoint| {
        let repo = copy(&template);
        kill(&repo, &line, failpoint);
        let again = repo.canonry(&line);
        // A run that was killed when everything was done is not repeated.
        assert!([0, 5].contains(&again.status), "{failpoint:?}: {}", again.all());
        assert_same(&files(&repo), &after, &format!("after a kill at {failpoint:?}"));
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{failpoint:?}");
        assert_eq!(repo.git(&["log", "--format=%s"]), story, "{failpoint:?}");
        repo.canonry(&["memory", "undo"]).expect(0);
        assert_same(&files(&repo), &before, &format!("undone after a kill at {failpoint:?}"));
    });
}
