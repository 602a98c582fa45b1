use super::*;
use canonry_model::canon::Blob;
use canonry_model::canon::schema::Schemas;
use canonry_model::canon::workflow::Workflow;
use canonry_text::RepoPath;
use proptest::prelude::*;
use serde_json::json;

/// The first step of a workflow.
fn step(text: &str) -> WorkflowStep {
    let workflow =
        Workflow::parse(RepoPath::from("w.yaml"), Blob::Bytes(text.as_bytes().to_vec()), &Schemas::default());
    workflow.document.unwrap().definition().unwrap().steps[0].clone()
}

/// A step of an orchestrator workflow that another step follows.
fn listed(rest: &str) -> WorkflowStep {
    step(&format!("name: w\nsteps:\n  - {{name: a, prompt: p, {rest}}}\n  - {{name: b, prompt: p, end: true}}\n"))
}

fn durable(rest: &str) -> WorkflowStep {
    step(&format!("workflow: w\nsteps: {{a: {{owner: A, {rest}}}}}\n"))
}

fn decide_by_answer(step: &WorkflowStep, answer: &str) -> RouteDecision {
    decide(step, answer, None, &|_| None)
}

/// The verdict, and the name of the next step.
fn outcome(step: &WorkflowStep, decision: &RouteDecision) -> (RouteVerdict, String) {
    let target = decision.route.and_then(|at| step.routes[at].target.as_ref()).map(|target| target.text.clone());
    (decision.verdict, target.unwrap_or_default())
}

const ONE: &str = "conditions: [{keyword: REDO, goto: x}]";
const TWO: &str = "conditions: [{keyword: REDO, goto: x}, {keyword: NEEDS-WORK, goto: y}, {keyword: PLANNED, goto: z}]";

#[test]
fn the_table_of_the_guard() {
    use RouteVerdict::{Abort, Complete, Continue, Undecided};
    for (rest, answer, verdict, target) in [
        (format!("{ONE}, end: true"), "All is well.", Complete, "end"),
        (format!("{ONE}, end: true"), "REDO", Continue, "x"),
        (format!("{ONE}, end: true"), "TASK_DONE", Complete, "end"),
        (format!("{ONE}, end: true"), "REDO TASK_DONE", Abort, ""),
        (ONE.to_owned(), "All is well.", Continue, "b"),
        (ONE.to_owned(), "REDO", Continue, "x"),
        (TWO.to_owned(), "REDO", Continue, "x"),
        (TWO.to_owned(), "TASK_DONE", Complete, ""),
        (TWO.to_owned(), "All is well.", Undecided, ""),
        (TWO.to_owned(), "", Undecided, ""),
        (format!("{TWO}, end: true"), "All is well.", Complete, "end"),
        (format!("{TWO}, next: c"), "All is well.", Continue, "c"),
        (format!("{TWO}, check: all, reject: [REDO]"), "All is well.", Continue, "b"),
        (ONE.to_owned(), "TASK_DONE", Complete, ""),
        (ONE.to_owned(), "TASK_DONE, but REDO", Abort, ""),
        (ONE.to_owned(), "REDO\n\nTASK_DONE", Complete, ""),
        (ONE.to_owned(), "TASK_DONE\nREDO", Continue, "x"),
        ("end: true".to_owned(), "", Complete, "end"),
        ("next: c".to_owned(), "anything", Continue, "c"),
        ("next: c".to_owned(), "TASK_DONE", Complete, ""),
        ("goto: end".to_owned(), "anything", Complete, "end"),
        ("conditions: [{keyword: OVER, goto: end}]".to_owned(), "OVER", Complete, "end"),
        ("conditions: [{keyword: OVER, goto: end}]".to_owned(), "OVER TASK_DONE", Complete, "end"),
    ] {
        let step = listed(&rest);
        let decision = decide_by_answer(&step, answer);
        assert_eq!(outcome(&step, &decision), (verdict, target.to_owned()), "{rest}: {answer}: {decision:?}");
        assert_eq!(decision.reason.is_some(), matches!(verdict, Abort | Undecided), "{decision:?}");
    }
    // Without any other route, a run cannot go on by itself.
    let lonely = step("name: w\nsteps: {a: {agent: A, next: [{if: REDO, goto: a}]}}\n");
    let decision = decide_by_answer(&lonely, "fine");
    assert_eq!((decision.verdict, decision.route, decision.reason.is_some()), (Continue, None, true));
}

#[test]
fn keywords_are_whole_words_on_the_decision_line() {
    for (answer, want) in [
        ("REDO", "REDO"),
        ("**REDO**", "REDO"),
        ("_REDO_", "REDO"),
        ("`[REDO]`: the tests fail.", "REDO"),
        ("Decision:REDO.", "REDO"),
        ("REDO--at once", "REDO"),
        ("REDO.Now", "REDO"),
        ("- NEEDS-WORK -", "NEEDS-WORK"),
        ("This was UNPLANNED, REPLANNED, PLANNED_LATER, unplanned and planned.", ""),
        ("NEEDS-WORKING", ""),
        ("PLANNED-AHEAD", ""),
        ("See PLANNED.md", ""),
        ("Answer REDO or PLANNED.\n\nI checked it.\nPLANNED\n\nBye.", "PLANNED"),
        ("```\nREDO\n```\nPLANNED", "PLANNED"),
        ("PLANNED\r\nREDO\r\n", "REDO"),
        ("REDO, REDO and PLANNED", "REDO PLANNED"),
        ("éREDO REDOé", ""),
        ("", ""),
    ] {
        assert_eq!(keywords_in(answer, &["REDO", "NEEDS-WORK", "PLANNED", "WORK"]).join(" "), want, "{answer}");
    }
}

#[test]
fn doubts_abort() {
    let step = listed(TWO);
    for (answer, target) in [
        ("REDO and NEEDS-WORK", None),
        ("REDO REDO", Some("x")),
        ("not PLANNED", None),
        ("I cannot say PLANNED.", None),
        ("It isn't PLANNED", None),
        ("It isn’t yet really PLANNED", None),
        ("PLANNED is not the word", None),
        ("PLANNED cannot be given", None),
        ("Not PLANNED: NEEDS-WORK", None),
        ("NEEDS-WORK because the tests do not pass", Some("y")),
        ("NEEDS-WORK: not tested", Some("y")),
        ("NEEDS-WORK, not tested", Some("y")),
        ("No open questions. PLANNED", Some("z")),
        ("No open questions: PLANNED", Some("z")),
        ("No open questions - PLANNED", Some("z")),
        ("It is not PLANNED.\nPLANNED", Some("z")),
    ] {
        let decision = decide_by_answer(&step, answer);
        let want = match target {
            Some(target) => (RouteVerdict::Continue, target.to_owned()),
            None => (RouteVerdict::Abort, String::new()),
        };
        assert_eq!(outcome(&step, &decision), want, "{answer}: {decision:?}");
    }
}

#[test]
fn keywords_combine() {
    let step = listed(
        "next: [{if: A AND B, goto: both}, {if: A, goto: a}, {if: B OR C, goto: b}, {if: NOT D AND E, goto: e}, {goto: f}]",
    );
    for (answer, want) in [
        ("A B", (RouteVerdict::Continue, "both")),
        ("A", (RouteVerdict::Continue, "a")),
        ("B", (RouteVerdict::Continue, "b")),
        ("B C", (RouteVerdict::Continue, "b")),
        ("A C", (RouteVerdict::Abort, "")),
        ("A B C", (RouteVerdict::Abort, "")),
        ("E", (RouteVerdict::Continue, "e")),
        ("D E", (RouteVerdict::Continue, "f")),
        ("D", (RouteVerdict::Continue, "f")),
    ] {
        let decision = decide_by_answer(&step, answer);
        assert_eq!(outcome(&step, &decision), (want.0, want.1.to_owned()), "{answer}: {decision:?}");
    }
}

#[test]
fn the_field_decides_before_prose() {
    let plain = listed(TWO);
    for (answer, verdict, target) in [
        (r#"I would say PLANNED. {"decision": "REDO"}"#, RouteVerdict::Continue, "x"),
        (r#"{"status": " REDO ", "text": "PLANNED"}"#, RouteVerdict::Continue, "x"),
        (r#"{"route": "REDO", "next": "PLANNED"}"#, RouteVerdict::Abort, ""),
        (r#"{"next": "REDO", "status": "TASK_DONE"}"#, RouteVerdict::Abort, ""),
        (r#"{"status": "TASK_DONE"}"#, RouteVerdict::Complete, ""),
        ("{\"decision\": \"REDO\"}\nREDO", RouteVerdict::Continue, "x"),
        ("{\"decision\": \"PLANNED\"}\nOn second thoughts: REDO", RouteVerdict::Abort, ""),
        (r#"{"decision": "rejected", "note": "PLANNED is wrong"}"#, RouteVerdict::Undecided, ""),
        ("{\"decision\": \"open\", \"note\": \"PLANNED\"}\nREDO", RouteVerdict::Continue, "x"),
        (r#"{"text": "REDO"}"#, RouteVerdict::Continue, "x"),
    ] {
        let decision = decide_by_answer(&plain, answer);
        assert_eq!(outcome(&plain, &decision), (verdict, target.to_owned()), "{answer}: {decision:?}");
    }
    let output = json!({"decision": "NEEDS-WORK"});
    let decision = decide(&plain, "PLANNED", Some(&output), &|_| None);
    assert_eq!((decision.keywords, decision.route), (vec!["NEEDS-WORK".to_owned()], Some(1)));
    // An object that breaks the contract is not the output.
    let strict = listed(
        "output: {schema: {status: string, ready: bool}}, conditions: [{keyword: REDO, goto: x}, {keyword: GO, goto: y}]",
    );
    for (answer, target) in [(r#"GO {"status": "REDO"} GO"#, ""), (r#"GO {"status": "REDO", "ready": true} GO"#, "x")] {
        let decision = decide_by_answer(&strict, answer);
        let target = if target.is_empty() { String::new() } else { target.to_owned() };
        assert_eq!(outcome(&strict, &decision).1, target, "{answer}: {decision:?}");
    }
}

#[test]
fn fields_decide_durable_steps() {
    let step = durable(
        "output: {schema: {passed: bool, score: number}}, next: [{if: score >= 0.9, goto: end}, {if: passed, goto: b}, {goto: c}]",
    );
    for (output, verdict, target) in [
        (json!({"passed": true, "score": 0.95}), RouteVerdict::Complete, "end"),
        (json!({"passed": true, "score": 0.5}), RouteVerdict::Continue, "b"),
        (json!({"passed": false, "score": 0.5}), RouteVerdict::Continue, "c"),
        (json!({"passed": false}), RouteVerdict::Abort, ""),
        (json!({"score": 0.95}), RouteVerdict::Complete, "end"),
        (json!({"score": "high", "passed": true}), RouteVerdict::Abort, ""),
    ] {
        let decision = decide(&step, "TASK_DONE", Some(&output), &|_| None);
        assert_eq!(outcome(&step, &decision), (verdict, target.to_owned()), "{output}: {decision:?}");
        assert!(decision.keywords.is_empty());
    }
    assert_eq!(
        decide_by_answer(&step, "score 1").reason.as_deref(),
        Some("the condition `score >= 0.9` has no value: the field `score` is missing")
    );
    let other =
        durable("next: [{if: a.score > 1 AND review.score > 1, goto: b}, {if: it reads well, goto: c}, {goto: d}]");
    let lookup = |name: &str| (name == "review.score").then(|| json!(2));
    let decision = decide(&other, "", Some(&json!({"score": 2})), &lookup);
    assert_eq!(outcome(&other, &decision), (RouteVerdict::Continue, "b".to_owned()), "{decision:?}");
    let decision = decide(&other, "", Some(&json!({"score": 0})), &lookup);
    assert_eq!(decision.verdict, RouteVerdict::Abort);
}

#[test]
fn fields_and_keywords_mix() {
    let step = durable(
        "output: {schema: {score: number}}, next: [{if: APPROVED AND score > 0.5, goto: end}, {if: score > 0.5, goto: b}, {goto: c}]",
    );
    for (answer, score, target) in
        [("APPROVED", 0.9, "end"), ("APPROVED", 0.1, "c"), ("fine", 0.9, "b"), ("unAPPROVED", 0.9, "b")]
    {
        let decision = decide(&step, answer, Some(&json!({"score": score})), &|_| None);
        assert_eq!(outcome(&step, &decision).1, target, "{answer} {score}: {decision:?}");
    }
}

#[test]
fn long_answers_take_linear_time() {
    let started = std::time::Instant::now();
    let step = listed(TWO);
    let long = "REDO ".repeat(60_000);
    assert_eq!(decide_by_answer(&step, &long).route, Some(0));
    assert_eq!(decide_by_answer(&step, &"a-'.b\n".repeat(60_000)).verdict, RouteVerdict::Undecided);
    assert_eq!(decide_by_answer(&step, &"{\"decision\":".repeat(100_000)).verdict, RouteVerdict::Undecided);
    assert!(started.elapsed().as_secs() < 20);
}

proptest! {
    #[test]
    fn a_keyword_inside_a_word_never_counts(before in "[a-zA-Z0-9_é]{0,4}", after in "(-?[a-zA-Z0-9é]){0,4}") {
        let word = format!("{before}PLANNED{after}");
        let is_whole = before.trim_matches('_').is_empty() && after.is_empty();
        prop_assert_eq!(!keywords_in(&format!("it is {word} now"), &["PLANNED"]).is_empty(), is_whole, "{}", word);
    }

    #[test]
    fn only_the_last_decision_line_counts(earlier in "([A-Z -]{0,9}(REDO|NEEDS-WORK|PLANNED|TASK_DONE)?\n){0,6}") {
        let step = listed(TWO);
        let decision = decide_by_answer(&step, &format!("{earlier}\nNEEDS-WORK\nBye."));
        prop_assert_eq!((decision.verdict, decision.route), (RouteVerdict::Continue, Some(1)));
    }

    #[test]
    fn no_answer_panics(answer in "(REDO|TASK_DONE|not|[\\-_.'’{}\":, \n]|é|decision){0,30}") {
        let step = listed(TWO);
        let decision = decide_by_answer(&step, &answer);
        prop_assert!(decision.route.is_none_or(|at| at < step.routes.len()));
        let has_reason = matches!(decision.verdict, RouteVerdict::Abort | RouteVerdict::Undecided);
        prop_assert_eq!(has_reason, decision.reason.is_some());
        if decision.verdict == RouteVerdict::Complete {
            prop_assert!(answer.contains(TASK_DONE), "{}", answer);
        }
    }
}
