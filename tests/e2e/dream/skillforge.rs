//! Recurring successful work becomes a draft skill; a violated constraint becomes a lesson.

use crate::dream::review::REVIEW;
use crate::dream::team::{LESSONS, LOG, NOW, row, team};
use serde_json::{Value, json};

const HOW: &str = "issue the new key first, revoke the old one last";

/// A successful row.
fn successful(id: &str, skill: &str, action: &str, reflection: &str) -> String {
    let row = json!({
        "id": id, "timestamp": "2026-04-30T03:00:00Z", "skill": skill, "action": action, "result": "success",
        "pain_score": 2, "reflection": reflection,
    });
    format!("{row}\n")
}

pub fn thrice(action: &str, skill: &str) -> String {
    (1..=3).map(|n| successful(&format!("{action}{n}"), skill, action, if n == 2 { HOW } else { "" })).collect()
}

#[test]
fn three_equal_successes_propose_a_skill() {
    let repo = team(thrice("Rotate the signing key", "general"));
    repo.dream(&[]).expect(0).says(&["1 proposal waits for review."]);
    let waiting = repo.waiting();
    assert_eq!(waiting[0]["candidate"], "skill:rotate-signing-key");
    assert!(!repo.exists("agent/skills/rotate-signing-key"), "a person must accept it first");
    let draft = repo.review_command(&["review", "skill:rotate"]).expect(3);
    let draft = draft.says(&["  | name: rotate-signing-key", HOW]);
    let shown: String =
        draft.stdout.lines().filter_map(|line| line.strip_prefix("  | ")).map(|l| format!("{l}\n")).collect();
    let ran = repo.decide("accept", "skill:rotate-signing-key", &[]).expect(0);
    let path = "agent/skills/rotate-signing-key/SKILL.md";
    assert_eq!(repo.text(path), shown, "the written file equals the preview");
    ran.says(&["skill accepted: rotate-signing-key", &format!("wrote     {path}"), "draft"]);
    assert_eq!(repo.head_changes(), [format!("M {REVIEW}"), format!("A {path}")]);
    assert!(repo.text(path).contains(&format!("## Steps\n\n- {HOW}\n")), "{}", repo.text(path));
    let document: Value = serde_json::from_str(&repo.check(&[path, "--format", "json"]).stdout).unwrap();
    assert_eq!(document["summary"]["errors"], 0, "{document:#}");
    let head = repo.head();
    repo.dream(&[]).expect(0);
    assert_eq!(repo.head(), head, "it is not staged again");
}

#[test]
fn work_covered_by_an_existing_skill_is_not_proposed() {
    for log in [
        thrice("Rotate the signing key", "alpha"),
        thrice("Alpha", "general"),
        thrice("Rotate the signing key", "general").replace("success", "failure"),
        thrice("Rotate the signing key", "general").lines().take(2).map(|line| format!("{line}\n")).collect(),
        thrice("Rotate the signing key", "general").replace(HOW, ""),
    ] {
        let repo = team(&log);
        repo.dream(&[]).expect(0);
        assert!(repo.waiting().is_empty(), "{log}");
    }
}

#[test]
fn an_existing_skill_folder_is_not_overwritten() {
    let repo = team(thrice("Rotate the signing key", "general"));
    repo.dream(&[]).expect(0);
    repo.write("agent/skills/rotate-signing-key/notes.md", "mine\n");
    let before = repo.tree();
    repo.decide("accept", "skill:rotate-signing-key", &[]).expect(5).says(&["exists already", "--as NAME"]);
    assert_eq!(repo.tree(), before);
    repo.decide("accept", "skill:rotate-signing-key", &["--as", "Key rotation"]).expect(0);
    assert!(repo.text("agent/skills/key-rotation/SKILL.md").starts_with("---\nname: key-rotation\n"));
    assert_eq!(repo.text("agent/skills/rotate-signing-key/notes.md"), "mine\n");
}

#[test]
fn at_most_ten_skill_candidates_wait() {
    let log: String =
        (0..30).map(|n| thrice(&format!("do {} thing", ["x", "y"][n % 2].repeat(n + 1)), "general")).collect();
    let repo = team(log);
    repo.dream(&[]).expect(0).says(&["10 proposals wait for review."]);
    let head = repo.head();
    repo.dream(&[]).expect(0);
    assert_eq!(repo.head(), head, "the queue is still full");
    let first = repo.waiting()[0]["candidate"].as_str().unwrap().to_owned();
    repo.decide("reject", &first, &[]).expect(0);
    repo.dream(&[]).expect(0).says(&["1 proposal waits for review."]);
    assert!(repo.waiting().iter().all(|one| one["candidate"] != first.as_str()));
}

const KNOWLEDGE: &str = "# Alpha\n\n## Constraints\n\n- Never deploy on a Friday.\n- Keep two replicas.\n";

#[test]
fn a_violated_constraint_becomes_a_lesson() {
    let repo = team(row("b1", 1, "b", 1));
    repo.write("agent/skills/alpha/KNOWLEDGE.md", KNOWLEDGE);
    repo.commit_all("knowledge");
    let log = |id: &str, violated: &str| {
        let args = ["log", "--id", id, "--skill", "alpha", "--action", id, "--violated", violated, "--timestamp", NOW];
        repo.canonry(&args).expect(0);
    };
    log("v1", "never deploy on Friday");
    log("v2", "Never deploy on a Friday");
    log("v3", "never deploy on a Monday");
    let did = repo.dream_json(&[]);
    assert_eq!((&did["written"], &did["promoted"]), (&json!(["v1"]), &json!([])));
    let lessons = repo.text(LESSONS);
    assert!(lessons.contains("- Never deploy on a Friday. (episodes: v1, v2; pattern "), "{lessons}");
    assert_eq!(lessons.matches("\n- ").count(), 1, "{lessons}");
    assert_eq!(repo.text("agent/skills/alpha/KNOWLEDGE.md"), KNOWLEDGE, "the user's file is unchanged");
    log("v4", "Never deploy on a Friday.");
    repo.dream(&[]).expect(0).says_nothing_of(&["learned"]);
    assert_eq!(repo.text(LESSONS), lessons);
    assert!(repo.text(LOG).contains("\"violated\":\"never deploy on Friday\""));
}

#[test]
fn with_promotion_review_a_violated_constraint_waits_too() {
    let repo = team("");
    repo.write("agent/canonry.yaml", "memory: {promotion: review}\n");
    repo.write("agent/skills/alpha/KNOWLEDGE.md", KNOWLEDGE);
    repo.commit_all("knowledge");
    repo.canonry(&["log", "--skill", "alpha", "--action", "x", "--violated", "keep two replicas", "--timestamp", NOW])
        .expect(0);
    repo.dream(&[]).expect(0).says(&["1 proposal waits for review."]).says_nothing_of(&["learned"]);
    assert!(!repo.exists(LESSONS));
    let name = repo.waiting()[0]["candidate"].as_str().unwrap().to_owned();
    repo.decide("accept", &name, &[]).expect(0);
    assert!(repo.text(LESSONS).contains("- Keep two replicas. (episodes: "));
}

/// Rows come and go, so another row may represent the pattern. A rejection applies to the pattern.
#[test]
fn a_rejected_skill_is_recognised_in_other_spelling() {
    let repo = team(thrice("Rotate the signing key of the api", "general"));
    repo.dream(&[]).expect(0);
    repo.decide("reject", "skill:rotate-signing-key-api", &[]).expect(0);
    repo.write(LOG, thrice("rotate the  signing key of the API.", "general"));
    repo.dream(&[]).expect(0);
    assert!(repo.waiting().is_empty());
}
