//! Schema violations with their position and a message for people.

use canonry_text::node::Node;
use canonry_text::shortened;
use canonry_text::{RepoPath, Span, closest_match};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::Value as Json;

/// The maximum number of unknown keys to report per mapping.
const UNKNOWN_KEYS: usize = 50;
/// The maximum length of a message. The validator's own messages repeat the value, however long it is.
const MESSAGE: usize = 300;

/// A schema violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer of the node.
    pub pointer: String,
    /// The schema keyword: `type`, `required`, `additionalProperties`, `maxLength`, …
    pub keyword: String,
    /// The missing or unexpected key, for `required` and `additionalProperties`.
    pub key: Option<String>,
    /// The limit in the schema, for `maxLength`.
    pub limit: Option<u64>,
    /// The unexpected key, or the node. For a missing key, the first key of the mapping.
    pub span: Span,
    pub message: String,
    /// The team's schema that is violated; `None` for the built-in schema.
    pub team: Option<RepoPath>,
}

impl Violation {
    /// The violation in a document that contains the validated one at `pointer`.
    pub(super) fn below(self, pointer: &str) -> Self {
        Self { pointer: format!("{pointer}{}", self.pointer), ..self }
    }

    /// Whether this is a violation of one of `keywords` of the built-in schema at `pointer`.
    pub fn is_built_in(&self, pointer: &str, keywords: &[&str]) -> bool {
        self.team.is_none() && self.pointer == pointer && keywords.contains(&self.keyword.as_str())
    }
}

/// All violations of one schema, in file order.
pub(super) fn violations(validator: &Validator, json: &Json, node: &Node, team: Option<&RepoPath>) -> Vec<Violation> {
    if validator.is_valid(json) {
        return Vec::new();
    }
    let mut found: Vec<Violation> =
        validator.iter_errors(json).flat_map(|error| from_error(&error, node, team)).collect();
    found.sort_by(|a, b| a.span.cmp(&b.span).then_with(|| a.message.cmp(&b.message)));
    found
}

fn from_error(error: &ValidationError<'_>, root: &Node, team: Option<&RepoPath>) -> Vec<Violation> {
    let pointer = error.instance_path().as_str().to_owned();
    let node = root.at_pointer(&pointer).map_or(root, |(node, _)| node);
    let keyword = error.kind().keyword().to_owned();
    let limit = match error.kind() {
        ValidationErrorKind::MaxLength { limit } => Some(*limit),
        _ => None,
    };
    let make = |key: Option<&str>, span: Span, message: String| Violation {
        pointer: pointer.clone(),
        keyword: keyword.clone(),
        key: key.map(str::to_owned),
        limit,
        span,
        message: shortened(&message, MESSAGE).into_owned(),
        team: team.cloned(),
    };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => unexpected
            .iter()
            .take(UNKNOWN_KEYS)
            .map(|key| {
                let span = node.as_mapping().and_then(|m| m.get(key)).map_or(node.span, |e| e.key_span);
                make(Some(key), span, format!("unknown key `{key}`"))
            })
            .collect(),
        ValidationErrorKind::Required { property } => {
            let key = property.as_str().unwrap_or_default();
            let first = node.as_mapping().and_then(|m| m.entries.first()).map_or(node.span, |e| e.key_span);
            vec![make(Some(key), first, format!("the key `{key}` is missing"))]
        }
        _ => vec![make(None, node.span, message(error))],
    }
}

/// The message of an error: the expected and the actual value for common keywords, otherwise the validator's own.
pub(super) fn message(error: &ValidationError<'_>) -> String {
    message_for(error.kind(), error.instance()).unwrap_or_else(|| error.to_string())
}

fn message_for(kind: &ValidationErrorKind, value: &Json) -> Option<String> {
    Some(match kind {
        ValidationErrorKind::Type { kind } => {
            let words = type_words(kind);
            let is = match value {
                Json::Number(number) if words.contains("number") => number.to_string(),
                other => article(kind_name(other)),
            };
            format!("must be {words}, but is {is}")
        }
        ValidationErrorKind::Enum { options } => not_one_of(value, options),
        ValidationErrorKind::Minimum { limit } => format!("must be at least {limit}, but is {}", text_of(value)?),
        ValidationErrorKind::Maximum { limit } => format!("must be at most {limit}, but is {}", text_of(value)?),
        ValidationErrorKind::MinLength { limit } => too_few(*limit, value.as_str()?.chars().count(), "character"),
        ValidationErrorKind::MaxLength { limit } => too_many(*limit, value.as_str()?.chars().count(), "character"),
        ValidationErrorKind::MinItems { limit } => too_few(*limit, value.as_array()?.len(), "item"),
        ValidationErrorKind::MaxItems { limit } => too_many(*limit, value.as_array()?.len(), "item"),
        ValidationErrorKind::MinProperties { limit } => too_few(*limit, value.as_object()?.len(), "key"),
        ValidationErrorKind::MaxProperties { limit } => too_many(*limit, value.as_object()?.len(), "key"),
        ValidationErrorKind::Pattern { pattern } => {
            format!("must match the pattern `{pattern}`, but is `{}`", value.as_str()?)
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            of_alternatives(context)?
        }
        _ => return None,
    })
}

fn too_few(limit: u64, count: usize, noun: &str) -> String {
    if limit == 1 {
        return "must not be empty".to_owned();
    }
    format!("must have at least {limit} {noun}s, but has {count}")
}

fn too_many(limit: u64, count: usize, noun: &str) -> String {
    let s = if limit == 1 { "" } else { "s" };
    format!("must have at most {limit} {noun}{s}, but has {count}")
}

/// The message of a value that matches none of some schemas: the missing keys if each of them requires a key, or the
/// errors of the only schema for a value of this type.
fn of_alternatives(schemas: &[Vec<ValidationError<'static>>]) -> Option<String> {
    let missing = |errors: &Vec<ValidationError<'static>>| match errors.as_slice() {
        [error] => match error.kind() {
            ValidationErrorKind::Required { property } => property.as_str().map(|key| format!("`{key}`")),
            _ => None,
        },
        _ => None,
    };
    if let Some(keys) = schemas.iter().map(missing).collect::<Option<Vec<String>>>() {
        return Some(format!("needs one of the keys {}", keys.join(", ")));
    }
    let is_of_type = |errors: &&Vec<ValidationError<'static>>| {
        !errors.iter().any(|error| matches!(error.kind(), ValidationErrorKind::Type { .. }))
    };
    let mut fitting = schemas.iter().filter(is_of_type);
    let (Some(errors), None) = (fitting.next(), fitting.next()) else { return None };
    errors.first().map(message)
}

/// The text of a value that is neither a list nor a mapping.
fn text_of(value: &Json) -> Option<String> {
    match value {
        Json::Array(_) | Json::Object(_) => None,
        Json::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// The same names as those of nodes.
fn kind_name(value: &Json) -> &'static str {
    match value {
        Json::Null => "empty value",
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "list",
        Json::Object(_) => "mapping",
    }
}

fn not_one_of(value: &Json, options: &Json) -> String {
    let words: Vec<&str> = options.as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let is = text_of(value).map_or_else(|| article(kind_name(value)), |text| format!("`{text}`"));
    let meant = text_of(value).and_then(|text| closest_match(&text, words.iter().copied()));
    let meant = meant.map(|word| format!("; did you mean `{word}`?")).unwrap_or_default();
    format!("{is} is not one of {}{meant}", words.join(", "))
}

fn article(noun: &str) -> String {
    let an = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if an { "an" } else { "a" })
}

fn type_words(kind: &TypeKind) -> String {
    let word = |t: &JsonType| match t {
        JsonType::Array => "a list",
        JsonType::Object => "a mapping",
        JsonType::String => "a string",
        JsonType::Number => "a number",
        JsonType::Integer => "a whole number",
        JsonType::Boolean => "true or false",
        JsonType::Null => "empty",
    };
    match kind {
        TypeKind::Single(one) => word(one).to_owned(),
        TypeKind::Multiple(many) => many.iter().map(|t| word(&t)).collect::<Vec<_>>().join(" or "),
    }
}
