//! Benchmarks: scores the plans that tools write for a task, and tests which skill a prompt selects.

mod plans;
mod recorded;
mod runner;
mod triggers;

use crate::{Error, ErrorKind, Progress, RepoPath, Workspace};
use canonry_lint as rules;
use canonry_model::canon::benchmark::{Benchmark, BenchmarkContent};
use canonry_model::canon::file_kind::FileKind;
use canonry_model::canon::inventory::Inventory;
use canonry_repo::view::{IgnoreMode, load};
use canonry_runs::plan::benchmark::{OwnerSummary, PlannerRun};
use recorded::Recordings;
use std::path::PathBuf;

/// Options of a benchmark run.
#[derive(Clone, Debug, Default)]
pub struct BenchRequest {
    /// The name of the only benchmark to run.
    pub name: Option<String>,
    /// Whether to run only the trigger tests.
    pub triggers_only: bool,
    /// The owners to run, in place of those that the benchmarks name. With owners, trigger tests ask them too.
    pub owners: Vec<String>,
    /// The runs per owner, in place of those that the benchmarks name.
    pub runs: Option<u32>,
    /// A folder with recorded outputs, which are scored in place of running anything.
    pub recorded: Option<PathBuf>,
}

/// The results.
#[derive(Clone, Debug, Default)]
pub struct BenchResults {
    /// The plan benchmarks, by path.
    pub plans: Vec<PlanResult>,
    /// The trigger tests, by path and by who chose the skills.
    pub triggers: Vec<TriggerTestsResult>,
}

/// The results of a plan benchmark.
#[derive(Clone, Debug)]
pub struct PlanResult {
    /// The benchmark's name.
    pub name: String,
    /// The benchmark's file, from the top of the repository.
    pub path: RepoPath,
    /// The mean score below which an owner fails.
    pub min_score: Option<f64>,
    /// The owners in the order of the benchmark; empty if none was run.
    pub owners: Vec<OwnerResult>,
}

/// The results of an owner.
#[derive(Clone, Debug)]
pub struct OwnerResult {
    /// The owner's name.
    pub owner: String,
    /// The runs in order.
    pub runs: Vec<PlannerRun>,
    /// The runs as a whole.
    pub summary: OwnerSummary,
}

/// The results of a file with trigger tests.
#[derive(Clone, Debug)]
pub struct TriggerTestsResult {
    /// The benchmark's name.
    pub name: String,
    /// The benchmark's file, from the top of the repository.
    pub path: RepoPath,
    /// Who chose the skills: an owner; `None` for `canonry skills match`.
    pub owner: Option<String>,
    /// The tests in order.
    pub tests: Vec<TriggerTestResult>,
}

/// The result of a trigger test.
#[derive(Clone, Debug)]
pub struct TriggerTestResult {
    /// The prompt.
    pub prompt: String,
    /// The skills that were chosen.
    pub chosen: Vec<String>,
    /// Why the test fails; empty if it passes.
    pub misses: Vec<String>,
}

impl OwnerResult {
    /// Whether the mean score is below the minimum.
    pub fn is_below(&self, min_score: Option<f64>) -> bool {
        min_score.is_some_and(|min| self.summary.score < min)
    }
}

impl BenchResults {
    /// Whether a trigger test failed, or an owner's score is below its minimum.
    pub fn is_failed(&self) -> bool {
        let is_missed = |result: &TriggerTestsResult| result.tests.iter().any(|test| !test.misses.is_empty());
        let is_below = |plan: &PlanResult| plan.owners.iter().any(|owner| owner.is_below(plan.min_score));
        self.triggers.iter().any(is_missed) || self.plans.iter().any(is_below)
    }
}

/// Runs the benchmarks.
///
/// # Errors
/// There is no such benchmark, a benchmark or `owners.yaml` is not valid, an owner is unknown, or a recorded output cannot
/// be read.
pub fn run(workspace: &Workspace, request: &BenchRequest, progress: &dyn Progress) -> Result<BenchResults, Error> {
    workspace.require_canon()?;
    let recordings = request.recorded.as_deref().map(|folder| Recordings::load(workspace, folder)).transpose()?;
    let run = BenchRun { workspace, request, recordings: recordings.as_ref(), progress };
    let mut outcome = BenchResults::default();
    for benchmark in load_all(workspace, request.name.as_deref())? {
        let Ok(document) = &benchmark.document else { continue };
        match &document.content {
            BenchmarkContent::Plan(_) if request.triggers_only => {}
            BenchmarkContent::Plan(plan) => outcome.plans.push(run.plan_benchmark(&benchmark, plan)?),
            BenchmarkContent::Triggers(tests) => outcome.triggers.extend(run.trigger_tests(&benchmark, tests)?),
        }
    }
    Ok(outcome)
}

/// A run of benchmarks.
struct BenchRun<'a> {
    workspace: &'a Workspace,
    request: &'a BenchRequest,
    recordings: Option<&'a Recordings<'a>>,
    progress: &'a dyn Progress,
}

impl BenchRun<'_> {
    /// The owners to run for a benchmark, or those with recorded outputs. `default` are those that the benchmark names.
    fn owners(&self, benchmark: &str, default: &[String]) -> Vec<String> {
        let requested = &self.request.owners;
        match self.recordings {
            Some(recordings) => {
                let mut owners = recordings.owners(benchmark);
                owners.retain(|owner| requested.is_empty() || requested.contains(owner));
                owners
            }
            None if requested.is_empty() => default.to_vec(),
            None => requested.clone(),
        }
    }
}

/// Loads the benchmarks, or the named one.
fn load_all(workspace: &Workspace, name: Option<&str>) -> Result<Vec<Benchmark>, Error> {
    let view = &workspace.view;
    let layout = &workspace.layout;
    let folder = layout.benchmarks();
    let listing = view.list(&folder, IgnoreMode::Exclude)?;
    let inventory = Inventory::from_entries(&listing.entries(), layout);
    let schemas = load::schemas(view, layout)?;
    let paths = inventory.files(FileKind::Benchmark).iter().map(|entry| &entry.path);
    let mut benchmarks: Vec<Benchmark> = paths.map(|path| load::benchmark(view, path, &schemas)).collect();
    if let Some(name) = name {
        let names: Vec<String> = benchmarks.iter().map(Benchmark::name).collect();
        benchmarks.retain(|benchmark| benchmark.name() == name);
        if benchmarks.is_empty() {
            let all = format!("the benchmarks are {}", names.join(", "));
            let otherwise = if names.is_empty() { no_benchmarks(workspace) } else { all };
            let error = Error::new(ErrorKind::Unreadable, format!("there is no benchmark `{name}`"));
            return Err(error.suggest(name, names.iter().map(String::as_str), otherwise));
        }
    }
    if benchmarks.is_empty() {
        return Err(Error::new(ErrorKind::Unreadable, "there are no benchmarks").help(no_benchmarks(workspace)));
    }
    match benchmarks.iter().find_map(first_error) {
        Some((path, at, message)) => {
            let path = view.full(&path);
            Err(Error::new(ErrorKind::Unreadable, format!("{path}:{at}: {message}"))
                .help(format!("run `canonry check {path}`")))
        }
        None => Ok(benchmarks),
    }
}

fn no_benchmarks(workspace: &Workspace) -> String {
    format!("add one as {}/<name>.yaml", workspace.view.full(&workspace.layout.benchmarks()))
}

/// The first finding in a benchmark, with its path and line.
fn first_error(benchmark: &Benchmark) -> Option<(RepoPath, usize, String)> {
    let first = rules::check(benchmark).into_iter().min_by_key(|finding| finding.location.span)?;
    Some((first.location.path, first.location.position.line, first.message))
}
