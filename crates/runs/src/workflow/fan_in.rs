//! The result of a step whose work is done by several tasks: parallel children, or candidates for the same task.
//!
//! | strategy | result |
//! |---|---|
//! | `all`, or none | waits for all; a child that rejects, or does not pass, decides |
//! | `any` | the first pass decides; fails when all have failed |
//! | `collect-all` | waits for all; then the selection decides. Without a selection, one candidate or all children must pass |
//! | `fail-fast` | the first failure decides |

use super::decision::{keywords_in, negation};
use super::expression::{Expression, ExpressionError, parse_number};
use super::output_contract::value_at;
use canonry_model::canon::workflow::{BestBy, FanOut};
use canonry_text::printable::head;
use serde_json::Value as Json;

/// The result of one task.
#[derive(Clone, Copy, Debug)]
pub struct TaskResult<'a> {
    pub name: &'a str,
    /// Why it failed; `None` if the worker succeeded and its output says passed or has no such field.
    pub failure: Option<&'a str>,
    pub answer: &'a str,
    pub output: Option<&'a Json>,
}

impl<'a> TaskResult<'a> {
    /// Whether its work counts.
    fn passed(&self) -> bool {
        self.failure.is_none()
    }

    /// Reason for a rejection, in the words of the worker.
    pub fn says(&self) -> &'a str {
        self.failure.unwrap_or(self.answer.trim())
    }
}

/// The result of all tasks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FanIn {
    /// Tasks that still run decide.
    Undecided,
    Passed {
        /// The index of the selected task, if one is selected.
        chosen: Option<usize>,
    },
    Failed {
        reason: String,
    },
    /// Workers reject the work.
    Rejected {
        /// The indices of the tasks that reject, in order.
        by: Vec<usize>,
        reason: String,
    },
}

/// The keywords that reject if the step lists none.
const REJECTING: [&str; 6] =
    ["REJECTED", "REJECT", "NEEDS-WORK", "NEEDS_WORK", "CHANGES-REQUESTED", "CHANGES_REQUESTED"];
/// The keywords after which an earlier rejection in the same answer does not count: it quotes the instructions.
const APPROVING: [&str; 3] = ["APPROVED", "ACCEPTED", "LGTM"];
/// The most tasks that a reason names, and the most bytes of what one of them says.
const NAMED: usize = 10;
const REASON: usize = 500;

/// Combines the results of a step's tasks; `None` for a task that still runs. A decided result stays the same whatever the
/// other tasks do, except that `any` prefers the lowest index.
///
/// In `all` and `any`, a task rejects if the decision line of its answer has a keyword of `reject` or negates an approval.
pub fn fan_in(fan_out: &FanOut, results: &[Option<TaskResult<'_>>]) -> FanIn {
    if results.is_empty() {
        return FanIn::Failed { reason: "the step has no parallel tasks".to_owned() };
    }
    let strategy =
        fan_out.strategy.as_ref().map(|strategy| strategy.text.trim().to_ascii_lowercase().replace('_', "-"));
    match strategy.as_deref() {
        Some("any") => one_passes(fan_out, results),
        Some("fail-fast") => fail_fast(fan_out, results),
        Some("collect-all") => finished(results).map_or(FanIn::Undecided, |all| collected(fan_out, &all)),
        _ => finished(results).map_or(FanIn::Undecided, |all| all_pass(fan_out, &all)),
    }
}

fn finished<'r, 'a>(results: &'r [Option<TaskResult<'a>>]) -> Option<Vec<&'r TaskResult<'a>>> {
    results.iter().map(Option::as_ref).collect()
}

fn one_passes(fan_out: &FanOut, results: &[Option<TaskResult<'_>>]) -> FanIn {
    let passes = |result: &TaskResult<'_>| result.passed() && !rejects(fan_out, result);
    if let Some(at) = results.iter().position(|result| result.as_ref().is_some_and(passes)) {
        return FanIn::Passed { chosen: Some(at) };
    }
    finished(results).map_or(FanIn::Undecided, |all| failed(fan_out, &all))
}

fn fail_fast(fan_out: &FanOut, results: &[Option<TaskResult<'_>>]) -> FanIn {
    if let Some(first) = results.iter().flatten().find(|result| !result.passed()) {
        return FanIn::Failed { reason: failures(&[first]) };
    }
    finished(results).map_or(FanIn::Undecided, |all| select(fan_out, &all))
}

fn collected(fan_out: &FanOut, results: &[&TaskResult<'_>]) -> FanIn {
    let is_complete = results.iter().all(|result| result.passed());
    if fan_out.selection.is_some() || fan_out.children.is_empty() || is_complete {
        return select(fan_out, results);
    }
    FanIn::Failed { reason: failures(results) }
}

fn all_pass(fan_out: &FanOut, results: &[&TaskResult<'_>]) -> FanIn {
    let is_fine = |result: &&TaskResult<'_>| result.passed() && !rejects(fan_out, result);
    if results.iter().all(is_fine) { select(fan_out, results) } else { failed(fan_out, results) }
}

/// Rejected if a worker rejects the work, otherwise failed.
fn failed(fan_out: &FanOut, results: &[&TaskResult<'_>]) -> FanIn {
    let indices = results.iter().enumerate();
    let by: Vec<usize> = indices.filter(|(_, result)| rejects(fan_out, result)).map(|(at, _)| at).collect();
    if by.is_empty() {
        return FanIn::Failed { reason: failures(results) };
    }
    FanIn::Rejected { reason: format!("rejected by {}", names(results, &by)), by }
}

/// The tasks that failed, with their reasons.
fn failures(results: &[&TaskResult<'_>]) -> String {
    let reason = |result: &&TaskResult<'_>| {
        Some(format!("`{}` failed: {}", shown(result.name), head(result.failure?.trim(), REASON)))
    };
    listed(&results.iter().filter_map(reason).collect::<Vec<_>>(), "; ")
}

fn names(results: &[&TaskResult<'_>], indices: &[usize]) -> String {
    let names: Vec<String> = indices.iter().map(|at| format!("`{}`", shown(results[*at].name))).collect();
    listed(&names, ", ")
}

fn listed(parts: &[String], separator: &str) -> String {
    let shown = parts[..parts.len().min(NAMED)].join(separator);
    let more = parts.len().saturating_sub(NAMED);
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}

fn shown(name: &str) -> &str {
    head(name, 120)
}

/// The keywords that reject.
pub fn rejecting(fan_out: &FanOut) -> Vec<&str> {
    let listed: Vec<&str> = fan_out.reject.iter().map(|keyword| keyword.text.as_str()).collect();
    if listed.is_empty() { REJECTING.to_vec() } else { listed }
}

/// Whether a worker rejects the work, by its output or by the keywords of its answer.
fn rejects(fan_out: &FanOut, result: &TaskResult<'_>) -> bool {
    if result.output.and_then(|output| output.get("passed")) == Some(&Json::Bool(false)) {
        return true;
    }
    let rejecting = rejecting(fan_out);
    let approving = APPROVING.into_iter().filter(|keyword| !rejecting.contains(keyword));
    let known: Vec<&str> = rejecting.iter().copied().chain(approving.clone()).collect();
    let keywords = keywords_in(result.answer, &known);
    // A rejection beside an approval rejects, and so does a negated approval.
    let is_rejecting = keywords.iter().any(|keyword| rejecting.contains(&keyword.as_str()));
    is_rejecting || !keywords.is_empty() && negation(result.answer, &approving.collect::<Vec<_>>()).is_some()
}

/// Selects a task. Children do different work, so none of them is selected unless the step asks for it.
fn select(fan_out: &FanOut, results: &[&TaskResult<'_>]) -> FanIn {
    let Some(selection) = &fan_out.selection else {
        if !fan_out.children.is_empty() {
            return FanIn::Passed { chosen: None };
        }
        return match results.iter().position(|result| result.passed()) {
            Some(at) => FanIn::Passed { chosen: Some(at) },
            None => FanIn::Failed { reason: "all candidates failed".to_owned() },
        };
    };
    let expression = match selection.condition.as_ref().map(|condition| Expression::parse(&condition.text)).transpose()
    {
        Ok(expression) => expression,
        Err(error) => return FanIn::Failed { reason: format!("the selection cannot be evaluated: {error}") },
    };
    let mut eligible = Vec::new();
    let mut problem: Option<ExpressionError> = None;
    for (at, result) in results.iter().enumerate() {
        match meets(expression.as_ref(), result) {
            Ok(true) => eligible.push(at),
            Ok(false) => {}
            Err(error) => problem = problem.or(Some(error)),
        }
    }
    if let Some(best) = &selection.best {
        // The sort is stable: of equal candidates, the first is chosen.
        let rank = |at: usize| field_rank(results[at], best);
        eligible.sort_by(|one, other| rank(*other).total_cmp(&rank(*one)));
    }
    match (eligible.first(), problem) {
        (Some(at), _) => FanIn::Passed { chosen: Some(*at) },
        (None, Some(error)) => FanIn::Failed { reason: format!("no candidate meets the selection: {error}") },
        (None, None) => FanIn::Failed { reason: "no candidate meets the selection".to_owned() },
    }
}

fn meets(condition: Option<&Expression<'_>>, result: &TaskResult<'_>) -> Result<bool, ExpressionError> {
    let Some(condition) = condition else { return Ok(result.passed()) };
    let lookup = |name: &str| match (name, result.passed()) {
        // A worker that failed cannot pass by what its output says.
        ("passed", passed) => Some(Json::Bool(passed)),
        _ => result.output.and_then(|output| value_at(output, name)).cloned(),
    };
    condition.evaluate(&lookup, &[])
}

/// The rank of a candidate: higher is better, and a candidate without a number is the last.
fn field_rank(result: &TaskResult<'_>, best: &BestBy) -> f64 {
    let value = result.output.and_then(|output| value_at(output, &best.field.text));
    let number = value.and_then(|value| match value {
        Json::Number(number) => number.as_f64(),
        Json::String(text) => parse_number(text),
        _ => None,
    });
    // Adding zero makes -0 and 0 equal.
    number.map_or(f64::NEG_INFINITY, |number| if best.highest { number + 0.0 } else { 0.0 - number })
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_model::canon::Blob;
    use canonry_model::canon::schema::Schemas;
    use canonry_model::canon::workflow::Workflow;
    use canonry_text::RepoPath;
    use proptest::prelude::*;
    use serde_json::json;

    fn definition(text: &str) -> FanOut {
        let blob = Blob::Bytes(text.as_bytes().to_vec());
        let workflow = Workflow::parse(RepoPath::from("w.yaml"), blob, &Schemas::default());
        workflow.document.unwrap().definition().unwrap().steps[0].fan_out.clone()
    }

    /// Children of an orchestrator's step.
    fn children(rest: &str) -> FanOut {
        definition(&format!("name: w\nsteps:\n  - {{name: a, parallel: [{{agent: A}}, {{agent: B}}], {rest}}}\n"))
    }

    fn candidates(rest: &str) -> FanOut {
        definition(&format!("workflow: w\nsteps: {{a: {{owner: A, parallel_candidates: 3, {rest}}}}}\n"))
    }

    /// The result of answers: `None` still runs, `!` failed.
    fn by_answers(fan_out: &FanOut, answers: &[Option<&str>]) -> FanIn {
        let result = |answer: &str| TaskResult {
            name: "t",
            failure: answer.starts_with('!').then_some("broken"),
            answer: "",
            output: None,
        };
        let results: Vec<Option<TaskResult<'_>>> = answers
            .iter()
            .map(|answer| answer.map(|answer| TaskResult { answer: answer_text(answer), ..result(answer) }))
            .collect();
        fan_in(fan_out, &results)
    }

    fn answer_text(answer: &str) -> &str {
        answer.trim_start_matches('!')
    }

    fn brief(fan_in: &FanIn) -> String {
        match fan_in {
            FanIn::Undecided => "undecided".to_owned(),
            FanIn::Passed { chosen } => format!("passed {chosen:?}"),
            FanIn::Failed { .. } => "failed".to_owned(),
            FanIn::Rejected { by, .. } => format!("rejected {by:?}"),
        }
    }

    #[test]
    fn children_are_combined() {
        let all = "check: all, reject: [NO, NEEDS-WORK]";
        for (rest, answers, want) in [
            (all, [Some("fine"), Some("APPROVED")], "passed None"),
            (all, [Some("NEEDS-WORK"), None], "undecided"),
            (all, [Some("NEEDS-WORK"), Some("fine")], "rejected [0]"),
            (all, [Some("NEEDS-WORK"), Some("!NO")], "rejected [0, 1]"),
            (all, [Some("fine"), Some("!")], "failed"),
            (all, [Some("NOBODY, NEEDS-WORKING"), Some("REJECTED")], "passed None"),
            (all, [Some("Say NO or APPROVED.\nAPPROVED"), Some("")], "passed None"),
            (all, [Some("APPROVED\nNO"), Some("")], "rejected [0]"),
            (all, [Some("APPROVED, NO"), Some("")], "rejected [0]"),
            (all, [Some("not APPROVED"), Some("")], "rejected [0]"),
            ("check: all", [Some("REJECTED"), Some("")], "rejected [0]"),
            ("check: all", [Some("rejected"), Some("")], "passed None"),
            ("timeout: 1m", [Some(""), Some("NEEDS-WORK")], "rejected [1]"),
            ("check: any", [Some(""), None], "passed Some(0)"),
            ("check: any", [Some("!"), None], "undecided"),
            ("check: any", [None, Some("")], "passed Some(1)"),
            ("check: any", [Some("REJECTED"), Some("")], "passed Some(1)"),
            ("check: any", [Some("REJECTED"), Some("!")], "rejected [0]"),
            ("check: any", [Some("!"), Some("!")], "failed"),
            ("check: fail-fast", [None, Some("!")], "failed"),
            ("check: fail_fast", [Some(""), None], "undecided"),
            ("check: fail-fast", [Some(""), Some("")], "passed None"),
            ("check: collect-all", [Some("!"), None], "undecided"),
            ("check: collect-all", [Some("!"), Some("")], "failed"),
            ("check: collect-all", [Some(""), Some("")], "passed None"),
        ] {
            let found = by_answers(&children(rest), &answers);
            assert_eq!(brief(&found), want, "{rest}: {answers:?}: {found:?}");
        }
        assert_eq!(brief(&fan_in(&children(all), &[])), "failed");
        let found = by_answers(&children(all), &[Some("fine"), Some("!")]);
        assert_eq!(found, FanIn::Failed { reason: "`t` failed: broken".to_owned() });
    }

    #[test]
    fn the_best_candidate_is_chosen() {
        let best = "fan_in_strategy: collect-all, selection_criteria: passed AND max(coverage)";
        let lowest = "fan_in_strategy: collect-all, selection_criteria: {select_by: min_cost.total}";
        for (rest, outputs, want) in [
            (best, [json!({"coverage": 1}), json!({"coverage": 3}), json!({"coverage": 2})], "passed Some(1)"),
            (best, [json!({"coverage": 3}), json!({"coverage": "3.0"}), json!({"coverage": "300%"})], "passed Some(2)"),
            (best, [json!({"coverage": 3}), json!({"coverage": 3}), json!({})], "passed Some(0)"),
            (best, [json!({}), json!({"coverage": "NaN"}), json!({"coverage": -5})], "passed Some(2)"),
            (best, [json!({}), json!({"coverage": null}), json!({"coverage": []})], "passed Some(0)"),
            (best, [json!({"passed": false, "coverage": 9}), json!({"coverage": 3}), json!({})], "passed Some(1)"),
            (best, [json!({"passed": false}), json!({"passed": false}), json!({"passed": false})], "failed"),
            (
                lowest,
                [json!({"cost": {"total": 2}}), json!({"cost": {"total": 1}}), json!({"cost": 0})],
                "passed Some(1)",
            ),
            (lowest, [json!({"cost.total": 0}), json!({"cost": {"total": -0.0}}), json!({})], "passed Some(0)"),
            (
                "fan_in_strategy: collect-all, selection_criteria: score >= 0.5",
                [json!({}), json!({"score": 0.4}), json!({"score": 0.5})],
                "passed Some(2)",
            ),
            (
                "fan_in_strategy: collect-all, selection_criteria: score > 1",
                [json!({}), json!({}), json!({})],
                "failed",
            ),
            ("fan_in_strategy: collect-all", [json!({"passed": false}), json!({}), json!({})], "passed Some(1)"),
            (
                "fan_in_strategy: collect-all, selection_criteria: the nicest one",
                [json!({}), json!({}), json!({})],
                "failed",
            ),
        ] {
            let failure = |output: &Json| (output["passed"] == false).then_some("broken");
            let results = outputs.iter().map(|output| {
                Some(TaskResult { name: "c", failure: failure(output), answer: "", output: Some(output) })
            });
            let results: Vec<Option<TaskResult<'_>>> = results.collect();
            let found = fan_in(&candidates(rest), &results);
            assert_eq!(brief(&found), want, "{rest}: {outputs:?}: {found:?}");
            let mut open = results.clone();
            open[2] = None;
            assert_eq!(fan_in(&candidates(rest), &open), FanIn::Undecided);
        }
        let reason = |rest: &str| {
            fan_in(&candidates(rest), &[Some(TaskResult { name: "c", failure: None, answer: "", output: None })])
        };
        let missing = reason("fan_in_strategy: collect-all, selection_criteria: score > 1");
        assert!(matches!(&missing, FanIn::Failed { reason } if reason.contains("`score`")), "{missing:?}");
    }

    proptest! {
        #[test]
        fn more_results_never_undo_a_decision(
            strategy in "(all|any|collect-all|fail-fast|other)",
            answers in proptest::collection::vec("(|!|!NO|APPROVED|REJECTED)", 1..6), open in any::<u8>(),
        ) {
            let fan_out = children(&format!("check: {strategy}"));
            let all: Vec<Option<&str>> = answers.iter().map(|answer| Some(answer.as_str())).collect();
            let some: Vec<Option<&str>> =
                all.iter().enumerate().map(|(at, answer)| answer.filter(|_| open & (1 << at) == 0)).collect();
            let (early, last) = (by_answers(&fan_out, &some), by_answers(&fan_out, &all));
            prop_assert_ne!(&last, &FanIn::Undecided);
            if early != FanIn::Undecided {
                prop_assert_eq!(std::mem::discriminant(&early), std::mem::discriminant(&last), "{:?} {:?}", early, last);
            }
        }

        #[test]
        fn no_answer_panics(answers in proptest::collection::vec(".*", 0..4)) {
            let results: Vec<Option<TaskResult<'_>>> =
                answers.iter().map(|answer| Some(TaskResult { name: answer, failure: None, answer, output: None })).collect();
            let _ = fan_in(&children("check: all"), &results);
        }
    }
}
