//! The order in which a run would start the steps if every attempt succeeded and took equally long.

use canonry_model::canon::plan::{PlanStep, StepStatus};
use canonry_model::canon::plan_graph::PlanGraph;
use canonry_text::RepoPath;
use std::collections::{BTreeSet, HashSet};

/// The steps that are not complete, in groups that run at the same time, at most `workers` each. Steps that are blocked,
/// and those that depend on them, are left out.
pub fn waves(steps: &[PlanStep], workers: usize) -> Vec<Vec<usize>> {
    let graph = PlanGraph::new(steps);
    let is_open = |at: &usize| steps.get(*at).is_some_and(|step| step.status != StepStatus::Complete);
    let mut followers: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    let mut open_deps = vec![0_usize; steps.len()];
    for at in (0..steps.len()).filter(is_open) {
        let deps: BTreeSet<usize> = graph.deps(at).iter().copied().filter(is_open).collect();
        open_deps[at] = deps.len();
        for dep in deps {
            followers[dep].push(at);
        }
    }
    let may_run = |at: &usize| steps.get(*at).is_some_and(|step| step.status != StepStatus::Blocked);
    let mut ready: BTreeSet<usize> =
        (0..steps.len()).filter(is_open).filter(may_run).filter(|at| open_deps[*at] == 0).collect();
    let mut waves = Vec::new();
    while !ready.is_empty() {
        let wave = next_wave(steps, &ready, workers.max(1));
        for at in &wave {
            ready.remove(at);
            for follower in &followers[*at] {
                open_deps[*follower] -= 1;
                if open_deps[*follower] == 0 && may_run(follower) {
                    ready.insert(*follower);
                }
            }
        }
        waves.push(wave);
    }
    waves
}

/// The first ready step in file order, and those after it that may run with it.
fn next_wave(steps: &[PlanStep], ready: &BTreeSet<usize>, workers: usize) -> Vec<usize> {
    let mut wave: Vec<usize> = Vec::new();
    let mut files: HashSet<RepoPath> = HashSet::new();
    for (at, step) in ready.iter().filter_map(|at| Some((*at, steps.get(*at)?))) {
        let own: Vec<RepoPath> = step.files.iter().map(|file| RepoPath::new(&file.text)).collect();
        let fits = wave.is_empty() || (step.parallel && own.iter().all(|file| !files.contains(file)));
        if !fits {
            continue;
        }
        wave.push(at);
        files.extend(own);
        if !step.parallel || wave.len() >= workers {
            break;
        }
    }
    wave
}
