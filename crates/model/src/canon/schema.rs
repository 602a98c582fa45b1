//! JSON Schema validation with spans.
//!
//! The built-in schemas are in `schemas/`. A team's own schema, `agent/schemas/<kind>-schema.json` or `.yaml`, applies in
//! addition.

pub use super::violation::Violation;
use super::violation::{message, violations};
use canonry_text::json::JsonError;
use canonry_text::node::Node;
use canonry_text::{RepoPath, Source, Span, yaml};
use jsonschema::{ValidationError, Validator};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

/// Kind of document that a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SchemaKind {
    Skill,
    Plan,
    Report,
    /// A report on a whole plan, which holds reports on its steps.
    CombinedReport,
    Episode,
    /// A row of the review queue.
    ReviewEvent,
    Workflow,
    Benchmark,
    Task,
    /// `owners.yaml`, which has no team schema.
    Owners,
    /// `canonry.yaml`, which has no team schema.
    Config,
    /// `hooks.yaml`, which has no team schema.
    Hooks,
}

impl SchemaKind {
    /// All kinds, those that people write first.
    pub const ALL: [Self; 12] = [
        Self::Skill,
        Self::Plan,
        Self::Workflow,
        Self::Owners,
        Self::Config,
        Self::Hooks,
        Self::Task,
        Self::Benchmark,
        Self::Report,
        Self::CombinedReport,
        Self::Episode,
        Self::ReviewEvent,
    ];

    /// The name of the built-in schema's file, without `.schema.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Skill => "skill",
            Self::Plan => "plan",
            Self::Report => "report",
            Self::CombinedReport => "combined-report",
            Self::Episode => "episode",
            Self::ReviewEvent => "review-event",
            Self::Workflow => "workflow",
            Self::Benchmark => "benchmark",
            Self::Task => "task",
            Self::Owners => "owners",
            Self::Config => "config",
            Self::Hooks => "hooks",
        }
    }

    /// The kind that a team's schema file applies to by its name, such as `plan-schema.json`.
    pub fn from_team_file(path: &RepoPath) -> Option<Self> {
        let name = path.file_name_lossy();
        let stem = [".json", ".yaml", ".yml"].iter().find_map(|extension| name.strip_suffix(extension))?;
        Some(match stem {
            "skill-schema" => Self::Skill,
            "plan-schema" => Self::Plan,
            "report-schema" => Self::Report,
            "combined-report-schema" => Self::CombinedReport,
            "episode-schema" => Self::Episode,
            "review-event-schema" => Self::ReviewEvent,
            "workflow-schema" => Self::Workflow,
            "benchmark-schema" => Self::Benchmark,
            "task-schema" => Self::Task,
            _ => return None,
        })
    }

    /// The text of the built-in schema.
    pub const fn built_in_text(self) -> &'static str {
        match self {
            Self::Skill => include_str!("../../schemas/skill.schema.json"),
            Self::Plan => include_str!("../../schemas/plan.schema.json"),
            Self::Report => include_str!("../../schemas/report.schema.json"),
            Self::CombinedReport => include_str!("../../schemas/combined-report.schema.json"),
            Self::Episode => include_str!("../../schemas/episode.schema.json"),
            Self::Owners => include_str!("../../schemas/owners.schema.json"),
            Self::ReviewEvent => include_str!("../../schemas/review-event.schema.json"),
            Self::Config => include_str!("../../schemas/config.schema.json"),
            Self::Hooks => include_str!("../../schemas/hooks.schema.json"),
            Self::Workflow => include_str!("../../schemas/workflow.schema.json"),
            Self::Benchmark => include_str!("../../schemas/benchmark.schema.json"),
            Self::Task => include_str!("../../schemas/task.schema.json"),
        }
    }
}

/// The schemas in effect: the built-in ones and the team's.
#[derive(Clone, Debug, Default)]
pub struct Schemas {
    team: BTreeMap<SchemaKind, (RepoPath, Arc<Validator>)>,
}

static SKILL: LazyLock<Validator> = LazyLock::new(|| built_in(SchemaKind::Skill));
static PLAN: LazyLock<Validator> = LazyLock::new(|| built_in(SchemaKind::Plan));
static REPORT: LazyLock<Validator> = LazyLock::new(|| built_in(SchemaKind::Report));
static COMBINED_REPORT: LazyLock<Validator> = LazyLock::new(|| built_in(SchemaKind::CombinedReport));
static EPISODE: LazyLock<Validator> = LazyLock::new(|| built_in(SchemaKind::Episode));
static REVIEW_EVENT: LazyLock<Validator> = LazyLock::new(|| built_in(SchemaKind::ReviewEvent));
static WORKFLOW: LazyLock<Validator> = LazyLock::new(|| built_in(SchemaKind::Workflow));
static TASK: LazyLock<Validator> = LazyLock::new(|| built_in(SchemaKind::Task));
static BENCHMARK: LazyLock<Validator> = LazyLock::new(|| built_in(SchemaKind::Benchmark));
static OWNERS: LazyLock<Validator> = LazyLock::new(|| built_in(SchemaKind::Owners));
static CONFIG: LazyLock<Validator> = LazyLock::new(|| built_in(SchemaKind::Config));
static HOOKS: LazyLock<Validator> = LazyLock::new(|| built_in(SchemaKind::Hooks));

impl Schemas {
    pub fn add_team(&mut self, kind: SchemaKind, path: RepoPath, validator: Arc<Validator>) {
        self.team.insert(kind, (path, validator));
    }

    /// Adds a team's schema file, if its name and content make it a schema.
    pub fn add_team_file(&mut self, file: &SchemaFile) {
        if let (Some(kind), Ok(schema)) = (file.kind, &file.schema) {
            self.add_team(kind, file.path().clone(), Arc::clone(schema));
        }
    }

    /// Whether a document is valid. Much cheaper than [`Self::validate`].
    pub fn allow(&self, kind: SchemaKind, json: &Json) -> bool {
        let team = self.team.get(&kind).map(|(_, validator)| validator.as_ref());
        built_in_validator(kind).is_valid(json) && team.is_none_or(|validator| validator.is_valid(json))
    }

    /// The violations in `node`: those of the built-in schema first, each group in file order.
    pub fn validate(&self, kind: SchemaKind, node: &Node) -> Vec<Violation> {
        let json = node.to_json();
        let mut found = violations(built_in_validator(kind), &json, node, None);
        if let Some((path, validator)) = self.team.get(&kind) {
            let of_team = violations(validator, &json, node, Some(path));
            let is_known = |v: &Violation| found.iter().any(|known| identity(known) == identity(v));
            let new: Vec<Violation> = of_team.into_iter().filter(|v| !is_known(v)).collect();
            found.extend(new);
        }
        found
    }
}

/// Identifies a violation, to report it once if the team's schema repeats the built-in one. Two missing keys have the
/// same span, so the key counts too.
fn identity(v: &Violation) -> (&str, &str, Option<&str>, Span) {
    (&v.pointer, &v.keyword, v.key.as_deref(), v.span)
}

fn built_in_validator(kind: SchemaKind) -> &'static Validator {
    match kind {
        SchemaKind::Skill => &SKILL,
        SchemaKind::Plan => &PLAN,
        SchemaKind::Report => &REPORT,
        SchemaKind::CombinedReport => &COMBINED_REPORT,
        SchemaKind::Episode => &EPISODE,
        SchemaKind::Owners => &OWNERS,
        SchemaKind::Hooks => &HOOKS,
        SchemaKind::ReviewEvent => &REVIEW_EVENT,
        SchemaKind::Config => &CONFIG,
        SchemaKind::Workflow => &WORKFLOW,
        SchemaKind::Benchmark => &BENCHMARK,
        SchemaKind::Task => &TASK,
    }
}

/// The built-in schema as JSON.
pub fn built_in_json(kind: SchemaKind) -> Json {
    serde_json::from_str(kind.built_in_text()).expect("static schema is JSON")
}

fn built_in(kind: SchemaKind) -> Validator {
    compile(&built_in_json(kind)).expect("static schema compiles")
}

/// Compiles a schema. Remote references are rejected.
///
/// # Errors
/// The schema is invalid.
pub fn compile(schema: &Json) -> Result<Validator, SchemaError> {
    let own =
        |e: ValidationError<'_>| SchemaError { pointer: e.instance_path().as_str().to_owned(), message: message(&e) };
    jsonschema::meta::validate(schema).map_err(own)?;
    jsonschema::options().build(schema).map_err(own)
}

/// Why a schema is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SchemaError {
    /// JSON pointer into the schema.
    pub pointer: String,
    /// Description of the problem.
    pub message: String,
}

/// A schema of the team, `agent/schemas/*.json` or `agent/schemas/*.yaml`.
#[derive(Debug)]
pub struct SchemaFile {
    pub source: Arc<Source>,
    /// Kind that it applies to by its name, if any.
    pub kind: Option<SchemaKind>,
    /// The compiled schema, or why it cannot be used.
    pub schema: Result<Arc<Validator>, SchemaProblem>,
}

/// Why a schema file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaProblem {
    pub span: Span,
    /// The reason, in lower case without a full stop.
    pub message: String,
}

impl SchemaFile {
    /// Parses and compiles a schema file.
    pub fn parse(source: Arc<Source>) -> Self {
        let kind = SchemaKind::from_team_file(source.path());
        let schema = compile_file(&source);
        Self { source, kind, schema }
    }

    pub fn path(&self) -> &RepoPath {
        self.source.path()
    }
}

fn compile_file(source: &Source) -> Result<Arc<Validator>, SchemaProblem> {
    let json = if source.path().as_bstr().ends_with(b".json") {
        serde_json::from_str(source.text()).map_err(|e| {
            let JsonError { message, span } = JsonError::from_serde(source.text(), &e);
            SchemaProblem { span, message: format!("not valid JSON: {message}") }
        })?
    } else {
        yaml_json(source)?
    };
    compile(&json).map(Arc::new).map_err(|SchemaError { pointer, message }| {
        let at = if pointer.is_empty() { "at its top".to_owned() } else { format!("at `{pointer}`") };
        SchemaProblem {
            span: key_span(source.text(), &pointer),
            message: format!("not a valid JSON Schema {at}: {message}"),
        }
    })
}

fn yaml_json(source: &Source) -> Result<Json, SchemaProblem> {
    let problem = |span, message: String| SchemaProblem { span, message: format!("not valid YAML: {message}") };
    let document = yaml::parse(source.text(), 0).map_err(|e| problem(e.span, e.message))?;
    match document.duplicates.first() {
        Some(duplicate) => Err(problem(duplicate.span, format!("duplicate key `{}`", duplicate.key))),
        None => Ok(document.root.to_json()),
    }
}

/// JSON is YAML, so the YAML parser finds the span of a pointer.
fn key_span(text: &str, pointer: &str) -> Span {
    let document = yaml::parse(text, 0).ok();
    let found = document.as_ref().and_then(|d| d.root.at_pointer(pointer));
    found.map_or(Span::new(0, 0), |(node, key)| key.unwrap_or(node.span))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_schemas_compile() {
        use SchemaKind::{
            Benchmark, CombinedReport, Config, Episode, Owners, Plan, Report, ReviewEvent, Skill, Task, Workflow,
        };
        let known =
            [Skill, Plan, Workflow, Report, CombinedReport, Episode, ReviewEvent, Benchmark, Task, Owners, Config];
        for kind in known {
            assert!(!built_in(kind).is_valid(&Json::Null), "{kind:?}");
        }
    }

    #[test]
    fn violations_have_spans() -> Result<(), yaml::YamlError> {
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
