//! A step of a plan, as it is written.

use canonry_text::Span;
use canonry_text::node::{Node, SpannedText};

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// The whole step.
    pub span: Span,
    pub id: Option<SpannedText>,
    /// Description of the step; may be empty.
    pub description: String,
    /// The role that executes the step.
    pub owner: Option<SpannedText>,
    /// The status; pending by default.
    pub status: StepStatus,
    /// The status value, if it is written.
    pub status_span: Option<Span>,
    /// The ids of the steps that must be complete first.
    pub deps: Vec<SpannedText>,
    /// Whether it may run in parallel with other steps.
    pub parallel: bool,
    /// Whether it has acceptance criteria.
    pub has_criteria: bool,
    /// The acceptance criteria.
    pub criteria: Vec<String>,
    pub commands: Vec<SpannedText>,
    /// The files that it writes.
    pub files: Vec<SpannedText>,
    /// Whether a person must approve the step before it starts.
    pub approval: bool,
    /// The most lines that the step may add and remove together.
    pub max_diff_lines: Option<u64>,
    pub risk_notes: Vec<String>,
}

/// The status of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepStatus {
    Pending,
    InProgress,
    Complete,
    Blocked,
    /// Not a valid status.
    Unknown,
}

impl StepStatus {
    /// Whether an attempt, or a person, has decided about the step.
    pub fn is_decided(self) -> bool {
        matches!(self, Self::Complete | Self::Blocked)
    }
}

impl PlanStep {
    pub(super) fn from_node(node: &Node) -> Self {
        let text = |key: &str| node.get(key).and_then(Node::spanned_text);
        let texts = |key: &str| {
            let items = node.get(key).and_then(Node::as_sequence).unwrap_or_default();
            items.iter().filter_map(Node::spanned_text).collect::<Vec<_>>()
        };
        // A text, or a list of texts.
        let prose = |key: &str| match text(key) {
            Some(one) => Some(one.text).filter(|text| !text.trim().is_empty()).into_iter().collect(),
            None => texts(key).into_iter().map(|one| one.text).collect(),
        };
        let is_true = |key: &str| text(key).is_some_and(|value| value.text.eq_ignore_ascii_case("true"));
        let status = text("status");
        Self {
            span: node.span,
            id: text("id"),
            description: text("description").map(|description| description.text).unwrap_or_default(),
            owner: text("owner"),
            status: status
                .as_ref()
                .map_or(StepStatus::Pending, |s| StepStatus::from_word(&s.text).unwrap_or(StepStatus::Unknown)),
            status_span: status.map(|s| s.span),
            deps: texts("deps"),
            parallel: is_true("parallel"),
            has_criteria: node.get("criteria").is_some_and(holds_something),
            criteria: prose("criteria"),
            commands: texts("commands"),
            files: texts("files"),
            approval: is_true("approval"),
            max_diff_lines: text("max_diff_lines").and_then(|lines| lines.to_u64()),
            risk_notes: prose("risk_notes"),
        }
    }

    /// The id, or an empty string.
    pub fn id_text(&self) -> &str {
        self.id.as_ref().map_or("", |id| &id.text)
    }

    /// The span to report for the whole step: its id, or its first byte.
    pub fn head(&self) -> Span {
        self.id.as_ref().map_or(Span::new(self.span.offset, self.span.offset), |id| id.span)
    }
}

impl StepStatus {
    /// The valid statuses.
    pub const VALID: [Self; 4] = [Self::Pending, Self::InProgress, Self::Complete, Self::Blocked];

    /// The status as a plan spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Complete => "complete",
            Self::Blocked => "blocked",
            Self::Unknown => "unknown",
        }
    }

    /// The valid status with this spelling.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::VALID.into_iter().find(|status| status.as_str() == word)
    }
}

fn holds_something(node: &Node) -> bool {
    match (node.as_scalar(), node.as_sequence()) {
        (Some(scalar), _) => !scalar.text.trim().is_empty(),
        (_, Some(items)) => !items.is_empty(),
        _ => false,
    }
}
