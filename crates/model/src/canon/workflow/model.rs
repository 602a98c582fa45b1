//! The model of a workflow, independent of its dialect.

use super::WorkflowDialect;
use super::evaluation::EvaluatorLoop;
use super::selection::Selection;
use canonry_text::Span;
use canonry_text::node::SpannedText;

/// A step of a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowStep {
    /// The name; empty if there is none.
    pub name: SpannedText,
    pub span: Span,
    /// The agent that runs the step. Without one, the step runs inline, in the session that runs the workflow.
    pub owner: Option<SpannedText>,
    /// The prompt itself, or the path of a template.
    pub prompt: Option<SpannedText>,
    /// The plan that the step executes instead of a prompt.
    pub plan: Option<SpannedText>,
    /// The name of the step's report; `None` if the step writes none of its own.
    pub report: Option<SpannedText>,
    /// The outline of the report, which the worker follows (`report: {name, format}`).
    pub report_format: Option<SpannedText>,
    /// A regular expression that the report must match (`report: {name, validation}`).
    pub report_validation: Option<SpannedText>,
    /// Set if a person does the step, or approves it if it has work for others: `true`, or the question to the person.
    pub human: Option<SpannedText>,
    /// The last step of the run, unless a condition leads elsewhere (`end: true`).
    pub ends: bool,
    /// The next steps; the first route that applies is taken. A step that ends the run has a route to `end`.
    pub routes: Vec<Route>,
    /// The next step after a failure.
    pub on_failure: Option<SpannedText>,
    pub timeout: Option<SpannedText>,
    pub context: StepContext,
    pub retry: RetryPolicy,
    pub fan_out: FanOut,
    pub output: Option<StepOutput>,
    /// A worker that produces, and one that evaluates the product, in turns.
    pub evaluation: Option<EvaluatorLoop>,
    /// Effects outside the run.
    pub effects: Option<SpannedText>,
    pub idempotency: Option<Idempotency>,
}

/// A way from a step to another step, to a gate or to the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    pub span: Span,
    /// The condition; `None` if the route is always taken.
    pub condition: Option<SpannedText>,
    /// Whether the step does not state it: the following step of a list, or the end after the last one.
    pub is_implied: bool,
    pub target: Option<SpannedText>,
}

/// Parts of earlier steps that a step reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepContext {
    /// `context_mode`
    pub mode: Option<SpannedText>,
    /// `context_inputs`
    pub inputs: Vec<StepInput>,
    /// `session`
    pub session: Option<SpannedText>,
}

/// An input: `step.field`, or a source with fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepInput {
    pub span: Span,
    /// The step that provides the input.
    pub source: Option<SpannedText>,
    /// The fields to read; empty for the whole output.
    pub fields: Vec<SpannedText>,
}

/// Retries of a failed step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RetryPolicy {
    /// `retry_strategy`
    pub strategy: Option<SpannedText>,
    /// `max_retries`
    pub limit: Option<SpannedText>,
    /// `feedback_mode`
    pub feedback: Option<SpannedText>,
    /// The next step after the last retry.
    pub exhausted: Option<SpannedText>,
}

/// Parallel execution of a step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FanOut {
    /// `parallel_candidates`: the number of workers on the same task.
    pub candidates: Option<SpannedText>,
    /// `parallel`: tasks that run side by side.
    pub children: Vec<ParallelChild>,
    /// `fan_in_strategy`, or `check` in orchestrator workflows.
    pub strategy: Option<SpannedText>,
    /// `selection_criteria`
    pub selection: Option<Selection>,
    /// The keywords with which a child rejects the work (`reject`).
    pub reject: Vec<SpannedText>,
    /// The next step if all workers fail.
    pub on_all_failed: Option<SpannedText>,
    /// Action if one worker fails.
    pub on_any_failure: Option<SpannedText>,
}

/// A child of a parallel step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParallelChild {
    pub span: Span,
    pub name: Option<SpannedText>,
    pub owner: Option<SpannedText>,
    pub prompt: Option<SpannedText>,
    pub report: Option<SpannedText>,
    pub timeout: Option<SpannedText>,
    /// `human`, if the child asks a person.
    pub human: Option<SpannedText>,
    pub output: Option<StepOutput>,
}

/// The output of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepOutput {
    pub span: Span,
    /// The output file, relative to the run's folder.
    pub file: Option<SpannedText>,
    /// The path of a JSON schema, if the fields are declared in a file.
    pub schema_file: Option<SpannedText>,
    /// The declared fields.
    pub fields: Vec<OutputField>,
}

/// A declared output field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputField {
    pub name: SpannedText,
    /// The type as written, such as `number[0..1]`.
    pub kind: SpannedText,
}

/// Protection of a repeated step against repeating its effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Idempotency {
    /// A text in the effect that a repeated step searches for.
    pub marker: Option<SpannedText>,
    /// A file that exists once the effect has happened.
    pub output_file: Option<SpannedText>,
    /// A command that tells whether the effect has happened.
    pub check: Option<SpannedText>,
}

impl WorkflowStep {
    /// The span to report for the whole step: its name, or its first byte.
    pub fn head(&self) -> Span {
        if self.name.text.is_empty() { Span::new(self.span.offset, self.span.offset) } else { self.name.span }
    }

    /// The declared output field named `name`.
    pub fn field(&self, name: &str) -> Option<&OutputField> {
        self.output.as_ref()?.fields.iter().find(|field| field.name.text == name)
    }

    /// Whether the output has a field, which may be dotted (`bug.summary`). `None` if that cannot be known: a schema file or
    /// the evaluator declares the fields.
    pub fn declares(&self, field: &str) -> Option<bool> {
        let Some(output) = &self.output else {
            return if self.evaluation.is_some() || self.plan.is_some() { None } else { Some(false) };
        };
        if output.schema_file.is_some() {
            return None;
        }
        let has = |name: &str| self.field(name).is_some();
        Some(has(field) || field.split_once('.').is_some_and(|(outer, _)| has(outer)))
    }

    /// Whether a person approves the step before its work begins. Without work for others, a person does the step.
    pub fn needs_approval(&self) -> bool {
        let has_work = self.prompt.is_some() || self.plan.is_some() || !self.fan_out.children.is_empty();
        self.human.is_some() && has_work
    }

    /// Whether the step is the whole workflow, which only names a plan.
    pub fn is_whole_plan(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.span == self.name.span)
    }

    /// The targets that are not routes: after a failure, or when retries are exhausted. With the key that names each.
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
    /// The first key that configures retries.
    pub fn asked_for(&self) -> Option<&SpannedText> {
        [&self.strategy, &self.limit, &self.feedback, &self.exhausted].into_iter().find_map(Option::as_ref)
    }

    /// Whether the strategy is `word`.
    pub fn is(&self, word: &str) -> bool {
        self.strategy.as_ref().is_some_and(|strategy| strategy.text == word)
    }

    /// `max_retries`, if it is a number of at least 1.
    pub fn bound(&self) -> Option<u64> {
        self.limit.as_ref()?.to_u64().filter(|limit| *limit >= 1)
    }
}

impl FanOut {
    /// The number of parallel candidates.
    pub fn count(&self) -> Option<u64> {
        self.candidates.as_ref()?.to_u64()
    }
}

/// The target that ends a run successfully.
pub const END: &str = "end";

/// A workflow in any dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowDefinition {
    pub dialect: WorkflowDialect,
    /// `workflow` or `name`.
    pub name: Option<SpannedText>,
    /// The path of the policy that applies to every step.
    pub policy: Option<SpannedText>,
    /// The parameters that templates may use, besides those of the `config.yaml` beside the workflow.
    pub parameters: Vec<WorkflowParameter>,
    /// `workflow_version`.
    pub version: Option<SpannedText>,
    /// `max_steps`
    pub max_steps: Option<SpannedText>,
    /// Whether the steps are written as `phases`, of which each key has a default.
    pub is_phased: bool,
    /// The steps in file order. A run begins at the first.
    pub steps: Vec<WorkflowStep>,
    /// The gates in file order.
    pub gates: Vec<WorkflowGate>,
}

/// A parameter of a workflow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowParameter {
    pub name: SpannedText,
    /// The value if none is given. A parameter without one must be given.
    pub default: Option<SpannedText>,
}

impl WorkflowDefinition {
    /// Whether the workflow uses the durable dialect.
    pub fn is_durable(&self) -> bool {
        self.dialect == WorkflowDialect::Durable
    }
}

/// A gate, at which a person decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowGate {
    pub span: Span,
    /// `gate_id`; empty if there is none.
    pub id: SpannedText,
    /// `type`
    pub kind: Option<SpannedText>,
    /// `trigger_condition`
    pub trigger: Option<SpannedText>,
    /// The message to the person.
    pub message: Option<SpannedText>,
    /// The options to choose from.
    pub choices: Vec<GateOption>,
    /// `timeout`
    pub timeout: Option<SpannedText>,
    /// Action on a timeout.
    pub timeout_action: Option<SpannedText>,
    /// The option chosen on a timeout.
    pub default: Option<SpannedText>,
}

/// An option of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateOption {
    pub span: Span,
    /// The recorded value.
    pub value: Option<SpannedText>,
    /// The next step.
    pub target: Option<SpannedText>,
    /// Whether the option is marked as the default.
    pub default: bool,
}

impl WorkflowGate {
    /// The span to report for the whole gate: its id, or its first byte.
    pub fn head(&self) -> Span {
        if self.id.text.is_empty() { Span::new(self.span.offset, self.span.offset) } else { self.id.span }
    }

    /// The option that is chosen if nobody answers, by its index.
    pub fn default_option(&self) -> Option<usize> {
        let named = |choice: &GateOption| match (&choice.value, &self.default) {
            (Some(value), Some(default)) => value.text == default.text,
            _ => false,
        };
        self.choices.iter().position(|choice| choice.default || named(choice))
    }

    /// Whether the gate only tells a person something.
    pub fn is_notification(&self) -> bool {
        self.kind.as_ref().is_some_and(|kind| kind.text == "notification")
    }
}
