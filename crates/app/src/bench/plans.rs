//! Runs a plan benchmark.

use super::recorded::Recordings;
use super::{BenchRequest, OwnerResult, PlanResult, RunResult};
use crate::{Error, Progress, Workspace};
use canonry_model::canon::benchmark::{Benchmark, PlanBenchmark};
use canonry_model::canon::schema::Schemas;
use canonry_repo::view::load;
use canonry_runs::plan::benchmark::{PlannerOutput, PlannerRun, extract_plan, score, summarize};

/// A plan benchmark with its surroundings.
pub(super) struct PlanBenchmarkRun<'a> {
    pub workspace: &'a Workspace,
    pub request: &'a BenchRequest,
    pub recordings: Option<&'a Recordings<'a>>,
    pub progress: &'a dyn Progress,
}

impl PlanBenchmarkRun<'_> {
    /// Scores the recorded outputs, or those of new runs.
    ///
    /// # Errors
    /// A recorded output cannot be read, or an owner cannot be run.
    pub fn run(&self, benchmark: &Benchmark, plan: &PlanBenchmark) -> Result<PlanResult, Error> {
        let name = benchmark.name();
        let schemas = load::schemas(&self.workspace.view, &self.workspace.layout)?;
        let mut owners = Vec::new();
        for owner in self.owners(&name, plan) {
            let outputs = match self.recordings {
                Some(recordings) => recorded_outputs(recordings, &name, &owner)?,
                None => self.new_outputs(&owner, plan)?,
            };
            let runs: Vec<RunResult> = outputs.into_iter().map(|output| scored(output, plan, &schemas)).collect();
            let planned: Vec<PlannerRun> = runs.iter().map(|run| run.run.clone()).collect();
            owners.push(OwnerResult { owner, summary: summarize(&planned), runs });
        }
        let path = self.workspace.view.full(&benchmark.path);
        Ok(PlanResult { name, path, min_score: plan.min_score, owners })
    }

    fn owners(&self, name: &str, plan: &PlanBenchmark) -> Vec<String> {
        match self.recordings {
            Some(recordings) => {
                let mut owners = recordings.owners(name);
                owners.retain(|owner| self.request.owners.is_empty() || self.request.owners.contains(owner));
                owners
            }
            None if self.request.owners.is_empty() => plan.owners.clone(),
            None => self.request.owners.clone(),
        }
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

fn scored(output: RunOutput, benchmark: &PlanBenchmark, schemas: &Schemas) -> RunResult {
    let (output, measured, file) = match output {
        RunOutput::Printed { output, seconds, file } => (PlannerOutput::parse(&output), seconds, file),
        RunOutput::Failed { reason, seconds } => {
            return RunResult { run: PlannerRun { plan: None, seconds }, problem: Some(reason) };
        }
    };
    let seconds = measured.or(output.seconds);
    let plan = extract_plan(&output.message, schemas).or_else(|| extract_plan(&file?, schemas));
    let problem = plan.is_none().then(|| "the output contains no plan".to_owned());
    RunResult { run: PlannerRun { plan: plan.map(|plan| score(&plan, &benchmark.expected)), seconds }, problem }
}
