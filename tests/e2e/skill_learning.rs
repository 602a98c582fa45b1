//! `canonry skills learn` and `canonry skills stats`.
#![cfg(unix)]

use crate::dream::team::{LOG, NOW, SNAPSHOTS};
use crate::support::repo::{MIRRORS, Ran, Repo};
use serde_json::{Value, json};

const KNOWLEDGE: &str = "agent/skills/alpha/KNOWLEDGE.md";

fn synced() -> Repo {
    let repo = Repo::with_skills(&["alpha", "beta"]);
    repo.sync(&[]).expect(0);
    repo.commit_all("synced");
    repo
}

fn learn(repo: &Repo, args: &[&str]) -> Ran {
    repo.canonry(&[&["skills", "learn", "--now", NOW], args].concat())
}

#[test]
fn an_entry_and_its_mirrors_are_committed() {
    let repo = synced();
    repo.write("mine", "staged\n");
    repo.git(&["add", "mine"]);
    learn(&repo, &["alpha", "Warm the cache first."])
        .expect(0)
        .says(&["wrote     agent/skills/alpha/KNOWLEDGE.md", "Committed as"]);
    let text = "# alpha\n\n## Lessons\n\n- Warm the cache first. (learned 2026-05-01)\n";
    assert_eq!(repo.text(KNOWLEDGE), text);
    for mirror in MIRRORS {
        assert_eq!(repo.text(&format!("{mirror}/alpha/KNOWLEDGE.md")), text);
    }
    assert_eq!(repo.git(&["log", "-1", "--format=%B"]), "skill-update: alpha, Warm the cache first.");
    assert_eq!(repo.git(&["status", "--porcelain"]), "A  mine");
    repo.sync(&["--check"]).expect(0);
    let head = repo.git(&["rev-parse", "HEAD"]);
    learn(&repo, &["alpha", "warm  the cache first"]).expect(0).says(&["unchanged", "already"]);
    assert_eq!((repo.text(KNOWLEDGE).as_str(), repo.git(&["rev-parse", "HEAD"])), (text, head));
}

#[test]
fn secrets_are_redacted_and_markup_is_escaped() {
    let repo = synced();
    let secret = format!("ghp_{}", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo");
    learn(&repo, &["alpha", &format!("Use {secret}\n\n# Not a heading")]).expect(0);
    let text = repo.text(KNOWLEDGE);
    assert!(!text.contains(&secret) && !text.contains("\n# Not"), "{text}");
    assert!(!repo.git(&["log", "-1", "--format=%B"]).contains(&secret));
}

#[test]
fn only_the_entry_is_committed_if_mirrors_differed() {
    let repo = synced();
    repo.append("agent/skills/beta/SKILL.md", "\nMore.\n");
    learn(&repo, &["alpha", "Warm the cache."]).expect(0).says(&["run `canonry sync --commit`"]);
    assert_eq!(repo.head_changes(), [format!("A {KNOWLEDGE}")]);
    assert!(!repo.exists(".claude/skills/alpha/KNOWLEDGE.md"));
}

#[test]
fn an_interrupted_entry_is_finished() {
    let repo = synced();
    learn(&repo, &["alpha", "Warm the cache.", "--no-commit"]).expect(0);
    assert!(repo.exists(".claude/skills/alpha/KNOWLEDGE.md"));
    let tree = repo.tree();
    learn(&repo, &["alpha", "Warm the cache."]).expect(0).says(&["unchanged", "Committed as"]);
    assert_eq!(repo.tree(), tree);
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn other_changes_of_the_lock_are_not_committed() {
    let repo = synced();
    repo.append("agent/skills/beta/SKILL.md", "\nMore.\n");
    repo.sync(&[]).expect(0);
    learn(&repo, &["alpha", "Warm the cache."]).expect(0).says(&["run `canonry sync --commit`"]);
    assert_eq!(repo.head_changes(), [format!("A {KNOWLEDGE}")]);
    assert!(repo.exists(".claude/skills/alpha/KNOWLEDGE.md"));
    repo.sync(&["--check"]).expect(0);
}

#[test]
fn what_cannot_be_learned_is_refused() {
    let repo = synced();
    let tree = repo.tree();
    learn(&repo, &["alpah", "x"]).expect(65).says(&["did you mean `alpha`"]);
    learn(&repo, &["alpha", " "]).expect(64).says(&["empty"]);
    learn(&repo, &["alpha", &"x".repeat(501)]).expect(64).says(&["501"]);
    assert_eq!(repo.tree(), tree);
    repo.write("elsewhere.md", "# Mine\n");
    repo.link(KNOWLEDGE, "../../../elsewhere.md");
    learn(&repo, &["alpha", "x"]).expect(5).says(&["link"]);
    assert_eq!(repo.text("elsewhere.md"), "# Mine\n");
}

fn rows(skill: &str, result: &str, month: &str, count: usize) -> String {
    let row = |n: usize| json!({"timestamp": format!("{month}-{:02}T00:00:00Z", n + 1), "skill": skill, "action": format!("step {n}"), "result": result});
    (0..count).map(|n| row(n).to_string() + "\n").collect()
}

fn stats(repo: &Repo, args: &[&str]) -> Value {
    let ran = repo.canonry(&[&["skills", "stats", "--json", "--now", NOW], args].concat()).expect(0);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    let schema: Value = serde_json::from_str(include_str!("../../schemas/skill-stats.schema.json")).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&document) && !validator.is_valid(&json!({})), "{document:#}");
    document
}

#[test]
fn uses_failures_and_last_use_are_counted() {
    let repo = synced();
    repo.write(LOG, rows("alpha", "failure", "2026-04", 3) + &rows("alpha", "success", "2026-04", 3));
    repo.write(&format!("{SNAPSHOTS}/2026-01.jsonl"), rows("beta", "success", "2026-01", 2));
    let document = stats(&repo, &[]);
    let alpha = json!({"name": "alpha", "uses": 6, "failures": 3, "violations": 0, "last_used": "2026-04-03T00:00:00Z", "advice": "rewrite"});
    let beta = json!({"name": "beta", "uses": 2, "failures": 0, "violations": 0, "last_used": "2026-01-02T00:00:00Z", "advice": "stale"});
    assert_eq!(document["skills"], json!([alpha, beta]));
    assert_eq!(stats(&repo, &["beta"])["skills"], json!([beta]));
    repo.canonry(&["skills", "stats", "--now", NOW]).expect(0).says(&["alpha     6         3", "stale"]);
}

#[test]
fn a_dream_proposes_a_rewrite_and_a_retirement_once() {
    let repo = synced();
    let proposals = |repo: &Repo, day: u8| -> Vec<String> {
        repo.canonry(&["dream", "--now", &format!("2026-05-{day:02}T03:00:00Z")]).expect(0);
        let waiting = repo.waiting();
        let upkeep = waiting.iter().filter(|one| one["kind"] == "upkeep");
        upkeep.filter_map(|one| one["text"].as_str()).map(str::to_owned).collect()
    };
    repo.write(LOG, rows("alpha", "failure", "2026-03", 6));
    repo.write(&format!("{SNAPSHOTS}/2026-01.jsonl"), rows("beta", "success", "2026-01", 2));
    repo.commit_all("log");
    let both = ["Rewrite the skill alpha: 6 of 6 uses failed", "Retire the skill beta: last used on 2026-01-02"];
    assert_eq!(proposals(&repo, 1), both);
    assert_eq!(proposals(&repo, 2), both);
    let args = ["reject", "--kind", "upkeep", "--reason", "we know", "--now", "2026-03-20T00:00:00Z"];
    repo.review_command(&args).expect(0);
    assert!(proposals(&repo, 3).is_empty());
    // Only what happened after the decision counts.
    repo.append(LOG, &rows("alpha", "failure", "2026-04", 5));
    assert_eq!(proposals(&repo, 4), ["Rewrite the skill alpha: 5 of 5 uses failed"]);
}
