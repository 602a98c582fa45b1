//! Decisions of persons.

use super::super::event::{Destination, QuestionKind, RunEvent};
use super::super::run_state::{APPROVE, RunPosition};
use super::super::target::{GateAnswer, answer_word};
use super::Engine;
use super::gate::STEP_OPTIONS;
use canonry_model::canon::workflow::WorkflowStep;

/// Why a decision is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("the run waits for no decision{}", at(.0.as_deref()))]
    NotAsked(Option<String>),
    #[error("{by} already decided `{option}` at `{name}`")]
    AlreadyAnswered { name: String, by: String, option: String },
    #[error("`{option}` is not an option of `{name}`; options: {}", options.join(", "))]
    UnknownOption { name: String, option: String, options: Vec<String> },
}

fn at(name: Option<&str>) -> String {
    name.map(|name| format!(" at `{name}`")).unwrap_or_default()
}

/// Who decided what.
#[derive(Clone, Copy, Debug)]
pub struct Decided<'a> {
    /// The gate or step; `None` for the open question.
    pub name: Option<&'a str>,
    pub option: &'a str,
    pub by: &'a str,
    pub why: Option<&'a str>,
}

/// The event that records a decision of a person.
///
/// # Errors
/// There is no such question, it was answered before, or it has no such option.
pub fn answer(engine: &Engine<'_>, decided: Decided<'_>) -> Result<RunEvent, AnswerError> {
    let state = engine.state;
    let question = state.question.as_ref().filter(|question| decided.name.is_none_or(|name| name == question.name));
    let Some(question) = question else {
        let earlier = state.answers.iter().rev().find(|answer| decided.name.is_none_or(|name| name == answer.name));
        return Err(match earlier {
            Some(earlier) => AnswerError::AlreadyAnswered {
                name: earlier.name.clone(),
                by: earlier.by.clone(),
                option: earlier.option.clone(),
            },
            None => AnswerError::NotAsked(decided.name.map(str::to_owned)),
        });
    };
    let name = question.name.clone();
    let option = decided.option.to_owned();
    if !question.options.contains(&option) {
        return Err(AnswerError::UnknownOption { name, option, options: question.options.clone() });
    }
    let from = question.from.as_deref();
    let next = match question.kind {
        QuestionKind::Gate => {
            let gate = engine.gate(&name);
            let at = gate.and_then(|gate| {
                gate.choices.iter().position(|choice| choice.value.as_ref().is_some_and(|value| value.text == option))
            });
            let next = gate.zip(at).and_then(|(gate, at)| engine.option_destination(gate, at, from));
            next.unwrap_or(Destination::Abort)
        }
        QuestionKind::Failure => after_failure(engine, &name, &option),
        QuestionKind::Step => match engine.step(&name) {
            Some(step) => after_step(engine, step, &option, from),
            None => Destination::Abort,
        },
    };
    let by = decided.by.to_owned();
    let why = decided.why.map(str::to_owned);
    Ok(RunEvent::PersonAnswered { name, visit: question.visit, option, by, why, next })
}

fn after_failure(engine: &Engine<'_>, step: &str, option: &str) -> Destination {
    match (option, engine.step(step)) {
        ("retry", _) => Destination::Step(step.to_owned()),
        ("skip", Some(step)) => match &engine.state.position {
            RunPosition::Person { gate: Some(gate), .. } => {
                engine.gate(gate).map_or(Destination::Abort, |gate| engine.past_gate(gate, Some(&step.name.text)))
            }
            _ => engine.proceed(step),
        },
        _ => Destination::Abort,
    }
}

/// The option with which a bare `approve` answers: the first one that approves, or the only one.
pub fn approving(options: &[String]) -> Option<&str> {
    let approves = |option: &&String| answer_word(option) == Some(GateAnswer::Approve) || *option == STEP_OPTIONS[0];
    let only = || if let [only] = options { Some(only) } else { None };
    options.iter().find(approves).or_else(only).map(String::as_str)
}

/// The option with which a bare `reject` answers: the first one that rejects, or the other one of two if one approves.
pub fn rejecting(options: &[String]) -> Option<&str> {
    let rejects = |option: &&String| answer_word(option) == Some(GateAnswer::Reject);
    let other = || {
        let approves = approving(options)?;
        options.iter().find(|option| options.len() == 2 && *option != approves)
    };
    options.iter().find(rejects).or_else(other).map(String::as_str)
}

fn after_step(engine: &Engine<'_>, step: &WorkflowStep, option: &str, from: Option<&str>) -> Destination {
    let is_keyword = step.routes.iter().any(|route| route.condition.as_ref().is_some_and(|word| word.text == option));
    match option {
        APPROVE if step.needs_approval() => Destination::Step(step.name.text.clone()),
        _ if !step.needs_approval() && (is_keyword || !STEP_OPTIONS.contains(&option)) => {
            engine.route(step, option, None).map_or(Destination::Person, |route| route.next)
        }
        "reject" => Destination::Step(from.unwrap_or(&step.name.text).to_owned()),
        "done" => engine.proceed(step),
        _ => Destination::Abort,
    }
}
