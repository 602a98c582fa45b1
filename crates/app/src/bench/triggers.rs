//! Runs trigger tests.

use super::{BenchRun, TriggerTestResult, TriggerTestsResult};
use crate::Error;
use crate::skill_catalog::SkillCatalog;
use canonry_mirror::registry::ManifestEntry;
use canonry_mirror::registry::trigger_tests::{TriggerResult, skills_in_answer, test_answer, test_matching};
use canonry_model::canon::benchmark::{Benchmark, TriggerBenchmark, TriggerTest};
use canonry_runs::plan::benchmark::PlannerOutput;
use std::collections::BTreeMap;

/// The answers of an owner by the number of the test, from 1, or why it did not answer.
pub(super) type Answers = BTreeMap<u32, Result<String, String>>;

impl BenchRun<'_> {
    /// Tests the matching of skills, then each owner.
    ///
    /// # Errors
    /// The skills cannot be listed, a recorded output cannot be read, or an owner cannot be run.
    pub(super) fn trigger_tests(
        &self,
        benchmark: &Benchmark,
        triggers: &TriggerBenchmark,
    ) -> Result<Vec<TriggerTestsResult>, Error> {
        let skills = SkillCatalog::load(self.workspace)?.searchable(self.workspace);
        let entries: Vec<ManifestEntry> = skills.iter().map(|skill| skill.entry.clone()).collect();
        let name = benchmark.name();
        let path = self.workspace.view.full(&benchmark.path);
        let result =
            |owner: Option<String>, tests| TriggerTestsResult { name: name.clone(), path: path.clone(), owner, tests };
        let by_matching = |test: &TriggerTest| named(test, test_matching(test, &skills, triggers.top));
        let mut results = vec![result(None, triggers.tests.iter().map(by_matching).collect())];
        for owner in self.owners(&name, &[]) {
            let answers = match self.recordings {
                Some(recordings) => recordings
                    .outputs(&name, &owner)?
                    .into_iter()
                    .map(|(number, output)| (number, Ok(output)))
                    .collect(),
                None => self.new_answers(&owner, triggers, &entries)?,
            };
            let tests = triggers.tests.iter().zip(1_u32..);
            let tests = tests.map(|(test, number)| answered(test, answers.get(&number), &entries));
            results.push(result(Some(owner.clone()), tests.collect()));
        }
        Ok(results)
    }
}

fn named(test: &TriggerTest, TriggerResult { chosen, misses }: TriggerResult) -> TriggerTestResult {
    TriggerTestResult { prompt: test.prompt.clone(), chosen, misses }
}

fn answered(
    test: &TriggerTest,
    answer: Option<&Result<String, String>>,
    entries: &[ManifestEntry],
) -> TriggerTestResult {
    let failed = |reason: &str| TriggerTestResult {
        prompt: test.prompt.clone(),
        chosen: Vec::new(),
        misses: vec![reason.to_owned()],
    };
    match answer {
        Some(Ok(output)) => {
            let chosen = skills_in_answer(&PlannerOutput::parse(output).message, entries);
            named(test, test_answer(test, entries, chosen))
        }
        Some(Err(reason)) => failed(reason),
        None => failed("there is no recorded answer"),
    }
}
