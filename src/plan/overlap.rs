//! Parallel steps that may run at the same time and name the same file.

use super::PlanGraph;
use crate::canon::plan::PlanStep;
use crate::syntax::RepoPath;
use std::collections::{BTreeMap, HashSet};

/// A file as a step names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileMention {
    /// The step's index.
    pub step: usize,
    /// The index in its `files`.
    pub file: usize,
}

/// Two steps that may run together and name one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The one that stands first in the plan.
    pub first: FileMention,
    /// The other.
    pub second: FileMention,
}

/// Every overlap between neighbours. Of each file's steps, sorted so that deps come first, only neighbours are
/// compared: if each depends on the one before, all depend on each other, so no plan with an overlap passes.
pub fn overlaps(steps: &[PlanStep]) -> Vec<Overlap> {
    let groups = mentions(steps);
    if groups.is_empty() {
        return Vec::new();
    }
    let graph = PlanGraph::new(steps);
    let order = TopologicalOrder::new(&graph, steps.len());
    let mut found = Vec::new();
    for mut group in groups {
        group.sort_by_key(|mention| (order.rank[mention.step], *mention));
        let free = group.windows(2).filter(|pair| !order.depends(pair[1].step, pair[0].step));
        found.extend(free.map(|pair| Overlap { first: pair[0].min(pair[1]), second: pair[0].max(pair[1]) }));
    }
    found.sort_by_key(|overlap| (overlap.second, overlap.first));
    found
}

/// The parallel steps that name each file, for files that more than one names.
fn mentions(steps: &[PlanStep]) -> Vec<Vec<FileMention>> {
    let mut by_file: BTreeMap<RepoPath, Vec<FileMention>> = BTreeMap::new();
    for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.parallel) {
        for (file, text) in step.files.iter().enumerate() {
            let group = by_file.entry(RepoPath::new(&text.text)).or_default();
            if group.last().is_none_or(|last| last.step != at) {
                group.push(FileMention { step: at, file });
            }
        }
    }
    by_file.into_iter().filter(|(path, group)| !path.is_empty() && group.len() > 1).map(|(_, group)| group).collect()
}

/// An order in which deps come first; steps in a circle share their rank.
struct TopologicalOrder<'g, 's> {
    graph: &'g PlanGraph<'s>,
    rank: Vec<usize>,
}

impl<'g, 's> TopologicalOrder<'g, 's> {
    fn new(graph: &'g PlanGraph<'s>, steps: usize) -> Self {
        let mut rank = vec![0; steps];
        for (number, group) in graph.components().iter().enumerate() {
            for step in group {
                rank[*step] = number;
            }
        }
        Self { graph, rank }
    }

    /// Whether `later` depends on `earlier`, be it over others. Steps ranked below `earlier` cannot lead to it, which
    /// keeps the search short.
    fn depends(&self, later: usize, earlier: usize) -> bool {
        if self.rank[later] == self.rank[earlier] {
            return true;
        }
        let mut seen = HashSet::new();
        let mut open = vec![later];
        while let Some(at) = open.pop() {
            for &dep in self.graph.deps(at) {
                if self.rank[dep] == self.rank[earlier] {
                    return true;
                }
                if self.rank[dep] > self.rank[earlier] && seen.insert(dep) {
                    open.push(dep);
                }
            }
        }
        false
    }
}
