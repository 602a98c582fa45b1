//! One step of a workflow.

use crate::canon::plan::Text;
use crate::syntax::Span;

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its name; empty where it has none.
    pub name: Text,
    /// The whole step.
    pub span: Span,
    /// Who does it.
    pub owner: Option<Text>,
    /// Where it leads, the first that applies; a step that ends the run leads to `end`.
    pub routes: Vec<Route>,
    /// Where it leads when it fails.
    pub on_failure: Option<Text>,
    /// How long it may take.
    pub timeout: Option<Text>,
    /// What it reads.
    pub context: Context,
    /// How it is tried again.
    pub retry: Retry,
    /// Several workers at once.
    pub fan_out: FanOut,
    /// What it gives.
    pub output: Option<Output>,
    /// What it changes outside the run.
    pub effects: Option<Text>,
    /// How a second run of it is kept from changing the same again.
    pub idempotency: Option<Idempotency>,
}

/// A way from a step to another one, a gate or the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The whole route.
    pub span: Span,
    /// When it is taken; always where there is none.
    pub condition: Option<Text>,
    /// Where it leads.
    pub target: Option<Text>,
}

/// What a step reads of the steps before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// `context_mode`
    pub mode: Option<Text>,
    /// `context_inputs`
    pub inputs: Vec<Input>,
    /// `session`
    pub session: Option<Text>,
}

/// An input: `step.field`, or a source with its fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The whole input.
    pub span: Span,
    /// The step that gives it.
    pub source: Option<Text>,
    /// The fields that are read; all of the step's output where there are none.
    pub fields: Vec<Text>,
}

/// How a step is tried again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Retry {
    /// `retry_strategy`
    pub strategy: Option<Text>,
    /// `max_retries`
    pub limit: Option<Text>,
    /// `feedback_mode`
    pub feedback: Option<Text>,
    /// Where the step leads when the retries are used up.
    pub exhausted: Option<Text>,
}

/// Several workers at once on one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FanOut {
    /// `parallel_candidates`: how many try the same thing.
    pub candidates: Option<Text>,
    /// `parallel`: what is done side by side.
    pub children: Vec<Child>,
    /// `fan_in_strategy`, or an orchestrator's `check`.
    pub strategy: Option<Text>,
    /// `selection_criteria`
    pub selection: Option<Text>,
    /// Where the step leads when all failed.
    pub on_all_failed: Option<Text>,
    /// What happens when one failed.
    pub on_any_failure: Option<Text>,
}

/// A child of a parallel step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Child {
    /// The whole child.
    pub span: Span,
    /// Who does it.
    pub owner: Option<Text>,
    /// `human`, where it asks for a person.
    pub human: Option<Text>,
    /// What it gives.
    pub output: Option<Output>,
}

/// What a step gives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The whole output.
    pub span: Span,
    /// The file it writes, relative to the run's folder.
    pub file: Option<Text>,
    /// The fields it declares.
    pub fields: Vec<Field>,
}

/// A declared field of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: Text,
    /// Its type as written, such as `number[0..1]`.
    pub kind: Text,
}

/// How a second run of a step is kept from changing the same again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Idempotency {
    /// A text that the effect carries and a second run looks for.
    pub marker: Option<Text>,
    /// A file whose presence says that the effect happened.
    pub output_file: Option<Text>,
    /// A command that says whether the effect happened.
    pub check: Option<Text>,
}

impl Step {
    /// Where to point for the whole step: its name, else its first byte.
    pub fn head(&self) -> Span {
        if self.name.text.is_empty() { Span::new(self.span.offset, self.span.offset) } else { self.name.span }
    }

    /// The declared field of a name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.output.as_ref()?.fields.iter().find(|field| field.name.text == name)
    }

    /// Where it leads otherwise than by its routes: on a failure, or when all tries are used up.
    pub fn detours(&self) -> impl Iterator<Item = (&'static str, &Text)> {
        let detours = [
            ("on_failure", &self.on_failure),
            ("on_max_retries_exceeded", &self.retry.exhausted),
            ("on_all_failed", &self.fan_out.on_all_failed),
            ("on_any_failure", &self.fan_out.on_any_failure),
        ];
        detours.into_iter().filter_map(|(key, target)| Some((key, target.as_ref()?)))
    }
}

impl Retry {
    /// The first word that says that the step is tried again.
    pub fn asked_for(&self) -> Option<&Text> {
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
