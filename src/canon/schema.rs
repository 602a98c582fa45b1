//! JSON Schema checks whose violations know their span.
//!
//! The built-in schemas are those of `schemas/`; a team's own, `agent/schemas/<kind>-schema.json`, are applied on
//! top of them.

pub use super::violation::Violation;
use super::violation::violations;
use crate::syntax::json::JsonError;
use crate::syntax::node::Node;
use crate::syntax::{RepoPath, Source, Span};
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
    pub fn from_team_file(path: &RepoPath) -> Option<Self> {
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
            Self::Report => Some(include_str!("../../schemas/report.schema.json")),
            Self::Episode => Some(include_str!("../../schemas/episode.schema.json")),
            Self::Config => Some(include_str!("../../schemas/config.schema.json")),
            Self::Workflow => Some(include_str!("../../schemas/workflow.schema.json")),
        }
    }
}

/// The schemas in force: built-in ones and a team's own.
#[derive(Clone, Debug, Default)]
pub struct Schemas {
    team: BTreeMap<SchemaKind, (RepoPath, Arc<Validator>)>,
}

static SKILL: LazyLock<Option<Validator>> = LazyLock::new(|| built_in(SchemaKind::Skill));
static PLAN: LazyLock<Option<Validator>> = LazyLock::new(|| built_in(SchemaKind::Plan));
static REPORT: LazyLock<Option<Validator>> = LazyLock::new(|| built_in(SchemaKind::Report));
static EPISODE: LazyLock<Option<Validator>> = LazyLock::new(|| built_in(SchemaKind::Episode));
static WORKFLOW: LazyLock<Option<Validator>> = LazyLock::new(|| built_in(SchemaKind::Workflow));
static CONFIG: LazyLock<Option<Validator>> = LazyLock::new(|| built_in(SchemaKind::Config));

impl Schemas {
    /// Adds a team's schema.
    pub fn add_team(&mut self, kind: SchemaKind, path: RepoPath, validator: Arc<Validator>) {
        self.team.insert(kind, (path, validator));
    }

    /// Whether the team has a schema of a kind.
    pub fn has_team(&self, kind: SchemaKind) -> bool {
        self.team.contains_key(&kind)
    }

    /// Whether a document breaks no schema of its kind; much cheaper than to tell where it does.
    pub fn allow(&self, kind: SchemaKind, json: &Json) -> bool {
        let team = self.team.get(&kind).map(|(_, validator)| validator.as_ref());
        built_in_validator(kind).into_iter().chain(team).all(|validator| validator.is_valid(json))
    }

    /// All violations of `node`, built-in schema first, in file order within each.
    pub fn validate(&self, kind: SchemaKind, node: &Node) -> Vec<Violation> {
        let json = node.to_json();
        let mut found = Vec::new();
        if let Some(validator) = built_in_validator(kind) {
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

fn built_in_validator(kind: SchemaKind) -> Option<&'static Validator> {
    match kind {
        SchemaKind::Skill => SKILL.as_ref(),
        SchemaKind::Plan => PLAN.as_ref(),
        SchemaKind::Report => REPORT.as_ref(),
        SchemaKind::Episode => EPISODE.as_ref(),
        SchemaKind::Config => CONFIG.as_ref(),
        SchemaKind::Workflow => WORKFLOW.as_ref(),
    }
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

/// `agent/schemas/*.json`.
#[derive(Debug)]
pub struct SchemaFile {
    /// Its text.
    pub source: Arc<Source>,
    /// What it applies to, by its name; `None` where the name binds it to nothing.
    pub kind: Option<SchemaKind>,
    /// The compiled schema, or what is wrong.
    pub schema: Result<Arc<Validator>, SchemaProblem>,
}

/// Why a schema file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProblem {
    /// Where.
    pub span: Span,
    /// What is wrong, lower case, without a full stop.
    pub message: String,
}

impl SchemaFile {
    /// Reads a schema file's text.
    pub fn parse(source: Arc<Source>) -> Self {
        let kind = SchemaKind::from_team_file(source.path());
        let schema = compile_file(&source);
        Self { source, kind, schema }
    }

    /// Where it lies.
    pub fn path(&self) -> &RepoPath {
        self.source.path()
    }
}

fn compile_file(source: &Source) -> Result<Arc<Validator>, SchemaProblem> {
    let json: serde_json::Value = serde_json::from_str(source.text()).map_err(|e| {
        let JsonError { message, span } = JsonError::from_serde(source.text(), &e);
        SchemaProblem { span, message: format!("not valid JSON: {message}") }
    })?;
    compile(&json).map(Arc::new).map_err(|SchemaError { pointer, message }| {
        let at = if pointer.is_empty() { "at its top".to_owned() } else { format!("at `{pointer}`") };
        SchemaProblem {
            span: key_span(source.text(), &pointer),
            message: format!("not a valid JSON Schema {at}: {message}"),
        }
    })
}

/// JSON is YAML, so the YAML reader tells where a pointer leads.
fn key_span(text: &str, pointer: &str) -> Span {
    let document = crate::syntax::yaml::parse(text, 0).ok();
    let found = document.as_ref().and_then(|d| d.root.at_pointer(pointer));
    found.map_or(Span::new(0, 0), |(node, key)| key.unwrap_or(node.span))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::yaml;

    #[test]
    fn built_in_schemas_compile() {
        use SchemaKind::{Config, Episode, Plan, Report, Skill, Workflow};
        for kind in [Skill, Plan, Workflow, Report, Episode, Config] {
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
