//! A place where a person decides.

use crate::canon::plan::SpannedText;
use crate::syntax::Span;

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
