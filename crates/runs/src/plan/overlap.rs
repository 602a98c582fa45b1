//! Finds parallel steps that can run at the same time and write the same file.

use super::reachability::Reachability;
use canonry_model::canon::plan::PlanStep;
use canonry_model::canon::plan_graph::PlanGraph;
use canonry_text::RepoPath;
use std::collections::BTreeMap;

/// A file in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileMention {
    /// The index of the step.
    pub step: usize,
    /// The index in the step's `files`.
    pub file: usize,
}

/// Two steps that can run at the same time and name the same file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The earlier step in the plan.
    pub first: FileMention,
    pub second: FileMention,
}

/// The overlaps. The steps of each file are sorted topologically and only neighbours are compared: if each depends on
/// its predecessor, all depend on each other, so no overlap is missed.
pub fn overlaps(steps: &[PlanStep], graph: &PlanGraph) -> Vec<Overlap> {
    let groups = mentions(steps);
    if groups.is_empty() {
        return Vec::new();
    }
    let order = Reachability::new(graph, steps.len());
    let mut found = Vec::new();
    for mut group in groups {
        group.sort_by_key(|mention| (order.rank(mention.step), *mention));
        let free = group.windows(2).filter(|pair| !order.depends(pair[1].step, pair[0].step));
        found.extend(free.map(|pair| Overlap { first: pair[0].min(pair[1]), second: pair[0].max(pair[1]) }));
    }
    found.sort_by_key(|overlap| (overlap.second, overlap.first));
    found
}

/// The parallel steps that name each file, for files with more than one.
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
