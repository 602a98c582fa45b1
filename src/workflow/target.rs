//! What the names in routes, `on_…` keys and gate options stand for: a step, a gate, the end, or an action of the run.
//!
//! The rules of `check` and the engine resolve names here and nowhere else.

use super::WorkflowGraph;
use crate::canon::workflow::{END, WorkflowGate};

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepTarget {
    /// A step, by its index in the definition.
    Step(usize),
    /// A gate, by its index in the definition.
    Gate(usize),
    /// The successful end of the run.
    End,
    /// An action of the run itself.
    Action(RunAction),
}

/// An action of the run instead of a next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunAction {
    /// End the run without success (`abort`, `stop`, `cancel`).
    Abort,
    /// Mark the step as failed and end the run (`fail`).
    Fail,
    /// Continue with the step's routes as if the step had succeeded (`continue`, `ignore`).
    Continue,
    /// Continue with the step's routes and mark the step as skipped (`skip`).
    Skip,
    /// Repeat the step (`retry`).
    Retry,
    /// Stop the run so that it can be resumed (`pause`).
    Pause,
    /// Ask a person (`human_escalation`, `escalate`).
    Escalate,
}

/// The words for the actions of a run. Steps and gates with such a name take precedence.
pub const ACTION_WORDS: [(&str, RunAction); 11] = [
    ("abort", RunAction::Abort),
    ("fail", RunAction::Fail),
    ("continue", RunAction::Continue),
    ("skip", RunAction::Skip),
    ("retry", RunAction::Retry),
    ("pause", RunAction::Pause),
    ("human_escalation", RunAction::Escalate),
    ("escalate", RunAction::Escalate),
    ("ignore", RunAction::Continue),
    ("cancel", RunAction::Abort),
    ("stop", RunAction::Abort),
];

/// The words with which a person confirms the step that led to a gate.
pub const APPROVAL_WORDS: [&str; 5] = ["approve", "continue", "proceed", "yes", "ok"];
/// The words with which a person rejects the step that led to a gate.
pub const REJECTION_WORDS: [&str; 2] = ["reject", "no"];

impl RunAction {
    /// Whether a route may have the action as its target. The others continue with the routes of a step, so that a route
    /// to them would lead nowhere.
    pub fn is_route_target(self) -> bool {
        !matches!(self, Self::Continue | Self::Skip)
    }
}

/// What an option of a gate does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateAnswer {
    /// Continue with a step, a gate, the end or an action. [`RunAction::Retry`] and [`RunAction::Skip`] apply to the step
    /// that led to the gate; [`RunAction::Continue`] is [`GateAnswer::Approve`].
    Go(StepTarget),
    /// Continue as if the step that led to the gate had succeeded.
    Approve,
    /// Repeat the step that led to the gate, with the reason as feedback.
    Reject,
}

/// What happens at a gate if nobody answers in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateTimeout {
    /// The run stays paused until somebody answers.
    Pause,
    /// The run is aborted.
    Abort,
    /// An option is chosen, by its index in the gate.
    Choose(usize),
}

impl WorkflowGraph<'_> {
    /// What a name stands for; `None` if it is unknown. `trigger_X` means the gate `X` or `gate_X`.
    pub fn resolve(&self, name: &str) -> Option<StepTarget> {
        if name == END {
            return Some(StepTarget::End);
        }
        let word = || ACTION_WORDS.iter().find(|(word, _)| *word == name).map(|(_, action)| *action);
        match self.node(name) {
            Some(node) => Some(self.target_of(node)),
            None => word().map(StepTarget::Action),
        }
    }

    /// The target that is a step or gate, by its index in the graph.
    fn target_of(&self, node: usize) -> StepTarget {
        if self.is_step(node) { StepTarget::Step(node) } else { StepTarget::Gate(node - self.step_count()) }
    }

    /// What an option of a gate does: its `goto`, or what its value stands for. `None` if neither is known.
    pub fn resolve_option(&self, gate: usize, option: usize) -> Option<GateAnswer> {
        let option = self.definition().gates.get(gate)?.choices.get(option)?;
        let name = option.target.as_ref().or(option.value.as_ref())?.text.as_str();
        match self.resolve(name) {
            Some(StepTarget::Action(RunAction::Continue)) => Some(GateAnswer::Approve),
            Some(target) => Some(GateAnswer::Go(target)),
            None => answer_word(name),
        }
    }

    /// What happens at a gate if nobody answers in time. `None` without a valid `timeout_action`.
    pub fn resolve_timeout(&self, gate: usize) -> Option<GateTimeout> {
        let gate = self.definition().gates.get(gate)?;
        let action = gate.timeout_action.as_ref()?.text.as_str();
        let named = option_named(gate, action).map(GateTimeout::Choose);
        match action {
            "continue" => gate.default_option().map(GateTimeout::Choose).or(named),
            _ if named.is_some() => named,
            "pause" => Some(GateTimeout::Pause),
            "abort" => Some(GateTimeout::Abort),
            _ => None,
        }
    }
}

/// The option of a gate with a value.
fn option_named(gate: &WorkflowGate, value: &str) -> Option<usize> {
    gate.choices.iter().position(|option| option.value.as_ref().is_some_and(|text| text.text == value))
}

/// What a word means at a gate. People write these words in any case.
fn answer_word(word: &str) -> Option<GateAnswer> {
    let word = word.to_ascii_lowercase();
    let action = ACTION_WORDS.iter().find(|(known, _)| *known == word).map(|(_, action)| *action);
    match action {
        _ if APPROVAL_WORDS.contains(&word.as_str()) => Some(GateAnswer::Approve),
        _ if REJECTION_WORDS.contains(&word.as_str()) => Some(GateAnswer::Reject),
        Some(RunAction::Continue) => Some(GateAnswer::Approve),
        Some(action) => Some(GateAnswer::Go(StepTarget::Action(action))),
        None => None,
    }
}
