//! The steps of a plan as jobs, in an order that an engine can run.

use crate::plan::layout::levels;
use crate::plan::slug::UniqueNames;
use canonry_model::canon::plan::PlanStep;
use canonry_model::canon::plan_graph::PlanGraph;
use canonry_text::RepoPath;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// The jobs of a plan.
pub struct ExportJobs<'a> {
    /// In an order in which each job comes after those that it needs.
    pub jobs: Vec<ExportJob<'a>>,
}

/// A step as a job.
pub struct ExportJob<'a> {
    pub step: &'a PlanStep,
    /// The job's name: words with hyphens.
    pub name: String,
    /// The name of the job that waits for the approval, if the step needs one.
    pub approval: Option<String>,
    /// The steps that it depends on, as indexes of jobs.
    pub deps: Vec<usize>,
    /// The jobs that must be done first: the dependencies, and what must not run at the same time.
    pub needs: Vec<usize>,
    /// The level in the plan, from 0.
    pub level: usize,
}

impl<'a> ExportJobs<'a> {
    /// Orders the steps. An engine knows only `needs`, so that steps which must not run together get one: a step without
    /// `parallel: true` waits for everything before it and holds up everything after it, and steps that name the same file
    /// follow each other.
    pub fn new(steps: &'a [PlanStep]) -> Self {
        let graph = PlanGraph::new(steps);
        let level = levels(steps.len(), |at| graph.deps(at));
        let mut names = UniqueNames::default();
        let named: Vec<String> = steps.iter().map(|step| names.add(step.id_text(), "step")).collect();
        let mut approvals: Vec<Option<String>> = steps
            .iter()
            .zip(&named)
            .map(|(step, name)| step.approval.then(|| names.add(&format!("approve {name}"), "step")))
            .collect();
        let mut names: Vec<Option<String>> = named.into_iter().map(Some).collect();
        let mut place = vec![usize::MAX; steps.len()];
        let mut jobs: Vec<ExportJob<'a>> = Vec::with_capacity(steps.len());
        let mut last_alone: Option<usize> = None;
        let mut since_alone: Vec<usize> = Vec::new();
        let mut is_needed: Vec<bool> = Vec::with_capacity(steps.len());
        let mut writer: HashMap<RepoPath, usize> = HashMap::new();
        for at in topological_order(&graph, steps.len()) {
            let Some(step) = steps.get(at) else { continue };
            let mut deps: Vec<usize> = graph.deps(at).iter().filter_map(|dep| place.get(*dep)).copied().collect();
            deps.sort_unstable();
            deps.dedup();
            let mut needs = deps.clone();
            let job = jobs.len();
            if step.parallel {
                let files = step.files.iter().map(|file| RepoPath::new(&file.text));
                needs.extend(files.filter_map(|file| writer.insert(file, job)));
                since_alone.push(job);
                // A dependency at or after it implies it.
                let is_implied = |alone: usize| needs.iter().any(|need| *need >= alone);
                needs.extend(last_alone.filter(|alone| !is_implied(*alone)));
            } else {
                // Waiting for the last ones is enough.
                needs.extend(since_alone.drain(..).filter(|other| !is_needed.get(*other).copied().unwrap_or_default()));
                if needs.is_empty() || last_alone.is_some_and(|alone| needs.iter().all(|need| *need < alone)) {
                    needs.extend(last_alone);
                }
                last_alone = Some(job);
                // Everything later waits for this job.
                writer.clear();
            }
            needs.sort_unstable();
            needs.dedup();
            for need in &needs {
                if let Some(is_needed) = is_needed.get_mut(*need) {
                    *is_needed = true;
                }
            }
            is_needed.push(false);
            if let Some(place) = place.get_mut(at) {
                *place = job;
            }
            jobs.push(ExportJob {
                step,
                name: names.get_mut(at).and_then(Option::take).unwrap_or_default(),
                approval: approvals.get_mut(at).and_then(Option::take),
                deps,
                needs,
                level: level.get(at).copied().unwrap_or_default(),
            });
        }
        Self { jobs }
    }

    /// The name of a job.
    pub fn name(&self, at: usize) -> &str {
        self.jobs.get(at).map_or("", |job| job.name.as_str())
    }
}

/// The steps in dependency order; where the order is free, in the order of the file.
fn topological_order(graph: &PlanGraph, count: usize) -> Vec<usize> {
    let mut followers = vec![Vec::new(); count];
    let mut open = vec![0_usize; count];
    for (at, open) in open.iter_mut().enumerate() {
        for &dep in graph.deps(at) {
            followers[dep].push(at);
            *open += 1;
        }
    }
    let mut ready: BinaryHeap<Reverse<usize>> = (0..count).filter(|at| open[*at] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(count);
    while let Some(Reverse(at)) = ready.pop() {
        order.push(at);
        for &next in &followers[at] {
            open[next] -= 1;
            if open[next] == 0 {
                ready.push(Reverse(next));
            }
        }
    }
    order
}
