//! Conditions of routes: a keyword of the worker's answer, or comparisons of the fields that the step declares.

use crate::canon::workflow::WorkflowStep;

/// The keyword by which a worker says that the whole task is done.
pub const TASK_DONE: &str = "TASK_DONE";

/// What is wrong with a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionError {
    /// Neither a keyword nor a comparison.
    Prose,
    /// A field that the step does not declare.
    UnknownField(String),
    /// A value that the field never has: field, value, its type as written.
    OutOfRange(String, String, String),
    /// A comparison that the field's type does not allow: field, operator or value, its type as written.
    WrongType(String, String, String),
    /// A field that is no boolean standing alone: field, its type as written.
    NotBool(String, String),
}

const OPERATORS: [&str; 8] = [">=", "<=", "==", "!=", "=", ">", "<", " in "];

/// What is wrong with the condition of a step's route; nothing where a program can decide it.
pub fn check_condition(condition: &str, step: &WorkflowStep) -> Option<ConditionError> {
    terms(condition).into_iter().find_map(|term| flaw_of(term, step))
}

/// The comparisons of a condition, apart from `AND`, `OR`, `NOT` and brackets.
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

fn flaw_of(term: &str, step: &WorkflowStep) -> Option<ConditionError> {
    // Where nothing is declared, a small word can only be a keyword.
    let fields_known = step.output.as_ref().is_some_and(|output| !output.fields.is_empty());
    if let Some((field, value)) = comparison(term) {
        return flaw_of_comparison((own(field, step), value), term, step);
    }
    let field = own(term, step);
    match step.field(field) {
        Some(declared) if FieldType::parse(&declared.kind.text) == FieldType::Bool => None,
        Some(declared) => Some(ConditionError::NotBool(field.to_owned(), declared.kind.text.clone())),
        None if is_keyword(term) && (!fields_known || is_loud(term)) => None,
        None if is_keyword(term) => Some(ConditionError::UnknownField(field.to_owned())),
        None => Some(ConditionError::Prose),
    }
}

/// `step.field` of the step itself is its field.
fn own<'t>(field: &'t str, step: &WorkflowStep) -> &'t str {
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

fn flaw_of_comparison((field, value): (&str, &str), term: &str, step: &WorkflowStep) -> Option<ConditionError> {
    let Some(declared) = step.field(field) else { return Some(ConditionError::UnknownField(field.to_owned())) };
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

/// One word, which may have hyphens in it: keywords are compared as whole words.
pub fn is_keyword(text: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.starts_with(char::is_alphabetic) && text.chars().all(inside)
}

/// Without small letters: nobody takes it for the name of a field.
fn is_loud(word: &str) -> bool {
    !word.chars().any(char::is_lowercase)
}

/// The type of a field of an output, as written in its `schema`.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldType {
    /// `bool`
    Bool,
    /// `number`, or `number[0..1]` with its range.
    Number(Option<(f64, f64)>),
    /// Anything else.
    Other,
}

impl FieldType {
    /// Reads a type. One that is not known is compared by its text.
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
