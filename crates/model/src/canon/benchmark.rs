//! Benchmarks: tasks with the facts expected from their plans, and trigger tests of skills.

use super::schema::{SchemaKind, Schemas, Violation};
use super::{Blob, blob::DocumentError};
use canonry_text::node::{Node, SpannedText};
use canonry_text::yaml::{self, ParsedDocument, YamlError};
use canonry_text::{RepoPath, Source, Span};
use std::sync::Arc;

/// The runs per owner, unless the benchmark says otherwise.
const RUNS: u32 = 3;
/// Expectation of a trigger test that no skill fires.
const NO_SKILL: &str = "none";

/// A parsed benchmark file.
#[derive(Debug)]
pub struct Benchmark {
    pub path: RepoPath,
    pub document: Result<BenchmarkDocument, DocumentError>,
    /// The names of the skills in the canon, if they are known.
    pub skills: Option<Vec<String>>,
}

/// A benchmark file with its text.
#[derive(Debug)]
pub struct BenchmarkDocument {
    pub source: Arc<Source>,
    /// The YAML, or its first syntax error.
    pub yaml: Result<ParsedDocument, YamlError>,
    pub violations: Vec<Violation>,
    pub content: BenchmarkContent,
}

/// Subject of a benchmark. Values of the wrong type are left out.
#[derive(Clone, Debug, PartialEq)]
pub enum BenchmarkContent {
    Plan(PlanBenchmark),
    Triggers(TriggerBenchmark),
}

/// A task for planners.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlanBenchmark {
    pub task: String,
    pub owners: Vec<String>,
    pub runs: u32,
    /// The mean score below which an owner fails.
    pub min_score: Option<f64>,
    pub expected: ExpectedPlan,
}

/// The facts expected from a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExpectedPlan {
    pub min_steps: Option<usize>,
    pub max_steps: Option<usize>,
    pub required: Vec<RequiredStep>,
    /// Pairs of names of required steps.
    pub order: Vec<ExpectedOrder>,
    pub every_step_has_criteria: bool,
    pub every_step_has_commands: bool,
    /// Phrases that occur in the criteria.
    pub criteria_words: Vec<String>,
    /// The only owners that steps may have; empty if any may.
    pub owners: Vec<String>,
    /// Where `steps` is, if its minimum is above its maximum.
    pub contradictory_steps: Option<Span>,
}

/// A step that a plan must have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequiredStep {
    pub name: String,
    pub words: Vec<String>,
    pub files: Vec<String>,
    pub owner: Option<String>,
}

/// `before` comes before `after`.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedOrder {
    pub span: Span,
    pub before: String,
    pub after: String,
}

/// Trigger tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriggerBenchmark {
    /// An expected skill must be among this many first skills.
    pub top: usize,
    pub tests: Vec<TriggerTest>,
}

/// A prompt and the skills that must or must not fire.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriggerTest {
    pub prompt: String,
    /// One of them must fire; `None` if the test does not say.
    pub expect: Option<ExpectedSkills>,
    pub never: Vec<SpannedText>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ExpectedSkills {
    NoSkill,
    OneOf(Vec<SpannedText>),
}

impl Benchmark {
    /// Parses a benchmark.
    pub fn parse(path: RepoPath, blob: Blob, schemas: &Schemas) -> Self {
        let document = blob.into_source(&path).map(|source| BenchmarkDocument::parse(source, schemas));
        Self { path, document, skills: None }
    }

    /// Adds the names of the skills in the canon.
    #[must_use]
    pub fn among(mut self, skills: Option<Vec<String>>) -> Self {
        self.skills = skills;
        self
    }

    /// Its name: the stem of the file.
    pub fn name(&self) -> String {
        let file = self.path.file_name_lossy();
        file.rsplit_once('.').map_or(file.clone(), |(stem, _)| stem.to_owned())
    }
}

impl BenchmarkDocument {
    fn parse(source: Arc<Source>, schemas: &Schemas) -> Self {
        let yaml = yaml::parse_file(source.text());
        let root = yaml.as_ref().ok().map(|document| &document.root);
        let violations = root.map_or_else(Vec::new, |root| schemas.validate(SchemaKind::Benchmark, root));
        let content =
            root.map_or_else(|| BenchmarkContent::Plan(PlanBenchmark::default()), BenchmarkContent::from_node);
        Self { source, yaml, violations, content }
    }

    /// The skills that the trigger tests name, with their positions.
    pub fn named_skills(&self) -> Vec<&SpannedText> {
        let BenchmarkContent::Triggers(triggers) = &self.content else { return Vec::new() };
        let mut named = Vec::new();
        for test in &triggers.tests {
            if let Some(ExpectedSkills::OneOf(skills)) = &test.expect {
                named.extend(skills);
            }
            named.extend(&test.never);
        }
        named
    }
}

impl BenchmarkContent {
    fn from_node(root: &Node) -> Self {
        let is_triggers = root.get("tests").is_some() || text(root, "kind").is_some_and(|kind| kind == "triggers");
        if is_triggers {
            Self::Triggers(TriggerBenchmark {
                top: number(root, "top").unwrap_or(1),
                tests: sequence(root, "tests").iter().map(TriggerTest::from_node).collect(),
            })
        } else {
            Self::Plan(PlanBenchmark::from_node(root))
        }
    }
}

impl PlanBenchmark {
    fn from_node(root: &Node) -> Self {
        Self {
            task: text(root, "task").unwrap_or_default(),
            owners: texts(root, "owners"),
            runs: number(root, "runs").unwrap_or(RUNS),
            min_score: number(root, "min_score"),
            expected: root.get("expect").map(ExpectedPlan::from_node).unwrap_or_default(),
        }
    }
}

impl ExpectedPlan {
    fn from_node(node: &Node) -> Self {
        let steps = node.get("steps");
        let bound = |key: &str| steps.and_then(|steps| number::<usize>(steps, key));
        let min_steps = bound("min");
        let max_steps = bound("max");
        let is_contradictory = min_steps.zip(max_steps).is_some_and(|(min, max)| min > max);
        let criteria = node.get("criteria");
        let is_set = |key: &str| criteria.and_then(|criteria| text(criteria, key)).is_some_and(|text| text == "true");
        Self {
            min_steps,
            max_steps,
            required: sequence(node, "required").iter().map(RequiredStep::from_node).collect(),
            order: sequence(node, "order").iter().filter_map(ExpectedOrder::from_node).collect(),
            every_step_has_criteria: is_set("every_step"),
            every_step_has_commands: is_set("commands"),
            criteria_words: criteria.map(|criteria| texts(criteria, "words")).unwrap_or_default(),
            owners: texts(node, "owners"),
            contradictory_steps: steps.filter(|_| is_contradictory).map(|steps| steps.span),
        }
    }

    /// The order facts that name a step which is not required.
    pub fn unknown_in_order(&self) -> impl Iterator<Item = (&ExpectedOrder, &str)> {
        self.order
            .iter()
            .flat_map(|order| [(order, order.before.as_str()), (order, order.after.as_str())])
            .filter(|(_, name)| !self.required.iter().any(|required| required.name == *name))
    }
}

impl RequiredStep {
    fn from_node(node: &Node) -> Self {
        Self {
            name: text(node, "name").unwrap_or_default(),
            words: texts(node, "words"),
            files: texts(node, "files"),
            owner: text(node, "owner"),
        }
    }
}

impl ExpectedOrder {
    fn from_node(node: &Node) -> Option<Self> {
        let SpannedText { text, span } = node.spanned_text()?;
        let (before, after) = text.split_once(" before ")?;
        Some(Self { span, before: before.trim().to_owned(), after: after.trim().to_owned() })
    }
}

impl TriggerTest {
    /// Whether a skill must fire.
    pub fn expects_a_skill(&self) -> bool {
        matches!(self.expect, Some(ExpectedSkills::OneOf(_)))
    }

    fn from_node(node: &Node) -> Self {
        let spanned = |node: &Node| match node.as_sequence() {
            Some(items) => items.iter().filter_map(Node::spanned_text).collect(),
            None => node.spanned_text().into_iter().collect::<Vec<_>>(),
        };
        let expect = node.get("expect").map(spanned).filter(|skills| !skills.is_empty());
        Self {
            prompt: text(node, "prompt").unwrap_or_default(),
            expect: expect.map(|skills| match skills.as_slice() {
                [only] if only.text == NO_SKILL => ExpectedSkills::NoSkill,
                _ => ExpectedSkills::OneOf(skills),
            }),
            never: node.get("never").map(spanned).unwrap_or_default(),
        }
    }
}

fn text(node: &Node, key: &str) -> Option<String> {
    node.get(key)?.as_scalar().map(|scalar| scalar.text.clone())
}

fn number<N: std::str::FromStr>(node: &Node, key: &str) -> Option<N> {
    text(node, key)?.parse().ok()
}

fn sequence<'n>(node: &'n Node, key: &str) -> &'n [Node] {
    node.get(key).and_then(Node::as_sequence).unwrap_or_default()
}

fn texts(node: &Node, key: &str) -> Vec<String> {
    sequence(node, key).iter().filter_map(Node::as_scalar).map(|scalar| scalar.text.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> BenchmarkDocument {
        let path = RepoPath::from("agent/benchmarks/a.yaml");
        let blob = Blob::Bytes(text.as_bytes().to_vec());
        Benchmark::parse(path, blob, &Schemas::default()).document.unwrap()
    }

    #[test]
    fn keys_decide_the_kind() {
        for (text, is_triggers) in [
            ("task: a\nexpect: {steps: {min: 1}}\n", false),
            ("tests: []\n", true),
            ("kind: triggers\ntests: []\n", true),
            ("kind: plan\ntask: a\nexpect: {owners: [a]}\n", false),
        ] {
            let document = parse(text);
            assert_eq!(document.violations, [], "{text}");
            assert_eq!(matches!(document.content, BenchmarkContent::Triggers(_)), is_triggers, "{text}");
        }
    }

    #[test]
    fn facts_are_read() {
        let document = parse(
            "task: Add a login\nowners: [claude]\nruns: 2\nmin_score: 0.5\nexpect:\n  steps: {min: 3, max: 2}\n  required:\n    \
             - {name: schema, files: ['db/**'], owner: DB}\n  order: [schema before ui]\n  criteria: {every_step: true}\n",
        );
        let BenchmarkContent::Plan(plan) = document.content else { panic!("a plan") };
        assert_eq!((plan.runs, plan.min_score, plan.owners), (2, Some(0.5), vec!["claude".to_owned()]));
        assert!(plan.expected.contradictory_steps.is_some() && plan.expected.every_step_has_criteria);
        assert_eq!(plan.expected.unknown_in_order().map(|(_, name)| name).collect::<Vec<_>>(), ["ui"]);
    }

    #[test]
    fn violations_point_at_the_key() {
        for (text, message) in [
            ("task: a\n", "the key `expect` is missing"),
            ("task: a\nexpect: {step: {min: 1}}\n", "unknown key `step`"),
            ("tests: [{prompt: a, expct: b, never: []}]\n", "unknown key `expct`"),
            ("kind: triggers\n", "the key `tests` is missing"),
            ("- a\n", "must be a mapping, but is a list"),
        ] {
            let messages: Vec<String> = parse(text).violations.into_iter().map(|violation| violation.message).collect();
            assert_eq!(messages.first().map(String::as_str), Some(message), "{text}: {messages:?}");
        }
    }
}
