//! Runs owners: prompts, a copy of the files for each run, and the outputs.

use super::plans::{PlanBenchmarkRun, RunOutput};
use super::triggers::{Answers, TriggerRun};
use crate::app::Error;
use crate::canon::benchmark::{PlanBenchmark, TriggerBenchmark};
use crate::registry::ManifestEntry;

impl PlanBenchmarkRun<'_> {
    pub(super) fn new_outputs(&self, _owner: &str, _plan: &PlanBenchmark) -> Result<Vec<RunOutput>, Error> {
        Ok(Vec::new())
    }
}

impl TriggerRun<'_> {
    pub(super) fn new_answers(
        &self,
        _owner: &str,
        _tests: &TriggerBenchmark,
        _entries: &[ManifestEntry],
    ) -> Result<Answers, Error> {
        Ok(Answers::new())
    }
}
