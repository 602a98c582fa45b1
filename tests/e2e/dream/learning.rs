//! Lessons that a dream learns, questions that it asks, and patterns that it never learns again.

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
    repo.dream(&[]).expect(0).says(&["1 lesson learned"]);
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
        repo.dream(&[]).expect(0).says_nothing_of(&["learned"]);
        assert!(!lessons(repo).contains("use tabs"), "night {night}: {}", lessons(repo));
    }
}

#[test]
fn a_failing_command_is_a_question_and_its_answer_a_lesson() {
    let failing: String = (1..=4).map(|second| call(second, "make test", "failure")).collect();
    let repo = team(failing + &call(5, "make build", "success") + &call(6, "make test", "success"));
    repo.dream(&[]).expect(0).says(&["1 proposal waits for review."]);
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
    repo.dream(&[]).expect(0).says_nothing_of(&["learned"]);
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
    repo.dream(&[]).expect(0).says(&["3 proposals wait for review."]);
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
    repo.dream(&[]).expect(0).says(&["1 lesson learned"]);
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
fn a_paraphrased_opposite_becomes_a_lesson_of_its_own() {
    let repo = team(taught("k", "key of gateway expired", "rotate the signing keys every month"));
    repo.dream(&[]).expect(0).says(&["1 lesson learned"]);
    repo.append(LOG, &taught("p", "partner call rejected", "leave the signing keys alone, a month is no reason"));
    in_review_mode(&repo);
    repo.dream(&[]).expect(0).says(&["1 proposal waits for review."]);
    let waiting = repo.waiting();
    assert_eq!(waiting[0]["like"], "rotate the signing keys every month");
    repo.review_command(&["review"]).expect(3).says(&["looks like the lesson: rotate the signing keys every month"]);
    repo.decide("accept", waiting[0]["candidate"].as_str().unwrap(), &[]).expect(0);
    let text = lessons(&repo);
    assert_eq!(text.matches("\n- ").count(), 2, "{text}");
    let of = |words: &str| text.lines().find(|line| line.contains(words)).unwrap().to_owned();
    assert!(!of("every month").contains("p0") && of("alone").contains("p0"), "{text}");
}

#[test]
fn an_opposite_is_never_promoted_by_itself() {
    let repo = team(taught("v", "registry mirror was down during the build", "always vendor the dependencies"));
    repo.dream(&[]).expect(0).says(&["1 lesson learned"]);
    repo.append(LOG, &taught("n", "scanner skipped a library in the clone", "never vendor dependencies"));
    repo.append(LOG, &taught("o", "totals differed by a cent", "calculate money with decimals"));
    repo.dream(&[]).expect(0).says(&["1 lesson learned", "1 proposal waits for review."]);
    let waiting = repo.waiting();
    assert_eq!(waiting[0]["text"], "never vendor dependencies");
    let opposed = [&waiting[0]["near_opposites"], &waiting[0]["opposed_to"]];
    assert!(opposed.iter().any(|list| list.to_string().contains("always vendor")), "{waiting:?}");
    assert!(waiting[0]["like"].is_null(), "{waiting:?}");
}

#[test]
fn a_paraphrase_is_a_candidate_of_its_own() {
    let repo = team(taught("a", "key of gateway expired", "rotate keys monthly"));
    in_review_mode(&repo);
    repo.dream(&[]).expect(0).says(&["1 proposal waits for review."]);
    let paraphrase = "keys are rotated every month, before they expire";
    repo.append(LOG, &taught("b", "partner call rejected, key expired", paraphrase));
    repo.dream(&[]).expect(0).says(&["1 proposal waits for review."]);
    let waiting = repo.waiting();
    assert_eq!(waiting.iter().map(|one| &one["text"]).collect::<Vec<_>>(), ["rotate keys monthly", paraphrase]);
    repo.decide("reject", waiting[0]["candidate"].as_str().unwrap(), &[]).expect(0);
    assert_eq!(repo.waiting().len(), 1);
}

#[test]
fn patterns_with_one_text_are_one_candidate() {
    let actions = [
        "key of gateway expired",
        "partner call was rejected",
        "the nightly export stopped",
        "login page was down",
        "webhook got no answer",
    ];
    let rows: String = actions
        .iter()
        .enumerate()
        .flat_map(|(at, action)| (0..3).map(move |nth| (at, nth, action)))
        .map(|(at, nth, action)| {
            let row = row(&format!("k{at}{nth}"), 1, action, 9);
            row.replace(&format!("{action} teaches"), "rotate keys monthly")
        })
        .collect();
    let repo = team(rows);
    in_review_mode(&repo);
    repo.dream(&[]).expect(0).says(&["1 proposal waits for review."]);
    let waiting = repo.waiting();
    assert_eq!((&waiting[0]["text"], &waiting[0]["of"]), (&"rotate keys monthly".into(), &15.into()));
    let shown: Vec<&str> =
        waiting[0]["evidence"].as_array().unwrap().iter().map(|row| row["action"].as_str().unwrap()).collect();
    assert_eq!(shown.len(), 3);
    assert!(shown.iter().all(|action| actions.contains(action)), "{shown:?}");
    repo.dream(&[]).expect(0).says_nothing_of(&["learned"]);
    assert_eq!(repo.waiting().len(), 1);
    repo.decide("accept", waiting[0]["candidate"].as_str().unwrap(), &[]).expect(0);
    assert!(lessons(&repo).contains("and 10 more; pattern "), "{}", lessons(&repo));
    repo.dream(&[]).expect(0).says_nothing_of(&["learned"]);
}

/// Twelve patterns, whose salience grows.
fn twelve() -> String {
    let words = ["alder", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple", "oak", "pine", "rowan", "willow"];
    (0..12)
        .map(|at| {
            let action = format!("plant the {}", words[at]);
            let reflection = format!("water the {}", words[at]);
            let one = |nth: usize, pain: u8| {
                row(&format!("t{at}-{nth}"), 1, &action, pain).replace(&format!("{action} teaches"), &reflection)
            };
            let pain = if at < 2 { 8 } else { 9 };
            one(0, pain) + &one(1, pain)
        })
        .collect()
}

const NEXT_NIGHT: [&str; 3] = ["dream", "--now", "2026-05-02T03:00:00Z"];

#[test]
fn a_night_stages_ten_candidates_and_the_next_one_the_others() {
    let repo = team(twelve());
    in_review_mode(&repo);
    let json = repo.dream_json(&["--dry-run"]);
    assert_eq!((json["staged"].as_array().unwrap().len(), &json["deferred"]), (10, &2.into()), "{json}");
    repo.dream(&[]).expect(0).says(&["10 proposals wait for review.", "deferred    2 candidates, for the next nights"]);
    let texts = |repo: &Repo| -> Vec<String> {
        repo.waiting().iter().map(|one| one["text"].as_str().unwrap().to_owned()).collect()
    };
    assert!(!texts(&repo).iter().any(|text| text.contains("alder") || text.contains("birch")), "{:?}", texts(&repo));
    let message = repo.git(&["log", "-1", "--format=%B"]);
    assert!(message.contains("\n? lesson: water the cedar (2 episodes)"), "{message}");
    let head = repo.head();
    repo.dream(&[]).expect(0).says(&["deferred    2 candidates"]);
    assert_eq!(repo.head(), head, "a second run of a night changes nothing");
    let said = repo.canonry(&NEXT_NIGHT).expect(0).says(&["2 proposals wait for review."]);
    assert!(!said.stdout.contains("deferred"), "{}", said.stdout);
    assert_eq!(texts(&repo)[10..], ["water the alder", "water the birch"]);
}

#[test]
fn a_night_promotes_ten_lessons() {
    let repo = team(twelve());
    repo.dream(&[]).expect(0).says(&["10 lessons learned", "deferred    2 candidates"]);
    repo.dream(&[]).expect(0).says_nothing_of(&["learned"]);
    repo.canonry(&NEXT_NIGHT).expect(0).says(&["2 lessons learned"]);
    assert_eq!(lessons(&repo).matches("\n- ").count(), 12);
}

#[test]
fn a_candidate_shows_the_rows_it_comes_from() {
    let token = format!("ghp_{}", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo");
    let log = [
        row("e1", 3, "pushed the <b> image", 9),
        row("e2", 2, "Pushed the <b> image.", 9),
        row("e3", 2, "Pushed the <b> image.", 9),
        row("e4", 1, "pushed  the <b> image", 9).replace("image teaches", &token),
    ];
    let repo = team(log.concat());
    in_review_mode(&repo);
    repo.dream(&[]).expect(0).says(&["1 proposal waits for review."]);
    let listed = repo.review_command(&["review", "--list"]).expect(3).stdout;
    assert_eq!(listed.lines().filter(|line| line.starts_with("    2026-04-")).count(), 3, "{listed}");
    let again = "2026-04-29  Pushed the <b> image.: Pushed the <b> image. teaches";
    assert_eq!(listed.matches(again).count(), 1, "{listed}");
    repo.canonry(&["memory", "status", "--html", "page.html", "--now", crate::dream::team::NOW]).expect(0);
    let page = repo.text("page.html");
    assert!(page.contains(&again.replace("<b>", "&lt;b&gt;")), "{page}");
    assert!(!listed.contains(&token) && !page.contains(&token));
}

/// Rows that differ in numbers, paths, hashes and tickets are no literal pattern: the numbers may matter.
#[test]
fn rows_that_differ_in_masked_words_are_no_pattern() {
    let masked = |at: i64| {
        let action = format!("rolled back PAY-{} after {:07x} in src/mod{at}/a.rs", 100 + 7 * at, 987_654 * at);
        row(&format!("m{at}"), at, &action, 9)
    };
    let repo = team((1..=6).map(masked).collect::<String>());
    repo.dream(&[]).expect(0).says_nothing_of(&["learned"]);
    assert!(lessons(&repo).is_empty() && !repo.exists(REVIEW));
}
