//! Targets of the names in routes, `on_…` keys and gate options: a step, a gate, the end, or an action of the run.
//!
//! The rules of `check` and the engine resolve names with [`super::WorkflowGraph::resolve`] and nowhere else.

use canonry_model::canon::workflow::WorkflowGate;

/// Target of a name.
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

/// Action of a gate's option.
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

/// Action of a gate if nobody answers in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GateTimeout {
    /// The run stays paused until somebody answers.
    Pause,
    /// The run is aborted.
    Abort,
    /// An option is chosen, by its index in the gate.
    Choose(usize),
}

/// The action with a word.
pub(super) fn action(word: &str) -> Option<RunAction> {
    ACTION_WORDS.iter().find(|(known, _)| *known == word).map(|(_, action)| *action)
}

/// The option of a gate with a value.
pub(super) fn option_named(gate: &WorkflowGate, value: &str) -> Option<usize> {
    gate.choices.iter().position(|option| option.value.as_ref().is_some_and(|text| text.text == value))
}

/// Meaning of a word at a gate. People write these words in any case.
pub(super) fn answer_word(word: &str) -> Option<GateAnswer> {
    let word = word.to_ascii_lowercase();
    match action(&word) {
        _ if APPROVAL_WORDS.contains(&word.as_str()) => Some(GateAnswer::Approve),
        _ if REJECTION_WORDS.contains(&word.as_str()) => Some(GateAnswer::Reject),
        Some(RunAction::Continue) => Some(GateAnswer::Approve),
        Some(action) => Some(GateAnswer::Go(StepTarget::Action(action))),
        None => None,
    }
}
