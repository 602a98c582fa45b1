//! Route conditions: a keyword in the worker's answer, or comparisons of the step's output fields.

use super::expression::{Comparison, Expression, Term, is_keyword, is_upper_case, parse_number};
use canonry_model::canon::workflow::WorkflowStep;

/// The keyword with which a worker reports that the whole task is done.
pub const TASK_DONE: &str = "TASK_DONE";

/// Why a condition cannot be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionError {
    /// Neither a keyword nor a comparison.
    Prose,
    /// The step does not declare the field.
    UnknownField(String),
    /// The field never has the value. Contains the field, the value and the declared type.
    OutOfRange(String, String, String),
    /// The type of the field does not allow the comparison. Contains the field, the value and the declared type.
    WrongType(String, String, String),
    /// A field without a comparison that is not a boolean. Contains the field and the declared type.
    NotBool(String, String),
}

/// Checks a condition of a step's route. `None` if canonry can evaluate it.
pub fn check_condition(condition: &str, step: &WorkflowStep) -> Option<ConditionError> {
    let Ok(expression) = Expression::parse(condition) else { return Some(ConditionError::Prose) };
    expression.terms().find_map(|term| match term {
        Term::Word(word) => check_word(word, step),
        Term::Comparison(comparison) => check_comparison(comparison, step),
    })
}

/// Whether a text is a condition of keywords, fields and comparisons, whatever the fields are.
pub fn is_condition(text: &str) -> bool {
    Expression::parse(text).is_ok()
}

fn check_word(word: &str, step: &WorkflowStep) -> Option<ConditionError> {
    // If the step declares no fields, a lower-case word can only be a keyword.
    let fields_known = step.output.as_ref().is_some_and(|output| !output.fields.is_empty());
    let field = own_field(word, step);
    if step.field(field).is_none() && is_name(field) && has_field_in_part(field, step) {
        return None;
    }
    match step.field(field) {
        Some(declared) if FieldType::parse(&declared.kind.text) == FieldType::Bool => None,
        Some(declared) => Some(ConditionError::NotBool(field.to_owned(), declared.kind.text.clone())),
        None if is_keyword(word) && (!fields_known || is_upper_case(word)) => None,
        None if is_keyword(word) => Some(ConditionError::UnknownField(field.to_owned())),
        None => Some(ConditionError::Prose),
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(char::is_alphabetic) && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Whether a field may exist although it is not declared as it is written: a part of a declared field (`bug.open`), or a
/// field that a schema file or the evaluator declares.
fn has_field_in_part(field: &str, step: &WorkflowStep) -> bool {
    // Without declared fields, a single word is a keyword as well.
    step.declares(field).unwrap_or(true)
}

/// Removes the prefix from `step.field` and `phases.step.field` if the step refers to itself.
pub fn own_field<'t>(field: &'t str, step: &WorkflowStep) -> &'t str {
    let field = field.strip_prefix("phases.").unwrap_or(field);
    field.strip_prefix(step.name.text.as_str()).and_then(|rest| rest.strip_prefix('.')).unwrap_or(field)
}

fn check_comparison(comparison: &Comparison<'_>, step: &WorkflowStep) -> Option<ConditionError> {
    let field = own_field(comparison.field, step);
    let Some(declared) = step.field(field) else {
        let is_unknown = !has_field_in_part(field, step);
        return is_unknown.then(|| ConditionError::UnknownField(field.to_owned()));
    };
    let kind = &declared.kind.text;
    let wrong = || Some(ConditionError::WrongType(field.to_owned(), comparison.written.to_owned(), kind.clone()));
    let orders = comparison.operator.orders();
    let field_type = FieldType::parse(kind);
    comparison.values.iter().find_map(|value| match field_type {
        FieldType::Number(range) => match (parse_number(value), range) {
            (None, _) => wrong(),
            (Some(number), Some((low, high))) if !(low..=high).contains(&number) => {
                Some(ConditionError::OutOfRange(field.to_owned(), (*value).to_owned(), kind.clone()))
            }
            _ => None,
        },
        FieldType::Bool if orders || !["true", "false"].contains(&value.to_ascii_lowercase().as_str()) => wrong(),
        FieldType::Other if orders && parse_number(value).is_some() && kind.trim() == "string" => wrong(),
        FieldType::Bool | FieldType::Other => None,
    })
}

/// The type of an output field, as declared in its `schema`.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldType {
    Bool,
    /// `number`, or `number[0..1]` with a range.
    Number(Option<(f64, f64)>),
    Other,
}

impl FieldType {
    /// Parses a type. Values of unknown types are compared as text.
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let (name, range) = match text.split_once('[') {
            Some((name, rest)) => (name.trim(), rest.strip_suffix(']').and_then(range)),
            None => (text, None),
        };
        match name.to_ascii_lowercase().as_str() {
            "bool" | "boolean" => Self::Bool,
            "number" | "float" | "int" | "integer" => Self::Number(range),
            _ => Self::Other,
        }
    }
}

fn range(text: &str) -> Option<(f64, f64)> {
    let (low, high) = text.split_once("..")?;
    Some((low.trim().parse().ok()?, high.trim().parse().ok()?))
}
