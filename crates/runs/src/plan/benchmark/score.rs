//! Compares a plan with the facts that a benchmark expects.

use canonry_model::canon::benchmark::{ExpectedPlan, RequiredStep};
use canonry_model::canon::plan::{PlanDocument, PlanStep};
use canonry_model::canon::plan_graph::PlanGraph;
use canonry_text::terms::terms;
use globset::GlobBuilder;
use std::collections::BTreeSet;

/// Subject of a fact. Each group counts alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FactGroup {
    Steps,
    Deps,
    Criteria,
    Owners,
}

impl FactGroup {
    pub const ALL: [Self; 4] = [Self::Steps, Self::Deps, Self::Criteria, Self::Owners];

    pub fn name(self) -> &'static str {
        match self {
            Self::Steps => "steps",
            Self::Deps => "deps",
            Self::Criteria => "criteria",
            Self::Owners => "owners",
        }
    }
}

/// Whether a plan has an expected fact. The text is the same for every plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactResult {
    pub group: FactGroup,
    pub text: String,
    pub holds: bool,
}

/// The measures that runs are compared by.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct PlanShape {
    pub steps: usize,
    pub deps: usize,
    /// Steps on the longest chain of dependencies.
    pub depth: usize,
    pub steps_with_criteria: usize,
    pub owners: BTreeSet<String>,
}

/// A plan with its results.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredPlan {
    pub shape: PlanShape,
    pub facts: Vec<FactResult>,
}

impl ScoredPlan {
    /// The share of facts of a group that hold; `None` if the benchmark expects none.
    pub fn group_score(&self, group: FactGroup) -> Option<f64> {
        let facts: Vec<&FactResult> = self.facts.iter().filter(|fact| fact.group == group).collect();
        let held = facts.iter().filter(|fact| fact.holds).count();
        (!facts.is_empty()).then(|| held as f64 / facts.len() as f64)
    }

    /// The mean of the groups, from 0 to 1.
    pub fn score(&self) -> f64 {
        let groups: Vec<f64> = FactGroup::ALL.iter().filter_map(|group| self.group_score(*group)).collect();
        if groups.is_empty() { 1.0 } else { groups.iter().sum::<f64>() / groups.len() as f64 }
    }

    /// The facts that do not hold.
    pub fn misses(&self) -> impl Iterator<Item = &FactResult> {
        self.facts.iter().filter(|fact| !fact.holds)
    }
}

/// Scores a plan.
pub fn score(plan: &PlanDocument, expected: &ExpectedPlan) -> ScoredPlan {
    let compared = ComparedPlan::new(plan);
    let facts = compared.facts(expected);
    ScoredPlan { shape: compared.shape(), facts }
}

/// A plan with what its facts need.
struct ComparedPlan<'a> {
    plan: &'a PlanDocument,
    steps: &'a [PlanStep],
    graph: PlanGraph,
    /// The terms of each step's id, description and criteria.
    terms: Vec<Vec<String>>,
}

impl<'a> ComparedPlan<'a> {
    fn new(plan: &'a PlanDocument) -> Self {
        let steps = plan.steps.as_slice();
        let text = |step: &PlanStep| {
            let parts = [step.id_text(), &step.description].into_iter().chain(step.criteria.iter().map(String::as_str));
            terms(&parts.collect::<Vec<_>>().join("\n"))
        };
        Self { plan, steps, graph: PlanGraph::new(steps), terms: steps.iter().map(text).collect() }
    }

    fn facts(&self, expected: &ExpectedPlan) -> Vec<FactResult> {
        let mut facts = self.structure(expected);
        facts.extend(self.criteria(expected));
        facts.extend(self.owners(expected));
        facts
    }

    fn structure(&self, expected: &ExpectedPlan) -> Vec<FactResult> {
        let count = self.steps.len();
        let mut facts =
            vec![fact(FactGroup::Steps, "the plan is valid".to_owned(), self.plan.violations.is_empty() && count > 0)];
        if let Some(min) = expected.min_steps {
            facts.push(fact(FactGroup::Steps, format!("at least {min} steps"), count >= min));
        }
        if let Some(max) = expected.max_steps {
            facts.push(fact(FactGroup::Steps, format!("at most {max} steps"), count <= max));
        }
        for required in &expected.required {
            let exists = !self.matching(required).is_empty();
            facts.push(fact(FactGroup::Steps, format!("a step `{}`", required.name), exists));
        }
        let known: usize = (0..count).map(|step| self.graph.deps(step).len()).sum();
        let is_sound = known == self.named_deps() && self.graph.cycles().is_empty();
        facts.push(fact(FactGroup::Deps, "dependencies exist and have no cycle".to_owned(), is_sound));
        for order in &expected.order {
            let step = |name: &str| expected.required.iter().find(|required| required.name == name);
            let holds = step(&order.before).zip(step(&order.after)).is_some_and(|(before, after)| {
                let before = self.matching(before);
                self.matching(after).iter().any(|step| self.depends_on_any(*step, &before))
            });
            facts.push(fact(FactGroup::Deps, format!("`{}` before `{}`", order.before, order.after), holds));
        }
        facts
    }

    fn criteria(&self, expected: &ExpectedPlan) -> Vec<FactResult> {
        let all = |holds: &dyn Fn(&PlanStep) -> bool| !self.steps.is_empty() && self.steps.iter().all(holds);
        let mut facts = Vec::new();
        if expected.every_step_has_criteria {
            let holds = all(&|step| step.has_criteria);
            facts.push(fact(FactGroup::Criteria, "every step has a criterion".to_owned(), holds));
        }
        if expected.every_step_has_commands {
            let holds = all(&|step| step.commands.iter().any(|command| command.text.starts_with("Run:")));
            facts.push(fact(FactGroup::Criteria, "every step has a `Run:` command".to_owned(), holds));
        }
        let criteria: Vec<Vec<String>> =
            self.steps.iter().flat_map(|step| &step.criteria).map(|criterion| terms(criterion)).collect();
        for phrase in &expected.criteria_words {
            let holds = criteria.iter().any(|criterion| contains_phrase(criterion, phrase));
            facts.push(fact(FactGroup::Criteria, format!("a criterion mentions `{phrase}`"), holds));
        }
        facts
    }

    fn owners(&self, expected: &ExpectedPlan) -> Vec<FactResult> {
        let mut facts = Vec::new();
        if !expected.owners.is_empty() {
            let is_allowed =
                |step: &PlanStep| step.owner.as_ref().is_some_and(|owner| expected.owners.contains(&owner.text));
            let holds = !self.steps.is_empty() && self.steps.iter().all(is_allowed);
            facts.push(fact(FactGroup::Owners, format!("no owners but {}", expected.owners.join(", ")), holds));
        }
        for required in &expected.required {
            let Some(owner) = &required.owner else { continue };
            let is_owner =
                |step: &PlanStep| step.owner.as_ref().is_some_and(|found| found.text.eq_ignore_ascii_case(owner));
            let holds = self.matching(required).iter().filter_map(|step| self.steps.get(*step)).any(is_owner);
            facts.push(fact(FactGroup::Owners, format!("`{}` belongs to {owner}", required.name), holds));
        }
        facts
    }

    /// The steps that match a required one.
    fn matching(&self, required: &RequiredStep) -> Vec<usize> {
        // A pattern that is not valid matches no file.
        let globs: Vec<_> = required
            .files
            .iter()
            .filter_map(|pattern| GlobBuilder::new(pattern).literal_separator(true).build().ok())
            .map(|glob| glob.compile_matcher())
            .collect();
        let matches = |(at, step): (usize, &PlanStep)| {
            let words = self.terms.get(at).map(Vec::as_slice).unwrap_or_default();
            let has_words = required.words.iter().all(|phrase| contains_phrase(words, phrase));
            let has_files = required.files.is_empty()
                || step.files.iter().any(|file| globs.iter().any(|glob| glob.is_match(&file.text)));
            (has_words && has_files).then_some(at)
        };
        self.steps.iter().enumerate().filter_map(matches).collect()
    }

    /// Whether a step depends on another one, directly or not.
    fn depends_on_any(&self, step: usize, others: &[usize]) -> bool {
        let mut seen: BTreeSet<usize> = self.graph.deps(step).iter().copied().collect();
        let mut open: Vec<usize> = seen.iter().copied().collect();
        while let Some(at) = open.pop() {
            if at != step && others.contains(&at) {
                return true;
            }
            open.extend(self.graph.deps(at).iter().filter(|dep| seen.insert(**dep)));
        }
        false
    }

    fn named_deps(&self) -> usize {
        self.steps.iter().map(|step| step.deps.len()).sum()
    }

    fn shape(&self) -> PlanShape {
        let owners = self.steps.iter().filter_map(|step| step.owner.as_ref()).map(|owner| owner.text.clone());
        PlanShape {
            steps: self.steps.len(),
            deps: self.named_deps(),
            depth: self.depth(),
            steps_with_criteria: self.steps.iter().filter(|step| step.has_criteria).count(),
            owners: owners.collect(),
        }
    }

    fn depth(&self) -> usize {
        let mut depths = vec![0_usize; self.steps.len()];
        for step in self.graph.components().into_iter().flatten() {
            let below = self.graph.deps(step).iter().filter_map(|dep| depths.get(*dep)).max().copied();
            if let Some(depth) = depths.get_mut(step) {
                *depth = below.unwrap_or_default() + 1;
            }
        }
        depths.into_iter().max().unwrap_or_default()
    }
}

fn fact(group: FactGroup, text: String, holds: bool) -> FactResult {
    FactResult { group, text, holds }
}

/// Whether the words of a phrase occur consecutively, ignoring case, punctuation and plurals.
fn contains_phrase(words: &[String], phrase: &str) -> bool {
    let phrase = terms(phrase);
    !phrase.is_empty() && words.windows(phrase.len()).any(|window| window == phrase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::benchmark::extract_plan;
    use canonry_model::canon::Blob;
    use canonry_model::canon::benchmark::{Benchmark, BenchmarkContent};
    use canonry_model::canon::schema::Schemas;
    use canonry_text::RepoPath;

    const EXPECT: &str = "task: t\nexpect:\n  steps: {min: 2, max: 3}\n  required:\n    - {name: schema, words: [database migration], \
                          files: ['db/**'], owner: DB}\n    - {name: ui, words: [form]}\n  order: [schema before ui]\n  criteria: \
                          {every_step: true, commands: true, words: [error message]}\n  owners: [DB, UI, API]\n";
    const GOOD: &str = "steps:\n  - {id: s, description: Write the database migrations, owner: DB, files: [db/1/up.sql], criteria: c, \
                        commands: ['Run: make']}\n  - {id: a, owner: API, deps: [s], criteria: Error messages are shown, commands: \
                        ['Run: make']}\n  - {id: u, description: Login form, owner: UI, deps: [a], criteria: c, commands: ['Run: make']}\n";

    fn scored(plan: &str) -> ScoredPlan {
        let blob = Blob::Bytes(EXPECT.as_bytes().to_vec());
        let benchmark = Benchmark::parse(RepoPath::from("agent/benchmarks/a.yaml"), blob, &Schemas::default());
        let BenchmarkContent::Plan(benchmark) = benchmark.document.unwrap().content else { panic!("a plan") };
        score(&extract_plan(plan, &Schemas::default()).unwrap(), &benchmark.expected)
    }

    fn misses(plan: &str) -> Vec<String> {
        scored(plan).misses().map(|fact| fact.text.clone()).collect()
    }

    #[test]
    fn a_good_plan_has_every_fact() {
        let plan = scored(GOOD);
        assert_eq!(plan.misses().count(), 0, "{plan:#?}");
        assert_eq!((plan.facts.len(), plan.score()), (12, 1.0));
        assert_eq!((plan.shape.steps, plan.shape.deps, plan.shape.depth), (3, 2, 3));
    }

    #[test]
    fn each_fact_can_be_missed() {
        for (from, to, missed) in [
            ("owner: API", "ownr: API", &["the plan is valid", "no owners but DB, UI, API"][..]),
            ("owner: API", "owner: Ops", &["no owners but DB, UI, API"]),
            ("owner: DB", "owner: API", &["`schema` belongs to DB"]),
            ("deps: [s]", "deps: []", &["`schema` before `ui`"]),
            ("deps: [s]", "deps: [s, x]", &["dependencies exist and have no cycle"]),
            ("deps: [s]", "deps: [s, u]", &["dependencies exist and have no cycle"]),
            ("[db/1/up.sql]", "[up.sql]", &["a step `schema`", "`schema` before `ui`", "`schema` belongs to DB"]),
            ("Error messages are shown", "c", &["a criterion mentions `error message`"]),
            (
                "criteria: c, commands: ['Run: make']}\n  - {id: a",
                "commands: ['Run: make']}\n  - {id: a",
                &["every step has a criterion"],
            ),
            ("'Run: make'", "'Read: make'", &["every step has a `Run:` command"]),
        ] {
            assert!(GOOD.contains(from), "{from}");
            assert_eq!(misses(&GOOD.replacen(from, to, 1)), missed, "{from} -> {to}");
        }
        assert!(misses("steps: [{id: a, owner: UI}]\n").contains(&"at least 2 steps".to_owned()));
        let four = format!("{GOOD}  - {{id: x, owner: UI, criteria: c, commands: ['Run: a']}}\n");
        assert_eq!(misses(&four), ["at most 3 steps"]);
    }

    #[test]
    fn groups_count_alike() {
        let plan = scored(&GOOD.replace("owner: API", "owner: Ops"));
        assert_eq!(plan.group_score(FactGroup::Owners), Some(0.5));
        assert_eq!(plan.score(), (3.0 + 0.5) / 4.0);
    }
}
