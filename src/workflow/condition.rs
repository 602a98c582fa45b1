//! Route conditions: a keyword in the worker's answer, or comparisons of the step's output fields.

use crate::canon::workflow::WorkflowStep;

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

const OPERATORS: [&str; 8] = [">=", "<=", "==", "!=", "=", ">", "<", " in "];

/// Checks a condition of a step's route. `None` if canonry can evaluate it.
pub fn check_condition(condition: &str, step: &WorkflowStep) -> Option<ConditionError> {
    terms(condition).into_iter().find_map(|term| check_term(term, step))
}

/// Whether a text is a condition of keywords, fields and comparisons, whatever the fields are.
pub fn is_condition(text: &str) -> bool {
    terms(text).into_iter().all(|term| is_name(term) || comparison(term).is_some())
}

fn is_name(text: &str) -> bool {
    text.starts_with(char::is_alphabetic) && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Splits a condition at `AND`, `OR`, `NOT` and parentheses.
fn terms(condition: &str) -> Vec<&str> {
    let mut found = vec![condition];
    for word in [" AND ", " OR ", " and ", " or ", "&&", "||"] {
        found = found.into_iter().flat_map(|part| part.split(word)).collect();
    }
    found.into_iter().map(bare).collect()
}

fn bare(term: &str) -> &str {
    let mut term = term.trim();
    loop {
        let inner = term.strip_prefix('(').map(|inner| inner.strip_suffix(')').unwrap_or(inner));
        let inner = inner.or_else(|| term.strip_suffix(')'));
        let inner = inner.or_else(|| ["NOT ", "not ", "!"].iter().find_map(|not| term.strip_prefix(not)));
        match inner {
            Some(inner) => term = inner.trim(),
            None => return term,
        }
    }
}

fn check_term(term: &str, step: &WorkflowStep) -> Option<ConditionError> {
    // If the step declares no fields, a lower-case word can only be a keyword.
    let fields_known = step.output.as_ref().is_some_and(|output| !output.fields.is_empty());
    if let Some((field, value)) = comparison(term) {
        return check_comparison(own(field, step), value, term, step);
    }
    let field = own(term, step);
    if step.field(field).is_none() && is_name(field) && has_field_in_part(field, step) {
        return None;
    }
    match step.field(field) {
        Some(declared) if FieldType::parse(&declared.kind.text) == FieldType::Bool => None,
        Some(declared) => Some(ConditionError::NotBool(field.to_owned(), declared.kind.text.clone())),
        None if is_keyword(term) && (!fields_known || is_upper_case(term)) => None,
        None if is_keyword(term) => Some(ConditionError::UnknownField(field.to_owned())),
        None => Some(ConditionError::Prose),
    }
}

/// Whether a field may exist although it is not declared as it is written: a part of a declared field (`bug.open`), or a
/// field that a schema file or the evaluator declares.
fn has_field_in_part(field: &str, step: &WorkflowStep) -> bool {
    match step.declares(field) {
        Some(declared) => declared,
        // Without declared fields, a single word is a keyword as well.
        None => true,
    }
}

/// Removes the prefix from `step.field` and `phases.step.field` if the step refers to itself.
fn own<'t>(field: &'t str, step: &WorkflowStep) -> &'t str {
    let field = field.strip_prefix("phases.").unwrap_or(field);
    field.strip_prefix(step.name.text.as_str()).and_then(|rest| rest.strip_prefix('.')).unwrap_or(field)
}

fn comparison(term: &str) -> Option<(&str, &str)> {
    let (field, value) = OPERATORS.iter().find_map(|operator| term.split_once(operator))?;
    let (field, value) = (field.trim(), value.trim());
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_list = value.starts_with('[') && value.ends_with(']');
    let is_value = !value.is_empty() && (is_list || is_quoted(value) || !value.contains(char::is_whitespace));
    (!field.is_empty() && field.chars().all(is_name) && is_value).then_some((field, value))
}

fn is_quoted(value: &str) -> bool {
    value.len() >= 2
        && (value.starts_with('"') && value.ends_with('"') || value.starts_with('\'') && value.ends_with('\''))
}

fn check_comparison(field: &str, value: &str, term: &str, step: &WorkflowStep) -> Option<ConditionError> {
    let Some(declared) = step.field(field) else {
        let is_unknown = !has_field_in_part(field, step);
        return is_unknown.then(|| ConditionError::UnknownField(field.to_owned()));
    };
    let kind = &declared.kind.text;
    let wrong = || Some(ConditionError::WrongType(field.to_owned(), value.to_owned(), kind.clone()));
    let orders = term.contains(['<', '>']);
    match FieldType::parse(kind) {
        FieldType::Number(range) => match (value.parse::<f64>(), range) {
            (Err(_), _) => wrong(),
            (Ok(number), Some((low, high))) if !(low..=high).contains(&number) => {
                Some(ConditionError::OutOfRange(field.to_owned(), value.to_owned(), kind.clone()))
            }
            _ => None,
        },
        FieldType::Bool if orders || !["true", "false"].contains(&value.to_ascii_lowercase().as_str()) => wrong(),
        FieldType::Other if orders && value.parse::<f64>().is_ok() && kind.trim() == "string" => wrong(),
        FieldType::Bool | FieldType::Other => None,
    }
}

/// A single word, optionally with hyphens. Keywords are compared as whole words.
pub fn is_keyword(text: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.starts_with(char::is_alphabetic) && text.chars().all(inside)
}

/// Whether a word has no lower-case letters and so cannot be a field name.
fn is_upper_case(word: &str) -> bool {
    !word.chars().any(char::is_lowercase)
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
