//! What is done the same way again and again becomes the draft of a skill; a constraint that was not kept, a lesson.

use crate::dream::review::REVIEW;
use crate::dream::team::{LESSONS, LOG, NOW, row, team};
use serde_json::{Value, json};

const HOW: &str = "issue the new key first, revoke the old one last";

/// A row that went well.
fn went(id: &str, skill: &str, action: &str, reflection: &str) -> String {
    let row = json!({
        "id": id, "timestamp": "2026-04-30T03:00:00Z", "skill": skill, "action": action, "result": "success",
        "pain_score": 2, "reflection": reflection,
    });
    format!("{row}\n")
}

pub fn thrice(action: &str, skill: &str) -> String {
    (1..=3).map(|n| went(&format!("{action}{n}"), skill, action, if n == 2 { HOW } else { "" })).collect()
}

#[test]
fn three_times_the_same_way_proposes_a_skill() {
    let repo = team(thrice("Rotate the signing key", "general"));
    repo.dream(&[]).expect(0).says(&["promoted 0, decayed 0, kept 3, staged 1"]);
    let waiting = repo.waiting();
    assert_eq!(waiting[0]["candidate"], "skill:rotate-signing-key");
    assert!(!repo.exists("agent/skills/rotate-signing-key"), "nothing is promoted past a person");
    let draft = repo.desk(&["review", "skill:rotate"]).expect(3);
    let draft = draft.says(&["  | name: rotate-signing-key", HOW]);
    let shown: String =
        draft.stdout.lines().filter_map(|line| line.strip_prefix("  | ")).map(|l| format!("{l}\n")).collect();
    let ran = repo.settle("accept", "skill:rotate-signing-key", &[]).expect(0);
    let path = "agent/skills/rotate-signing-key/SKILL.md";
    assert_eq!(repo.text(path), shown, "what was shown is what is written");
    ran.says(&["skill accepted: rotate-signing-key", &format!("wrote     {path}"), "draft"]);
    assert_eq!(repo.head_changes(), [format!("M {REVIEW}"), format!("A {path}")]);
    assert!(repo.text(path).contains(&format!("## Steps\n\n- {HOW}\n")), "{}", repo.text(path));
    let told: Value = serde_json::from_str(&repo.check(&[path, "--format", "json"]).stdout).unwrap();
    assert_eq!(told["summary"]["errors"], 0, "{told:#}");
    let head = repo.head();
    repo.dream(&[]).expect(0);
    assert_eq!(repo.head(), head, "it is not proposed again");
}

#[test]
fn what_a_skill_does_already_is_not_proposed() {
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
fn a_name_that_is_taken() {
    let repo = team(thrice("Rotate the signing key", "general"));
    repo.dream(&[]).expect(0);
    repo.write("agent/skills/rotate-signing-key/notes.md", "mine\n");
    let before = repo.tree();
    repo.settle("accept", "skill:rotate-signing-key", &[]).expect(5).says(&["exists already", "--as NAME"]);
    assert_eq!(repo.tree(), before);
    repo.settle("accept", "skill:rotate-signing-key", &["--as", "Key rotation"]).expect(0);
    assert!(repo.text("agent/skills/key-rotation/SKILL.md").starts_with("---\nname: key-rotation\n"));
    assert_eq!(repo.text("agent/skills/rotate-signing-key/notes.md"), "mine\n");
}

#[test]
fn no_more_skills_wait_than_a_person_reads() {
    let log: String =
        (0..30).map(|n| thrice(&format!("do {} thing", ["x", "y"][n % 2].repeat(n + 1)), "general")).collect();
    let repo = team(log);
    repo.dream(&[]).expect(0).says(&["staged 10"]);
    let head = repo.head();
    repo.dream(&[]).expect(0);
    assert_eq!(repo.head(), head, "a second night finds no room either");
    let first = repo.waiting()[0]["candidate"].as_str().unwrap().to_owned();
    repo.settle("reject", &first, &[]).expect(0);
    repo.dream(&[]).expect(0).says(&["staged 1"]);
    assert!(repo.waiting().iter().all(|one| one["candidate"] != first.as_str()));
}

const KNOWLEDGE: &str = "# Alpha\n\n## Constraints\n\n- Never deploy on a Friday.\n- Keep two replicas.\n";

#[test]
fn a_constraint_that_was_not_kept_becomes_a_lesson() {
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
    let did = repo.dreamt(&[]);
    assert_eq!((&did["written"], &did["promoted"]), (&json!(["v1"]), &json!([])));
    let lessons = repo.text(LESSONS);
    assert!(lessons.contains("- Never deploy on a Friday. (episodes: v1, v2; pattern "), "{lessons}");
    assert_eq!(lessons.matches("\n- ").count(), 1, "{lessons}");
    assert_eq!(repo.text("agent/skills/alpha/KNOWLEDGE.md"), KNOWLEDGE, "what a person wrote stays");
    log("v4", "Never deploy on a Friday.");
    repo.dream(&[]).expect(0).says(&["promoted 0"]);
    assert_eq!(repo.text(LESSONS), lessons);
    assert!(repo.text(LOG).contains("\"violated\":\"never deploy on Friday\""));
}

#[test]
fn under_review_it_waits_too() {
    let repo = team("");
    repo.write("agent/canonry.yaml", "memory: {promotion: review}\n");
    repo.write("agent/skills/alpha/KNOWLEDGE.md", KNOWLEDGE);
    repo.commit_all("knowledge");
    repo.canonry(&["log", "--skill", "alpha", "--action", "x", "--violated", "keep two replicas", "--timestamp", NOW])
        .expect(0);
    repo.dream(&[]).expect(0).says(&["promoted 0", "staged 1"]);
    assert!(!repo.exists(LESSONS));
    let name = repo.waiting()[0]["candidate"].as_str().unwrap().to_owned();
    repo.settle("accept", &name, &[]).expect(0);
    assert!(repo.text(LESSONS).contains("- Keep two replicas. (episodes: "));
}

/// As rows come and go another row may speak for them: what a person has said no to stays so.
#[test]
fn a_skill_that_was_rejected_is_known_in_longer_words() {
    let repo = team(thrice("Rotate the signing key of the api", "general"));
    repo.dream(&[]).expect(0);
    repo.settle("reject", "skill:rotate-signing-key-api", &[]).expect(0);
    repo.write(LOG, thrice("Rotate the signing key of the api carefully", "general"));
    repo.dream(&[]).expect(0);
    assert!(repo.waiting().is_empty());
}
