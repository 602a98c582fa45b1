//! The review queue: a dream stages candidates, `memory review` lists them, `memory accept` and `memory reject` decide.

use crate::dream::skillforge::thrice;
use crate::dream::team::{LESSONS, LOG, NOW, row, team};
use crate::support::failpoints::{copy, failpoints, for_each_failpoint, kill};
use crate::support::repo::{Ran, Repo};
use crate::support::same::assert_same;
use serde_json::Value;

pub const REVIEW: &str = "agent/memory/semantic/REVIEW.jsonl";
const CONFIG: &str = "agent/canonry.yaml";
const POLICY: &str = "memory: {promotion: review}\n";

/// Two rows of a salient pattern, with the lesson they teach.
fn twice(name: &str, lesson: &str) -> String {
    let row = |id: &str, days: i64| row(id, days, name, 9).replace(&format!("{name} teaches"), lesson);
    row(&format!("{name}1"), 1) + &row(&format!("{name}2"), 2)
}

fn reviewed(log: &str) -> Repo {
    let repo = team(log);
    repo.write(CONFIG, POLICY);
    repo.commit_all("policy");
    repo
}

impl Repo {
    pub fn review_command(&self, args: &[&str]) -> Ran {
        self.canonry(&[&["memory"], args].concat())
    }

    /// Returns the waiting candidates.
    #[track_caller]
    pub fn waiting(&self) -> Vec<Value> {
        let ran = self.review_command(&["review", "--format", "json"]);
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        let schema: Value = serde_json::from_str(include_str!("../../../schemas/memory-review.schema.json")).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&document) && !validator.is_valid(&serde_json::json!({})), "{document:#}");
        let waiting = document["candidates"].as_array().unwrap().clone();
        assert_eq!(document["waiting"], waiting.len());
        ran.expect(if waiting.is_empty() { 0 } else { 3 });
        waiting
    }

    #[track_caller]
    pub fn decide(&self, what: &str, candidate: &str, more: &[&str]) -> Ran {
        let args = [&[what, candidate, "--reason", "we agreed", "--now", NOW], more].concat();
        self.review_command(&args)
    }

    fn only(&self) -> String {
        let waiting = self.waiting();
        assert_eq!(waiting.len(), 1, "{waiting:?}");
        waiting[0]["candidate"].as_str().unwrap().to_owned()
    }
}

#[test]
fn with_promotion_review_a_dream_promotes_nothing() {
    let repo = reviewed(&twice("a", "use tabs"));
    let ran = repo.dream(&[]).expect(0).says(&["1 proposal waits for review.", REVIEW]);
    assert!(ran.stdout.contains("proposed    agent/memory/semantic/REVIEW.jsonl"), "{}", ran.stdout);
    assert!(!repo.exists(LESSONS));
    assert_eq!(repo.head_changes(), [format!("A {REVIEW}")]);
    let tree = repo.tree();
    let head = repo.head();
    repo.dream(&[]).expect(0);
    assert_same(&repo.tree(), &tree, "after a second night");
    assert_eq!(repo.head(), head);
    let waiting = repo.waiting();
    assert_eq!(
        (&waiting[0]["text"], &waiting[0]["of"], &waiting[0]["kind"]),
        (&"use tabs".into(), &2.into(), &"lesson".into())
    );
    repo.review_command(&["review"]).expect(3).says(&[
        "use tabs",
        "1 candidate waits for a decision",
        "canonry memory accept",
    ]);
}

#[test]
fn a_growing_pattern_is_staged_only_once() {
    let repo = reviewed(&twice("a", "use tabs"));
    for night in 0..5 {
        repo.canonry(&[
            "log",
            "--action",
            "a",
            "--skill",
            "s",
            "--pain",
            "9",
            "--importance",
            "10",
            "--timestamp",
            NOW,
        ])
        .expect(0);
        repo.dream(&[]).expect(0);
        assert_eq!(repo.waiting().len(), 1, "night {night}");
    }
    assert_eq!(repo.text(REVIEW).lines().count(), 1);
}

#[test]
fn accepting_needs_a_reason_and_records_the_user() {
    let repo = reviewed(&twice("a", "use tabs"));
    repo.dream(&[]).expect(0);
    let name = repo.only();
    repo.review_command(&["accept", &name]).expect(64).says(&["--reason"]);
    repo.review_command(&["accept", &name, "--reason", " "]).expect(64).says(&["--reason", "empty"]);
    repo.write("mine", "staged\n");
    repo.git(&["add", "mine"]);
    repo.decide("accept", &name[..6], &[]).expect(0).says(&["lesson accepted: use tabs", "Committed as"]);
    assert!(
        repo.text(LESSONS).contains(&format!("\n## 2026-05-01\n\n- use tabs (episodes: a1, a2; pattern {name})\n"))
    );
    let word: Value = serde_json::from_str(repo.text(REVIEW).lines().last().unwrap()).unwrap();
    let who = format!("{} <{}>", repo.git(&["config", "user.name"]), repo.git(&["config", "user.email"]));
    assert_eq!((&word["event"], &word["by"], &word["reason"]), (&"accepted".into(), &who.into(), &"we agreed".into()));
    assert_eq!(repo.head_changes(), [format!("A {LESSONS}"), format!("M {REVIEW}")]);
    assert_eq!(repo.git(&["log", "-1", "--format=%s%n%b"]).trim(), "lesson accepted: use tabs\nwe agreed");
    assert_eq!(repo.git(&["status", "--porcelain"]), "A  mine");
    let head = repo.head();
    repo.dream(&[]).expect(0);
    repo.decide("accept", &name, &[]).expect(0).says(&["was already accepted"]);
    assert_eq!(repo.head(), head);
    assert_eq!(repo.waiting(), Vec::<Value>::new());
    repo.review_command(&["review"]).expect(0).says(&["No candidates wait"]);
    repo.review_command(&["review", "--all"]).expect(0).says(&["accepted by", "we agreed"]);
}

/// New rows in the log are not committed. With `memory.branch`, decisions are committed there, and skills on the code's
/// branch.
#[test]
fn a_decision_commits_only_its_own_files_to_the_right_branch() {
    let repo = reviewed(&twice("a", "use tabs"));
    repo.dream(&[]).expect(0);
    repo.canonry(&["log", "--action", "today", "--timestamp", NOW]).expect(0);
    repo.decide("accept", &repo.only(), &[]).expect(0);
    assert_eq!(repo.git(&["status", "--porcelain"]), format!(" M {LOG}"));

    let repo = team(twice("a", "use tabs") + &thrice("Rotate the key", "general"));
    repo.write(CONFIG, "memory: {promotion: review, branch: memory}\n");
    repo.commit_all("policy");
    repo.dream(&[]).expect(0);
    let head = repo.head();
    for one in repo.waiting() {
        repo.decide("accept", one["candidate"].as_str().unwrap(), &[]).expect(0);
    }
    assert_eq!(repo.head(), head);
    let story = repo.git(&["log", "--format=%s", "memory", "--", "agent/memory"]);
    assert_eq!(
        story,
        "skill accepted: rotate-key\nlesson accepted: use tabs\ndream cycle: promoted 0, decayed 0, kept 5, staged 2"
    );
    assert!(repo.exists("agent/skills/rotate-key/SKILL.md"));
    assert_eq!(repo.git(&["ls-tree", "-r", "--name-only", "memory", "agent/skills"]), "");
    assert_eq!(repo.git(&["show", &format!("memory:{REVIEW}")]), repo.text(REVIEW).trim_end());
}

#[test]
fn undo_reverts_a_dream_that_staged_a_candidate() {
    let repo = reviewed(&twice("a", "use tabs"));
    repo.write(LESSONS, "# Ours\n");
    repo.commit_all("lessons");
    let before = repo.tree();
    repo.dream(&[]).expect(0);
    let dreamt = repo.tree();
    repo.review_command(&["undo"]).expect(0);
    assert_same(&repo.tree(), &before, "after the undo");
    repo.dream(&[]).expect(0);
    assert_same(&repo.tree(), &dreamt, "dreamt again");
    // A decision made in between stays, and applies when the same candidate is found again.
    repo.decide("reject", &repo.only(), &[]).expect(0);
    repo.review_command(&["undo"]).expect(0);
    repo.dream(&[]).expect(0);
    assert!(repo.waiting().is_empty());
    assert_eq!(repo.text(LESSONS), "# Ours\n");
}

#[test]
fn a_reworded_pattern_is_not_staged_again() {
    let repo = reviewed(&twice("a", "use tabs"));
    repo.dream(&[]).expect(0);
    repo.decide("accept", &repo.only(), &["--as", "Indent with tabs.", "--no-commit"]).expect(0);
    assert!(repo.text(LESSONS).contains("- Indent with tabs. (episodes: a1, a2; pattern "));
    repo.dream(&["--no-commit"]).expect(0);
    assert_eq!(repo.text(LESSONS).matches("\n- ").count(), 1);
}

#[test]
fn a_rejected_candidate_is_not_staged_again() {
    let repo = reviewed(&twice("a", "use tabs"));
    repo.dream(&[]).expect(0);
    let name = repo.only();
    repo.decide("reject", &name, &[]).expect(0).says(&["lesson rejected: use tabs"]);
    repo.decide("reject", &name, &[]).expect(0).says(&["was already rejected"]);
    for policy in [POLICY, "memory: {promotion: auto}\n"] {
        repo.write(CONFIG, policy);
        repo.dream(&[]).expect(0).says(&["Nothing new: 2 episodes kept."]);
        assert!(!repo.exists(LESSONS) && repo.waiting().is_empty(), "{policy}");
    }
    // The user may still accept it later.
    repo.decide("accept", &name, &[]).expect(0);
    assert!(repo.text(LESSONS).contains("use tabs"));
}

#[test]
fn a_candidate_that_contradicts_a_lesson_waits_for_a_decision() {
    let own = "# Ours\n\n- Avoid tabs.\n- Keep it short.\n";
    let begun = || {
        let repo = team(twice("a", "use tabs") + &twice("b", "rebase often"));
        repo.write(LESSONS, own);
        repo.commit_all("lessons");
        repo.dream(&[]).expect(0).says(&["1 lesson learned, 1 proposal waits for review."]);
        let name = repo.only();
        repo.review_command(&["review"])
            .expect(3)
            .says(&["contradicts agent/memory/semantic/LESSONS.md:3: Avoid tabs."]);
        let before = repo.tree();
        repo.decide("accept", &name, &[]).expect(5).says(&["LESSONS.md:3: Avoid tabs.", "--supersede", "reject"]);
        assert_same(&repo.tree(), &before, "after the refusal");
        (repo, name)
    };
    let (repo, name) = begun();
    assert!(repo.text(LESSONS).starts_with(own) && repo.text(LESSONS).contains("- rebase often (episodes: b1, b2"));
    repo.decide("reject", &name, &[]).expect(0);
    assert!(repo.text(LESSONS).starts_with(own));

    let (repo, name) = begun();
    repo.decide("accept", &name, &["--supersede"]).expect(0);
    let lessons = repo.text(LESSONS);
    assert!(
        lessons.starts_with("# Ours\n\n- ~~Avoid tabs.~~ (superseded 2026-05-01)\n- Keep it short.\n"),
        "{lessons}"
    );
    assert!(lessons.contains("- use tabs (episodes: a1, a2; pattern "), "{lessons}");
    repo.canonry(&["recall", "tabs"]).expect(0).says(&["use tabs"]).says_nothing_of(&["Avoid"]);
    let head = repo.head();
    repo.dream(&[]).expect(0);
    assert_eq!(repo.head(), head);

    // The user removes the lesson by hand: the contradiction is gone.
    let (repo, name) = begun();
    repo.write(LESSONS, repo.text(LESSONS).replace("- Avoid tabs.\n", ""));
    repo.decide("accept", &name, &[]).expect(0);
    let (repo, name) = begun();
    repo.decide("accept", &name, &["--as", "use tabs only in makefiles"]).expect(0);
    assert!(repo.text(LESSONS).starts_with(own));
}

#[test]
fn contradicting_candidates_block_each_other() {
    let repo = team(twice("a", "always rebase") + &twice("b", "never rebase"));
    repo.dream(&[]).expect(0).says(&["2 proposals wait for review."]);
    let waiting = repo.waiting();
    let names: Vec<&str> = waiting.iter().map(|one| one["candidate"].as_str().unwrap()).collect();
    repo.decide("accept", names[0], &[]).expect(5).says(&["contradicts candidate", names[1], "never rebase"]);
    repo.decide("accept", names[1], &[]).expect(5).says(&["contradicts candidate", names[0], "always rebase"]);
    repo.decide("accept", names[0], &["--supersede"]).expect(0);
    assert!(repo.waiting().is_empty());
    repo.review_command(&["review", "--all"]).expect(0).says(&["rejected by", &format!("superseded by {}", names[0])]);
    // A later candidate is compared with the accepted lesson.
    repo.write(LOG, repo.text(LOG) + &twice("c", "do not rebase"));
    repo.dream(&[]).expect(0).says(&["1 proposal waits for review."]);
    repo.decide("accept", &repo.only(), &[]).expect(5).says(&["LESSONS.md:", "always rebase"]);
}

/// A lesson more than a year old without rows in the log, one whose pattern recurred, and hand-written ones.
#[test]
fn a_lesson_without_rows_for_a_year_is_proposed_for_retirement() {
    let repo = team(twice("a", "use tabs"));
    repo.dream(&["--no-commit"]).expect(0);
    let seen = repo.text(LESSONS).lines().find(|line| line.contains("use tabs")).unwrap().to_owned();
    let old = "- Pin the compiler. (episodes: x1, x2; pattern 0123456789abcdef)";
    let text = format!("# Ours\n\n- by hand\n\n## 2025-01-01\n\n{seen}\n{old}\n- by hand too\n");
    repo.write(LESSONS, &text);
    repo.commit_all("lessons");
    let never = crate::support::failpoints::copy(&repo);
    never.write(CONFIG, "memory: {retire_lessons_after_days: 0}\n");
    never.dream(&[]).expect(0);
    assert!(never.waiting().is_empty());
    repo.dream(&[]).expect(0).says(&["1 proposal waits for review."]);
    let name = repo.only();
    assert_eq!(name, "retire:0123456789abcdef");
    assert_eq!(repo.text(LESSONS), text, "only a person retires a lesson");
    repo.review_command(&["review"]).expect(3).says(&["retire", "Pin the compiler."]);
    let kept = crate::support::failpoints::copy(&repo);
    repo.decide("accept", &name, &[]).expect(0).says(&["lesson retired: Pin the compiler."]);
    assert_eq!(repo.text(LESSONS), text.replace(&format!("{old}\n"), ""));
    let archive = "agent/memory/semantic/archive/LESSONS.md";
    assert!(repo.text(archive).ends_with(&format!("\n\n{old}\n")), "{}", repo.text(archive));
    assert_eq!(repo.head_changes(), [format!("M {LESSONS}"), format!("M {REVIEW}"), format!("A {archive}")]);
    kept.decide("reject", &name, &[]).expect(0);
    for repo in [&repo, &kept] {
        let head = repo.head();
        repo.dream(&[]).expect(0);
        assert_eq!(repo.head(), head);
        assert!(repo.waiting().is_empty());
    }
    assert_eq!(kept.text(LESSONS), text);
}

#[test]
fn an_unknown_or_ambiguous_candidate_id_is_refused() {
    let repo = reviewed(&twice("a", "use tabs"));
    repo.review_command(&["review"]).expect(0).says(&["No candidates wait"]);
    repo.dream(&[]).expect(0);
    for name in ["", "zzzz", &repo.only()[..3]] {
        repo.decide("accept", name, &[]).expect(65).says(&["there is no candidate", "memory review"]);
    }
    repo.review_command(&["review", "zzzz"]).expect(65);
}

#[test]
fn an_unreadable_line_of_the_queue_is_skipped() {
    let repo = reviewed(&twice("a", "use tabs"));
    repo.write(REVIEW, "oops");
    repo.dream(&[]).expect(0);
    assert!(repo.text(REVIEW).starts_with("oops\n{\"event\":\"staged\""), "{}", repo.text(REVIEW));
    repo.review_command(&["review"]).expect(3).says(&["REVIEW.jsonl:1: expected value", "use tabs"]);
    repo.decide("accept", &repo.only(), &[]).expect(0);
    assert!(repo.text(REVIEW).starts_with("oops\n"));
}

/// Whatever a line contains, a skill becomes a folder directly below `skills/`, and output is plain text on one line.
#[test]
fn malicious_lines_write_no_other_path_and_no_control_characters() {
    let repo = reviewed(&twice("a", "use tabs"));
    let line = |name: &str, kind: &str, text: &str| {
        let staged = serde_json::json!({
            "event": "staged", "candidate": name, "kind": kind, "date": "2026-05-01", "text": text,
            "steps": ["---\n# x"], "episodes": ["../x"], "of": 3,
        });
        format!("{staged}\n")
    };
    let text = "red \u{1b}[31m\nSigned-off-by: nobody";
    repo.write(REVIEW, line("skill:../../../evil", "skill", "x") + &line("abcd", "lesson", text));
    let shown = repo.review_command(&["review"]).expect(3);
    assert!(!shown.stdout.contains('\u{1b}') && !shown.stdout.contains("\nSigned"), "{}", shown.stdout);
    let ran = repo.decide("accept", "skill:../../../evil", &[]).expect(0);
    assert!(ran.stdout.contains("wrote     agent/skills/evil/SKILL.md"), "{}", ran.stdout);
    assert!(repo.text("agent/skills/evil/SKILL.md").contains("\n- --- # x\n"));
    let ran = repo.decide("accept", "abcd", &[]).expect(0);
    assert!(!ran.stdout.contains('\u{1b}') && !ran.stdout.contains("\nSigned"), "{}", ran.stdout);
    assert_eq!(repo.git(&["log", "-1", "--format=%s"]), "lesson accepted: red [31m Signed-off-by: nobody");
    repo.remove(LESSONS);
    repo.link(LESSONS, "../../AGENTS.md");
    repo.decide("reject", "abcd", &[]).expect(65).says(&["is a link"]);
}

/// Some editors save a file this way.
#[test]
fn a_queue_without_a_final_newline_is_continued() {
    let repo = reviewed(&(twice("a", "use tabs") + &twice("b", "rebase often")));
    repo.dream(&[]).expect(0);
    repo.write(REVIEW, repo.text(REVIEW).trim_end());
    for one in repo.waiting() {
        repo.decide("accept", one["candidate"].as_str().unwrap(), &[]).expect(0);
    }
    assert!(repo.waiting().is_empty());
    assert_eq!(repo.text(REVIEW).lines().count(), 4);
}

#[test]
fn a_merge_in_progress_refuses_a_decision() {
    let repo = reviewed(&twice("a", "use tabs"));
    repo.dream(&[]).expect(0);
    let name = repo.only();
    std::fs::write(repo.path(".git/MERGE_HEAD"), repo.head()).unwrap();
    let before = repo.tree();
    repo.decide("accept", &name, &[]).expect(5).says(&["merge"]);
    assert_same(&repo.tree(), &before, "in a merge");
}

#[test]
fn decisions_of_two_branches_are_merged() {
    for driver in [&[][..], &["install", "merge-driver"]] {
        let repo = reviewed(&(twice("a", "use tabs") + &twice("b", "rebase often")));
        repo.dream(&[]).expect(0);
        if driver.is_empty() {
            repo.write(".gitattributes", format!("/{REVIEW} merge=union\n/{LESSONS} merge=union\n"));
        } else {
            repo.canonry(driver).expect(0);
        }
        repo.commit_all("attributes");
        let names: Vec<String> =
            repo.waiting().iter().map(|one| one["candidate"].as_str().unwrap().to_owned()).collect();
        repo.git(&["checkout", "-qb", "other"]);
        repo.decide("accept", &names[0], &[]).expect(0);
        repo.git(&["checkout", "-q", "-"]);
        repo.decide("reject", &names[1], &[]).expect(0);
        repo.git(&["merge", "-q", "-m", "both", "other"]);
        assert!(repo.waiting().is_empty());
        repo.review_command(&["review", "--all"]).expect(0).says(&["accepted by", "rejected by"]);
    }
}

#[test]
fn a_decision_survives_a_kill_at_any_write() {
    let lesson = team(twice("a", "use tabs"));
    lesson.write(LESSONS, "# Ours\n\n- Avoid tabs.\n");
    let skill = team(thrice("Rotate the key", "general"));
    for template in [lesson, skill] {
        template.git(&["add", "-A"]);
        template.git(&["commit", "-q", "--allow-empty", "-m", "begun"]);
        template.dream(&[]).expect(0);
        kill_everywhere(&template);
    }
}

fn kill_everywhere(template: &Repo) {
    let name = template.only();
    let line = ["memory", "accept", &name, "--supersede", "--reason", "we agreed", "--now", NOW];
    let uninterrupted = copy(template);
    let failpoints = failpoints(&uninterrupted, &line);
    assert!(failpoints.len() > 20, "{}", failpoints.len());
    let after = uninterrupted.tree();
    let story = uninterrupted.git(&["log", "--format=%s"]);
    for_each_failpoint(&failpoints, |failpoint| {
        let repo = copy(template);
        kill(&repo, &line, failpoint);
        repo.canonry(&line).expect(0);
        assert_same(&repo.tree(), &after, &format!("after a kill at {failpoint:?}"));
        assert_eq!(repo.git(&["status", "--porcelain"]), "", "{failpoint:?}");
        assert_eq!(repo.git(&["log", "--format=%s"]), story, "{failpoint:?}");
    });
}
