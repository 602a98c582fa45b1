//! What a dream learns, what it asks, and what it never learns again.

use crate::dream::team::{LESSONS, LOG, row, team};
use crate::support::repo::Repo;

const REVIEW: &str = "agent/memory/semantic/REVIEW.jsonl";

/// A call as a hook logs it.
fn call(second: u8, action: &str, result: &str) -> String {
    let pain = if result == "failure" { 8 } else { 2 };
    format!(
        "{{\"timestamp\": \"2026-04-30T00:00:{second:02}Z\", \"action\": \"{action}\", \"result\": \"{result}\", \
         \"context\": \"session s1, claude\", \"pain_score\": {pain}, \"importance\": 7}}\n"
    )
}

fn lessons(repo: &Repo) -> String {
    if repo.exists(LESSONS) { repo.text(LESSONS) } else { String::new() }
}

/// A repository in which a dream has learned that tabs are used, and committed it.
fn learned() -> Repo {
    let repo = team(row("a1", 1, "use tabs", 9) + &row("a2", 2, "use tabs", 9));
    repo.dream(&[]).expect(0).says(&["promoted 1"]);
    assert!(lessons(&repo).contains("- use tabs teaches"), "{}", lessons(&repo));
    repo
}

/// Takes the line of the lesson out of the file, and commits that.
fn delete_line(repo: &Repo) {
    let text = lessons(repo);
    let rest: String = text.split_inclusive('\n').filter(|line| !line.contains("use tabs")).collect();
    repo.write(LESSONS, rest);
    repo.commit_all("we do not agree");
}

fn assert_never_again(repo: &Repo) {
    for night in 0..3 {
        repo.append(LOG, &row(&format!("n{night}"), 0, "use tabs", 9));
        repo.dream(&[]).expect(0).says(&["promoted 0"]);
        assert!(!lessons(repo).contains("use tabs"), "night {night}: {}", lessons(repo));
    }
}

#[test]
fn a_failing_command_is_a_question_and_its_answer_a_lesson() {
    let failing: String = (1..=4).map(|second| call(second, "make test", "failure")).collect();
    let repo = team(failing + &call(5, "make build", "success") + &call(6, "make test", "success"));
    repo.dream(&[]).expect(0).says(&["promoted 0, decayed 0, kept 6, staged 1"]);
    assert_eq!(lessons(&repo), "");
    let waiting = repo.waiting();
    assert_eq!(waiting[0]["kind"], "question");
    assert_eq!(waiting[0]["text"], "failed 4 times like this: `make test`: what is the lesson?");
    assert_eq!(waiting[0]["steps"][0], "`make build` succeeded later");
    let name = waiting[0]["candidate"].as_str().unwrap().to_owned();
    repo.decide("accept", &name, &[]).expect(5).says(&["is a question", "--as LESSON"]);
    repo.decide("accept", &name, &["--as", "Build before you test."]).expect(0);
    let text = lessons(&repo);
    assert!(text.contains("- Build before you test") && text.contains("pattern "), "{text}");
    repo.append(LOG, &call(9, "make test", "failure"));
    repo.dream(&[]).expect(0).says(&["promoted 0"]);
    assert_eq!(lessons(&repo), text);
    assert!(repo.waiting().is_empty());
}

#[test]
fn questions_can_be_rejected_together() {
    let failing = |action: &str, at: u8| (at..at + 4).map(|second| call(second, action, "failure")).collect::<String>();
    let repo = team(
        failing("make test", 1)
            + &failing("terraform apply", 5)
            + &row("t1", 1, "use tabs", 9)
            + &row("t2", 2, "use tabs", 9),
    );
    repo.write("agent/canonry.yaml", "memory: {promotion: review}\n");
    repo.commit_all("policy");
    repo.dream(&[]).expect(0).says(&["staged 3"]);
    let head = repo.head();
    repo.review_command(&["reject", "--kind", "question", "--reason", "they say nothing"]).expect(0);
    assert_eq!(repo.git(&["rev-list", "--count", &format!("{head}..HEAD")]), "1");
    let waiting = repo.waiting();
    assert_eq!((waiting.len(), &waiting[0]["kind"]), (1, &"lesson".into()));
}

#[test]
fn a_deleted_lesson_is_rejected() {
    let repo = learned();
    delete_line(&repo);
    assert_never_again(&repo);
    assert!(repo.text(REVIEW).contains("the lesson was removed from LESSONS.md"), "{}", repo.text(REVIEW));
}

#[test]
fn a_reverted_dream_is_rejected() {
    let repo = learned();
    repo.git(&["revert", "--no-edit", "HEAD"]);
    assert_never_again(&repo);
}

#[test]
fn a_lesson_deleted_in_another_clone_is_rejected() {
    let repo = learned();
    repo.git(&["checkout", "-q", "-b", "other"]);
    delete_line(&repo);
    repo.git(&["checkout", "-q", "-"]);
    repo.write("note.txt", "x");
    repo.commit_all("meanwhile");
    repo.git(&["merge", "-q", "--no-edit", "other"]);
    assert_never_again(&repo);
}

#[test]
fn a_reworded_or_moved_lesson_is_not_rejected() {
    let repo = learned();
    let line =
        lessons(&repo).lines().find(|line| line.contains("use tabs")).unwrap().replace("use tabs teaches", "tabs!");
    repo.write(LESSONS, format!("# Lessons\n\n## Style\n\n{line}\n"));
    repo.commit_all("reword");
    repo.dream(&[]).expect(0);
    assert!(lessons(&repo).contains("- tabs!") && !repo.exists(REVIEW), "{}", lessons(&repo));
}

#[test]
fn a_lesson_that_was_added_again_is_accepted() {
    let repo = learned();
    let text = lessons(&repo);
    delete_line(&repo);
    repo.dream(&[]).expect(0);
    repo.write(LESSONS, &text);
    repo.commit_all("we agree after all");
    repo.dream(&[]).expect(0);
    assert_eq!(lessons(&repo), text);
    assert!(repo.text(REVIEW).trim_end().lines().last().unwrap().contains("\"accepted\""), "{}", repo.text(REVIEW));
}

#[test]
fn a_lesson_can_be_rejected() {
    let repo = learned();
    let pattern = lessons(&repo).split("pattern ").nth(1).unwrap()[..6].to_owned();
    repo.decide("reject", &pattern, &[]).expect(0).says(&["lesson rejected: use tabs teaches"]);
    assert!(!lessons(&repo).contains("use tabs"));
    assert_never_again(&repo);
    repo.write(LESSONS, "# Lessons\n\n- by hand\n");
    repo.commit_all("by hand");
    repo.decide("reject", "By hand.", &[]).expect(0);
    assert!(!lessons(&repo).contains("by hand"));
    repo.decide("reject", "nothing like it", &[]).expect(65);
}

#[test]
fn an_undone_dream_is_not_a_rejection() {
    let repo = learned();
    repo.canonry(&["memory", "undo"]).expect(0);
    repo.dream(&[]).expect(0).says(&["promoted 1"]);
}

#[test]
fn a_candidate_that_resembles_a_lesson_adds_its_episodes() {
    let teach =
        |id: &str, action: &str| row(id, 1, action, 9).replace(&format!("{action} teaches"), "rotate keys monthly");
    let rows: String = ["key of gateway expired", "partner call rejected, key expired"]
        .iter()
        .enumerate()
        .flat_map(|(at, action)| (0..2).map(move |nth| teach(&format!("k{at}{nth}"), action)))
        .collect();
    let first: String = rows.split_inclusive('\n').take(2).collect();
    let repo = team(&first);
    repo.dream(&[]).expect(0).says(&["promoted 1"]);
    // The same words would be a known lesson: the second pattern says it differently.
    let second: String = rows.split_inclusive('\n').skip(2).collect();
    repo.append(LOG, &second.replace("rotate keys monthly", "keys are rotated every month, before they expire"));
    repo.dream(&[]).expect(0).says(&["promoted 0", "staged 1"]);
    let waiting = repo.waiting();
    assert_eq!(waiting[0]["like"], "rotate keys monthly");
    repo.review_command(&["review"]).expect(3).says(&["looks like lesson: rotate keys monthly (2 episodes)"]);
    repo.decide("accept", waiting[0]["candidate"].as_str().unwrap(), &[]).expect(0);
    let text = lessons(&repo);
    assert_eq!(text.matches("\n- ").count(), 1, "{text}");
    assert!(text.contains("k00, k01, k10, k11") || text.contains("k01, k00, k1"), "{text}");
}

/// The rows of a problem: two that recur literally, and teach this.
fn taught(id: &str, action: &str, reflection: &str) -> String {
    let one = |nth: usize| row(&format!("{id}{nth}"), 1, action, 9).replace(&format!("{action} teaches"), reflection);
    one(0) + &one(1)
}

fn in_review_mode(repo: &Repo) {
    repo.write("agent/canonry.yaml", "memory:\n  promotion: review\n");
    repo.commit_all("review");
}

#[test]
fn near_opposites_are_staged_in_one_group() {
    let repo = team(taught("v", "registry mirror was down during the build", "always vendor the dependencies"));
    in_review_mode(&repo);
    repo.dream(&[]).expect(0).says(&["staged 1"]);
    repo.append(LOG, &taught("n", "scanner skipped a library in the clone", "never vendor dependencies"));
    repo.append(LOG, &taught("o", "totals differed by a cent", "calculate money with decimals"));
    repo.dream(&[]).expect(0).says(&["staged 2"]);
    let groups: Vec<String> = repo.waiting().iter().map(|waiting| waiting["group"].to_string()).collect();
    assert_eq!(groups, ["\"vendor-dependencies\"", "\"vendor-dependencies\"", "null"]);
    repo.review_command(&["reject", "--group", "vendor-dependencies", "-r", "undecided"]).expect(0);
    assert_eq!(repo.waiting().len(), 1);
    repo.check(&[]).expect(0);
}

#[test]
fn a_paraphrase_of_a_candidate_is_counted_and_reported() {
    let repo = team(taught("a", "key of gateway expired", "rotate keys monthly"));
    in_review_mode(&repo);
    repo.dream(&[]).expect(0).says(&["staged 1"]);
    let paraphrase = "keys are rotated every month, before they expire";
    repo.append(LOG, &taught("b", "partner call rejected, key expired", paraphrase));
    let said = repo.dream(&[]).expect(0);
    said.says(&[
        "something like it is known: 1 candidate",
        paraphrase,
        "like the waiting candidate: rotate keys monthly",
    ]);
    assert_eq!(repo.waiting().len(), 1);
    let status =
        repo.canonry(&["memory", "status", "--now", crate::dream::team::NOW, "--format", "json"]).expect(0).stdout;
    let status: serde_json::Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["candidates"][0]["episodes"], 4, "{status}");
    let name = repo.waiting()[0]["candidate"].as_str().unwrap().to_owned();
    repo.decide("reject", &name, &[]).expect(0);
    let json = repo.dream(&["--format", "json", "--no-commit"]).expect(0).stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["covered"][0]["state"], &json["covered"][0]["text"]), (&"rejected".into(), &paraphrase.into()));
}

/// Rows that differ in numbers, paths, hashes and tickets are no literal pattern: the numbers may matter. From the size of a theme
/// on, a person decides.
#[test]
fn rows_that_differ_in_masked_words_are_never_promoted_by_themselves() {
    let masked = |at: i64| {
        let action = format!("rolled back PAY-{} after {:07x} in src/mod{at}/a.rs", 100 + 7 * at, 987_654 * at);
        row(&format!("m{at}"), at, &action, 9)
    };
    for (rows, staged) in [(2, 0), (6, 1)] {
        let repo = team((1..=rows).map(masked).collect::<String>());
        repo.dream(&[]).expect(0);
        assert_eq!(lessons(&repo).matches("\n- ").count(), 0, "{rows}: {}", lessons(&repo));
        let queue = if repo.exists(REVIEW) { repo.text(REVIEW) } else { String::new() };
        assert_eq!(queue.lines().count(), staged, "{rows}: {queue}");
    }
}
