//! One step of a workflow.

use super::WorkflowDialect;
use crate::canon::plan::SpannedText;
use crate::syntax::Span;

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowStep {
    /// Its name; empty where it has none.
    pub name: SpannedText,
    /// The whole step.
    pub span: Span,
    /// Who does it.
    pub owner: Option<SpannedText>,
    /// Where it leads, the first that applies; a step that ends the run leads to `end`.
    pub routes: Vec<Route>,
    /// Where it leads when it fails.
    pub on_failure: Option<SpannedText>,
    /// How long it may take.
    pub timeout: Option<SpannedText>,
    /// What it reads.
    pub context: StepContext,
    /// How it is tried again.
    pub retry: RetryPolicy,
    /// Several workers at once.
    pub fan_out: FanOut,
    /// What it gives.
    pub output: Option<StepOutput>,
    /// What it changes outside the run.
    pub effects: Option<SpannedText>,
    /// How a second run of it is kept from changing the same again.
    pub idempotency: Option<Idempotency>,
}

/// A way from a step to another one, a gate or the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The whole route.
    pub span: Span,
    /// When it is taken; always where there is none.
    pub condition: Option<SpannedText>,
    /// Where it leads.
    pub target: Option<SpannedText>,
}

/// What a step reads of the steps before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepContext {
    /// `context_mode`
    pub mode: Option<SpannedText>,
    /// `context_inputs`
    pub inputs: Vec<StepInput>,
    /// `session`
    pub session: Option<SpannedText>,
}

/// An input: `step.field`, or a source with its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepInput {
    /// The whole input.
    pub span: Span,
    /// The step that gives it.
    pub source: Option<SpannedText>,
    /// The fields that are read; all of the step's output where there are none.
    pub fields: Vec<SpannedText>,
}

/// How a step is tried again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetryPolicy {
    /// `retry_strategy`
    pub strategy: Option<SpannedText>,
    /// `max_retries`
    pub limit: Option<SpannedText>,
    /// `feedback_mode`
    pub feedback: Option<SpannedText>,
    /// Where the step leads when the retries are used up.
    pub exhausted: Option<SpannedText>,
}

/// Several workers at once on one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FanOut {
    /// `parallel_candidates`: how many try the same thing.
    pub candidates: Option<SpannedText>,
    /// `parallel`: what is done side by side.
    pub children: Vec<ParallelChild>,
    /// `fan_in_strategy`, or an orchestrator's `check`.
    pub strategy: Option<SpannedText>,
    /// `selection_criteria`
    pub selection: Option<SpannedText>,
    /// Where the step leads when all failed.
    pub on_all_failed: Option<SpannedText>,
    /// What happens when one failed.
    pub on_any_failure: Option<SpannedText>,
}

/// A child of a parallel step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParallelChild {
    /// The whole child.
    pub span: Span,
    /// Who does it.
    pub owner: Option<SpannedText>,
    /// `human`, where it asks for a person.
    pub human: Option<SpannedText>,
    /// What it gives.
    pub output: Option<StepOutput>,
}

/// What a step gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepOutput {
    /// The whole output.
    pub span: Span,
    /// The file it writes, relative to the run's folder.
    pub file: Option<SpannedText>,
    /// The fields it declares.
    pub fields: Vec<OutputField>,
}

/// A declared field of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputField {
    /// Its name.
    pub name: SpannedText,
    /// Its type as written, such as `number[0..1]`.
    pub kind: SpannedText,
}

/// How a second run of a step is kept from changing the same again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Idempotency {
    /// A text that the effect carries and a second run looks for.
    pub marker: Option<SpannedText>,
    /// A file whose presence says that the effect happened.
    pub output_file: Option<SpannedText>,
    /// A command that says whether the effect happened.
    pub check: Option<SpannedText>,
}

impl WorkflowStep {
    /// Where to point for the whole step: its name, else its first byte.
    pub fn head(&self) -> Span {
        if self.name.text.is_empty() { Span::new(self.span.offset, self.span.offset) } else { self.name.span }
    }

    /// The declared field of a name.
    pub fn field(&self, name: &str) -> Option<&OutputField> {
        self.output.as_ref()?.fields.iter().find(|field| field.name.text == name)
    }

    /// Where it leads otherwise than by its routes: on a failure, or when all tries are used up.
    pub fn detours(&self) -> impl Iterator<Item = (&'static str, &SpannedText)> {
        let detours = [
            ("on_failure", &self.on_failure),
            ("on_max_retries_exceeded", &self.retry.exhausted),
            ("on_all_failed", &self.fan_out.on_all_failed),
            ("on_any_failure", &self.fan_out.on_any_failure),
        ];
        detours.into_iter().filter_map(|(key, target)| Some((key, target.as_ref()?)))
    }
}

impl RetryPolicy {
    /// The first word that says that the step is tried again.
    pub fn asked_for(&self) -> Option<&SpannedText> {
        [&self.strategy, &self.limit, &self.feedback, &self.exhausted].into_iter().find_map(Option::as_ref)
    }

    /// Whether its strategy is `word`.
    pub fn is(&self, word: &str) -> bool {
        self.strategy.as_ref().is_some_and(|strategy| strategy.text == word)
    }

    /// `max_retries`, where it is a number of 1 or more.
    pub fn bound(&self) -> Option<u64> {
        self.limit.as_ref()?.text.parse().ok().filter(|limit| *limit >= 1)
    }
}

impl FanOut {
    /// How many candidates try the same thing.
    pub fn count(&self) -> Option<u64> {
        self.candidates.as_ref()?.text.parse().ok()
    }
}

/// The word for where a run ends well.
pub const END: &str = "end";

/// A workflow in whatever dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowDefinition {
    /// How it is written.
    pub dialect: WorkflowDialect,
    /// `workflow_version`.
    pub version: Option<SpannedText>,
    /// `max_steps`
    pub max_steps: Option<SpannedText>,
    /// Its steps in file order; a run begins at the first.
    pub steps: Vec<WorkflowStep>,
    /// Its gates in file order.
    pub gates: Vec<WorkflowGate>,
}

impl WorkflowDefinition {
    /// Whether it is of the durable dialect, in which a step says what becomes of it whatever happens.
    pub fn is_durable(&self) -> bool {
        self.dialect == WorkflowDialect::Durable
    }
}

/// A gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowGate {
    /// The whole gate.
    pub span: Span,
    /// `gate_id`; empty where it has none.
    pub id: SpannedText,
    /// `type`
    pub kind: Option<SpannedText>,
    /// `trigger_condition`
    pub trigger: Option<SpannedText>,
    /// What the person is told.
    pub message: Option<SpannedText>,
    /// What the person can choose from.
    pub choices: Vec<GateOption>,
    /// `timeout`
    pub timeout: Option<SpannedText>,
    /// What happens when nobody answered in time.
    pub timeout_action: Option<SpannedText>,
    /// The value that counts when nobody answered.
    pub default: Option<SpannedText>,
}

/// An option of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateOption {
    /// The whole option.
    pub span: Span,
    /// What is recorded when it is chosen.
    pub value: Option<SpannedText>,
    /// Where it leads.
    pub target: Option<SpannedText>,
    /// Whether it is marked as the default.
    pub default: bool,
}

impl WorkflowGate {
    /// Where to point for the whole gate: its id, else its first byte.
    pub fn head(&self) -> Span {
        if self.id.text.is_empty() { Span::new(self.span.offset, self.span.offset) } else { self.id.span }
    }

    /// Whether it names an option that counts when nobody answered.
    pub fn has_default(&self) -> bool {
        let named = |choice: &GateOption| match (&choice.value, &self.default) {
            (Some(value), Some(default)) => value.text == default.text,
            _ => false,
        };
        self.choices.iter().any(|choice| choice.default || named(choice))
    }

    /// Whether a run stands still at it until a person answers: it asks, and time alone does not open it.
    pub fn holds(&self) -> bool {
        let is = |setting: &Option<SpannedText>, word: &str| setting.as_ref().is_some_and(|text| text.text == word);
        !is(&self.kind, "notification") && !is(&self.timeout_action, "continue")
    }
}
