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

/// Declares [`SchemaKind`] with the name of each built-in schema's file, without `.schema.json`.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:literal,)*) => {
        /// Kind of document that a schema describes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum SchemaKind {
            $($(#[$doc])* $kind,)*
        }

        impl SchemaKind {
            pub const ALL: [Self; [$($name,)*].len()] = [$(Self::$kind,)*];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$kind => $name,)*
                }
            }

            /// The text of the built-in schema.
            pub const fn built_in_text(self) -> &'static str {
                match self {
                    $(Self::$kind => include_str!(concat!("../../schemas/", $name, ".schema.json")),)*
                }
            }
        }

        static JSON: [LazyLock<Json>; SchemaKind::ALL.len()] =
            [$(LazyLock::new(|| parse(SchemaKind::$kind)),)*];
        static VALIDATORS: [LazyLock<Validator>; SchemaKind::ALL.len()] =
            [$(LazyLock::new(|| built_in(SchemaKind::$kind)),)*];
    };
}

// Those that people write come first.
kinds! {
    Skill "skill",
    Plan "plan",
    Workflow "workflow",
    /// `owners.yaml`
    Owners "owners",
    /// `canonry.yaml`
    Config "config",
    /// `hooks.yaml`
    Hooks "hooks",
    Task "task",
    Benchmark "benchmark",
    Report "report",
    /// A report on a whole plan, which holds reports on its steps.
    CombinedReport "combined-report",
    Episode "episode",
    /// A row of the review queue.
    ReviewEvent "review-event",
}

impl SchemaKind {
    /// The stem of a team's schema file, such as `plan-schema`; `None` if a team can have none.
    pub fn team_stem(self) -> Option<String> {
        let is_own = matches!(self, Self::Owners | Self::Config | Self::Hooks);
        (!is_own).then(|| format!("{}-schema", self.name()))
    }

    /// The kind that a team's schema file applies to by its name, such as `plan-schema.json`.
    pub fn from_team_file(path: &RepoPath) -> Option<Self> {
        let name = path.file_name_lossy();
        let stem = [".json", ".yaml", ".yml"].iter().find_map(|extension| name.strip_suffix(extension))?;
        Self::ALL.into_iter().find(|kind| kind.team_stem().as_deref() == Some(stem))
    }

    /// The keys that the built-in schema allows in the mapping at a JSON pointer of a value. `definition` is a JSON pointer to
    /// the part of the schema that describes the value.
    pub fn known_keys(self, definition: &str, pointer: &str) -> Vec<String> {
        let schema = built_in_json(self);
        let resolve = |node: &'static Json| match node["$ref"].as_str() {
            Some(reference) => schema.pointer(reference.trim_start_matches('#')).unwrap_or(&Json::Null),
            None => node,
        };
        let mut node = schema.pointer(definition).map_or(&Json::Null, resolve);
        for part in pointer.split('/').skip(1) {
            // A value can be a list or a map, and the part says which one it is.
            let is_index = part.bytes().all(|b| b.is_ascii_digit());
            let inside = if is_index { ["items", "additionalProperties"] } else { ["additionalProperties", "items"] };
            let below = [&node["properties"][part], &node[inside[0]], &node[inside[1]]];
            node = below.into_iter().find(|below| below.is_object()).map_or(&Json::Null, resolve);
        }
        node["properties"].as_object().map(|keys| keys.keys().cloned().collect()).unwrap_or_default()
    }
}

/// The schemas in effect: the built-in ones and the team's.
#[derive(Clone, Debug, Default)]
pub struct Schemas {
    team: BTreeMap<SchemaKind, (RepoPath, Arc<Validator>)>,
}

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
    &VALIDATORS[kind as usize]
}

/// The built-in schema as JSON.
pub fn built_in_json(kind: SchemaKind) -> &'static Json {
    &JSON[kind as usize]
}

fn parse(kind: SchemaKind) -> Json {
    serde_json::from_str(kind.built_in_text()).expect("static schema is JSON")
}

fn built_in(kind: SchemaKind) -> Validator {
    compile(built_in_json(kind)).expect("static schema compiles")
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
