//! Runs a plan benchmark.

use super::recorded::Recordings;
use super::{BenchRun, OwnerResult, PlanResult};
use crate::Error;
use canonry_model::canon::benchmark::{Benchmark, PlanBenchmark};
use canonry_model::canon::schema::Schemas;
use canonry_repo::view::load;
use canonry_runs::plan::benchmark::{PlannerOutput, PlannerRun, extract_plan, score, summarize};

impl BenchRun<'_> {
    /// Scores the recorded outputs, or those of new runs.
    ///
    /// # Errors
    /// A recorded output cannot be read, or an owner cannot be run.
    pub(super) fn plan_benchmark(&self, benchmark: &Benchmark, plan: &PlanBenchmark) -> Result<PlanResult, Error> {
        let name = benchmark.name();
        let schemas = load::schemas(&self.workspace.view, &self.workspace.layout)?;
        let mut owners = Vec::new();
        for owner in self.owners(&name, &plan.owners) {
            let outputs = match self.recordings {
                Some(recordings) => recorded_outputs(recordings, &name, &owner)?,
                None => self.new_outputs(&owner, plan)?,
            };
            let runs: Vec<PlannerRun> =
                outputs.into_iter().map(|output| score_output(output, plan, &schemas)).collect();
            owners.push(OwnerResult { owner, summary: summarize(&runs), runs });
        }
        let path = self.workspace.view.full(&benchmark.path);
        Ok(PlanResult { name, path, min_score: plan.min_score, owners })
    }
}

/// Result of a run of an owner.
pub(super) enum RunOutput {
    Printed {
        output: String,
        seconds: Option<f64>,
        /// A plan that the tool wrote as a file.
        file: Option<String>,
    },
    /// The run failed.
    Failed { reason: String, seconds: Option<f64> },
}

fn recorded_outputs(recordings: &Recordings<'_>, name: &str, owner: &str) -> Result<Vec<RunOutput>, Error> {
    let outputs = recordings.outputs(name, owner)?.into_values();
    Ok(outputs.map(|output| RunOutput::Printed { output, seconds: None, file: None }).collect())
}

fn score_output(output: RunOutput, benchmark: &PlanBenchmark, schemas: &Schemas) -> PlannerRun {
    let (output, measured, file) = match output {
        RunOutput::Printed { output, seconds, file } => (PlannerOutput::parse(&output), seconds, file),
        RunOutput::Failed { reason, seconds } => {
            return PlannerRun { plan: None, seconds, problem: Some(reason) };
        }
    };
    let seconds = measured.or(output.seconds);
    let plan = extract_plan(&output.message, schemas).or_else(|| extract_plan(&file?, schemas));
    let problem = plan.is_none().then(|| "the output contains no plan".to_owned());
    PlannerRun { plan: plan.map(|plan| score(&plan, &benchmark.expected)), seconds, problem }
}
