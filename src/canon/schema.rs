//! JSON Schema checks whose violations know their span.
//!
//! The built-in schemas are those of `schemas/`; a team's own, `agent/schemas/<kind>-schema.json`, are applied on
//! top of them.

use crate::syntax::yaml_node::Node;
use crate::syntax::{RepoPath, Span};
use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// What a schema is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchemaKind {
    /// A skill's frontmatter.
    Skill,
    /// A plan.
    Plan,
    /// A step's report.
    Report,
    /// A row of the episodic log.
    Episode,
    /// A workflow.
    Workflow,
    /// `canonry.yaml`; has no team schema.
    Config,
}

impl SchemaKind {
    /// The kind a team's schema file binds to by its name, such as `plan-schema.json`.
    pub fn of_team_file(path: &RepoPath) -> Option<Self> {
        Some(match path.file_name_lossy().as_str() {
            "skill-schema.json" => Self::Skill,
            "plan-schema.json" => Self::Plan,
            "report-schema.json" => Self::Report,
            "episode-schema.json" => Self::Episode,
            "workflow-schema.json" => Self::Workflow,
            _ => return None,
        })
    }

    /// The built-in schema's text, where there is one yet.
    pub fn built_in_text(self) -> Option<&'static str> {
        match self {
            Self::Skill => Some(include_str!("../../schemas/skill.schema.json")),
            Self::Plan => Some(include_str!("../../schemas/plan.schema.json")),
            Self::Config => Some(include_str!("../../schemas/config.schema.json")),
            Self::Workflow => Some(include_str!("../../schemas/workflow.schema.json")),
            Self::Report | Self::Episode => None,
        }
    }
}

/// A place where a document breaks a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// JSON pointer of the node that breaks it.
    pub pointer: String,
    /// The schema's keyword: `type`, `required`, `additionalProperties`, `maxLength`, …
    pub keyword: String,
    /// The missing or unexpected key, for `required` and `additionalProperties`.
    pub key: Option<String>,
    /// Where: the unexpected key, else the node; for a missing key the mapping's first key.
    pub span: Span,
    /// What is wrong, in words.
    pub message: String,
    /// The team's schema that says so; `None` for the built-in one.
    pub team: Option<RepoPath>,
}

impl Violation {
    /// Whether the built-in schema says so, of this pointer.
    pub fn is_built_in(&self, pointer: &str, keywords: &[&str]) -> bool {
        self.team.is_none() && self.pointer == pointer && keywords.contains(&self.keyword.as_str())
    }
}

/// The schemas in force: built-in ones and a team's own.
#[derive(Clone, Debug, Default)]
pub struct Schemas {
    team: BTreeMap<SchemaKind, (RepoPath, Arc<Validator>)>,
}

static SKILL: LazyLock<Option<Validator>> = LazyLock::new(|| built_in(SchemaKind::Skill));
static PLAN: LazyLock<Option<Validator>> = LazyLock::new(|| built_in(SchemaKind::Plan));
static WORKFLOW: LazyLock<Option<Validator>> = LazyLock::new(|| built_in(SchemaKind::Workflow));
static CONFIG: LazyLock<Option<Validator>> = LazyLock::new(|| built_in(SchemaKind::Config));

impl Schemas {
    /// Adds a team's schema.
    pub fn add_team(&mut self, kind: SchemaKind, path: RepoPath, validator: Arc<Validator>) {
        self.team.insert(kind, (path, validator));
    }

    /// All violations of `node`, built-in schema first, in file order within each.
    pub fn validate(&self, kind: SchemaKind, node: &Node) -> Vec<Violation> {
        let built_in = match kind {
            SchemaKind::Skill => SKILL.as_ref(),
            SchemaKind::Plan => PLAN.as_ref(),
            SchemaKind::Config => CONFIG.as_ref(),
            SchemaKind::Workflow => WORKFLOW.as_ref(),
            SchemaKind::Report | SchemaKind::Episode => None,
        };
        let json = node.to_json();
        let mut found = Vec::new();
        if let Some(validator) = built_in {
            found.extend(violations(validator, &json, node, None));
        }
        if let Some((path, validator)) = self.team.get(&kind) {
            let of_team = violations(validator, &json, node, Some(path));
            let is_known = |v: &Violation| found.iter().any(|known| identity(known) == identity(v));
            let new: Vec<Violation> = of_team.into_iter().filter(|v| !is_known(v)).collect();
            found.extend(new);
        }
        found
    }
}

/// A team's copy of a built-in schema finds the same things; they are reported once. Two missing keys share their
/// place, so the key counts too.
fn identity(v: &Violation) -> (&str, &str, Option<&str>, Span) {
    (&v.pointer, &v.keyword, v.key.as_deref(), v.span)
}

fn built_in(kind: SchemaKind) -> Option<Validator> {
    let schema: Json = serde_json::from_str(kind.built_in_text()?).ok()?;
    compile(&schema).ok()
}

/// Compiles a schema; remote references are refused.
///
/// # Errors
/// What the schema breaks, in words, with the JSON pointer of the place in it.
pub fn compile(schema: &Json) -> Result<Validator, SchemaError> {
    let own =
        |e: ValidationError<'_>| SchemaError { pointer: e.instance_path().as_str().to_owned(), message: e.to_string() };
    jsonschema::meta::validate(schema).map_err(own)?;
    jsonschema::options().build(schema).map_err(own)
}

/// Why a schema cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SchemaError {
    /// JSON pointer into the schema.
    pub pointer: String,
    /// What is wrong.
    pub message: String,
}

fn violations(validator: &Validator, json: &Json, node: &Node, team: Option<&RepoPath>) -> Vec<Violation> {
    if validator.is_valid(json) {
        return Vec::new();
    }
    let mut found: Vec<Violation> =
        validator.iter_errors(json).flat_map(|error| of_error(&error, node, team)).collect();
    found.sort_by(|a, b| a.span.cmp(&b.span).then_with(|| a.message.cmp(&b.message)));
    found
}

fn of_error(error: &ValidationError<'_>, root: &Node, team: Option<&RepoPath>) -> Vec<Violation> {
    let pointer = error.instance_path().as_str().to_owned();
    let node = root.at_pointer(&pointer).map_or(root, |(node, _)| node);
    let keyword = error.kind().keyword().to_owned();
    let make = |key: Option<&str>, span: Span, message: String| Violation {
        pointer: pointer.clone(),
        keyword: keyword.clone(),
        key: key.map(str::to_owned),
        span,
        message,
        team: team.cloned(),
    };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => unexpected
            .iter()
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
        ValidationErrorKind::Type { kind } => {
            let message = format!("must be {}, but is {}", type_words(kind), article(node.kind_name()));
            vec![make(None, node.span, message)]
        }
        ValidationErrorKind::Enum { options } => vec![make(None, node.span, not_one_of(node, options))],
        _ => vec![make(None, node.span, error.to_string())],
    }
}

fn not_one_of(node: &Node, options: &Json) -> String {
    let words: Vec<&str> = options.as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let is = node.as_scalar().map_or_else(|| article(node.kind_name()), |s| format!("`{}`", s.text));
    format!("{is} is none of {}", words.join(", "))
}

fn article(noun: &str) -> String {
    let an = noun.starts_with(['a', 'e', 'i', 'o', 'u']);
    format!("{} {noun}", if an { "an" } else { "a" })
}

fn type_words(kind: &jsonschema::error::TypeKind) -> String {
    let word = |t: &jsonschema::JsonType| match t {
        jsonschema::JsonType::Array => "a list",
        jsonschema::JsonType::Object => "a mapping",
        jsonschema::JsonType::String => "a string",
        jsonschema::JsonType::Number => "a number",
        jsonschema::JsonType::Integer => "a whole number",
        jsonschema::JsonType::Boolean => "true or false",
        jsonschema::JsonType::Null => "empty",
    };
    match kind {
        jsonschema::error::TypeKind::Single(one) => word(one).to_owned(),
        jsonschema::error::TypeKind::Multiple(many) => many.iter().map(|t| word(&t)).collect::<Vec<_>>().join(" or "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::yaml;

    #[test]
    fn built_in_schemas_compile() {
        for kind in [SchemaKind::Skill, SchemaKind::Plan, SchemaKind::Workflow, SchemaKind::Config] {
            assert!(built_in(kind).is_some(), "{kind:?}");
        }
    }

    #[test]
    fn violations_know_their_place() -> Result<(), yaml::YamlError> {
        let text = "name: 1\ndescriptoin: x\n";
        let document = yaml::parse(text, 0)?;
        let found: Vec<_> = Schemas::default()
            .validate(SchemaKind::Skill, &document.root)
            .into_iter()
            .map(|v| (v.keyword, v.key.unwrap_or_default(), text[v.span.range()].to_owned()))
            .collect();
        let want = [
            ("required", "description", "name"),
            ("type", "", "1"),
            ("additionalProperties", "descriptoin", "descriptoin"),
        ];
        assert_eq!(found, want.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned())));
        Ok(())
    }
}
