//! Several candidates of the review queue in one decision and one commit.

use crate::dream::review::REVIEW;
use crate::dream::team::{LESSONS, LOG, NOW, row, team};
use crate::support::repo::Repo;

const ACTIONS: [&str; 4] = ["format the sources", "compile a parser", "deploy our site", "rotate signing keys"];

/// Repeated patterns, each with its lesson, staged for review.
pub fn staged(lessons: &[&str]) -> Repo {
    let twice = |(at, lesson): (usize, &&str)| {
        let action = ACTIONS[at];
        let row = |id: &str, days: i64| row(id, days, action, 9).replace(&format!("{action} teaches"), lesson);
        row(&format!("{at}-1"), 1) + &row(&format!("{at}-2"), 2)
    };
    let repo = team(lessons.iter().enumerate().map(twice).collect::<String>());
    repo.write("agent/canonry.yaml", "memory: {promotion: review}\n");
    repo.commit_all("policy");
    repo.dream(&[]).expect(0);
    assert_eq!(repo.waiting().len(), lessons.len());
    repo
}

impl Repo {
    fn commits(&self) -> usize {
        self.git(&["rev-list", "--count", "HEAD"]).parse().unwrap()
    }

    fn names(&self) -> Vec<String> {
        self.waiting().iter().map(|one| one["candidate"].as_str().unwrap().to_owned()).collect()
    }
}

#[test]
fn several_candidates_are_accepted_in_one_commit() {
    let repo = staged(&["use tabs", "run the linter", "keep commits small"]);
    let names = repo.names();
    let before = repo.commits();
    let args = ["accept", &names[0], &names[2][..6], "--reason", "agreed", "--now", NOW];
    repo.review_command(&args).expect(0).says(&["lesson accepted: use tabs", "lesson accepted: keep commits small"]);
    assert_eq!(repo.commits(), before + 1);
    let message = repo.git(&["log", "-1", "--format=%B"]);
    assert!(message.starts_with("2 candidates accepted\n\nagreed\n\n- lesson accepted: use tabs\n"), "{message}");
    assert_eq!(repo.head_changes(), [format!("A {LESSONS}"), format!("M {REVIEW}")]);
    let lessons = repo.text(LESSONS);
    assert_eq!(lessons.matches("## 2026-05-01").count(), 1, "{lessons}");
    assert!(lessons.contains("- use tabs (") && lessons.contains("- keep commits small ("), "{lessons}");
    assert_eq!(repo.names(), [names[1].clone()]);
}

#[test]
fn all_of_a_kind_are_rejected_in_one_commit() {
    let repo = staged(&["use tabs", "run the linter"]);
    let before = repo.commits();
    repo.review_command(&["reject", "--kind", "skill", "-r", "no"]).expect(0).says(&["No candidates wait"]);
    assert_eq!(repo.commits(), before);
    repo.review_command(&["reject", "--kind", "lesson", "-r", "no"]).expect(0);
    assert_eq!(repo.commits(), before + 1);
    assert!(repo.waiting().is_empty() && !repo.exists(LESSONS));
    assert_eq!(repo.text(REVIEW).matches(r#""event":"rejected""#).count(), 2);
}

#[test]
fn contradictions_are_left_alone_and_the_rest_is_decided() {
    let repo = staged(&["always squash merges", "use tabs", "never squash merges"]);
    let ran = repo.review_command(&["accept", "--all", "--reason", "agreed"]).expect(5);
    assert!(ran.stdout.contains("lesson accepted: use tabs"), "{}", ran.stdout);
    assert!(ran.stderr.contains("contradicts") && ran.stderr.contains("2 candidates left undecided"), "{}", ran.stderr);
    assert_eq!(repo.waiting().len(), 2);
    // The first one wins; the other was rejected by that and must not be accepted after all.
    repo.review_command(&["accept", "--all", "--supersede", "--reason", "agreed"]).expect(5);
    assert!(repo.waiting().is_empty());
    let lessons = repo.text(LESSONS);
    assert!(lessons.contains("always squash") && !lessons.contains("never squash"), "{lessons}");
}

#[test]
fn an_unknown_name_decides_nothing() {
    let repo = staged(&["use tabs", "run the linter"]);
    let names = repo.names();
    let tree = repo.tree();
    repo.review_command(&["accept", &names[0], "no-such", "-r", "x"]).expect(65).says(&["no-such"]);
    for args in [&["accept", "-r", "x"][..], &["accept", "--all", &names[0], "-r", "x"], &["reject", "--all"]] {
        repo.review_command(args).expect(64);
    }
    let both = [&names[0][..], &names[1]];
    repo.review_command(&["accept", both[0], both[1], "--as", "t", "-r", "x"])
        .expect(64)
        .says(&["--as", "one candidate"]);
    repo.review_command(&["accept", both[0], both[1], "--to", "agents"]).expect(64).says(&["--to", "one candidate"]);
    assert_eq!(repo.tree(), tree);
}

#[test]
fn the_number_of_episodes_is_current() {
    let repo = staged(&["use tabs"]);
    assert_eq!(repo.waiting()[0]["of"], 2);
    repo.append(LOG, &row("late", 0, ACTIONS[0], 9));
    assert_eq!(repo.waiting()[0]["of"], 3);
    repo.review_command(&["accept", "--all", "-r", "agreed"]).expect(0);
    assert!(repo.text(LESSONS).contains("and 1 more"), "{}", repo.text(LESSONS));
}
