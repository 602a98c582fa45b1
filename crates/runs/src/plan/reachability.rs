//! Whether a step depends on another, directly or indirectly.
//!
//! A search per question would take quadratic time for a long plan. A depth-first search numbers the steps once; most
//! questions are then answered by comparing numbers, as in the GRAIL index (Yildirim, Chaoji, Zaki 2010).

use canonry_model::canon::plan_graph::PlanGraph;
use std::collections::HashSet;

/// A topological order with an index. Steps in a cycle count as one.
#[derive(Debug)]
pub struct Reachability {
    /// The rank of each step. Steps in a cycle share it; a step depends only on lower ranks.
    rank: Vec<usize>,
    /// The ranks that each rank depends on.
    deps: Vec<Vec<usize>>,
    /// When the search entered and left each rank. The interval of a rank contains those of its subtree.
    entered: Vec<usize>,
    left: Vec<usize>,
    /// The lowest `left` among the ranks that each rank reaches.
    lowest: Vec<usize>,
}

impl Reachability {
    /// Indexes a graph of `steps` steps.
    pub fn new(graph: &PlanGraph, steps: usize) -> Self {
        let components = graph.components();
        let mut rank = vec![0; steps];
        for (number, group) in components.iter().enumerate() {
            for step in group {
                rank[*step] = number;
            }
        }
        let of = |(number, group): (usize, &Vec<usize>)| {
            let deps = group.iter().flat_map(|step| graph.deps(*step)).map(|dep| rank[*dep]);
            deps.filter(|dep| *dep != number).collect()
        };
        let deps: Vec<Vec<usize>> = components.iter().enumerate().map(of).collect();
        let count = deps.len();
        let mut index = Self { rank, deps, entered: vec![0; count], left: vec![0; count], lowest: vec![0; count] };
        index.number();
        index
    }

    /// Searches from the last rank down, so that long chains become one subtree.
    fn number(&mut self) {
        let mut clock = 0;
        let mut tick = || {
            clock += 1;
            clock
        };
        for root in (0..self.deps.len()).rev() {
            if self.entered[root] > 0 {
                continue;
            }
            self.entered[root] = tick();
            let mut path = vec![(root, 0)];
            while let Some((at, edge)) = path.last_mut() {
                let at = *at;
                match self.deps[at].get(*edge) {
                    Some(&dep) => {
                        *edge += 1;
                        if self.entered[dep] == 0 {
                            self.entered[dep] = tick();
                            path.push((dep, 0));
                        }
                    }
                    None => {
                        self.left[at] = tick();
                        path.pop();
                    }
                }
            }
        }
        // A rank depends only on lower ones.
        for at in 0..self.deps.len() {
            let lowest = self.deps[at].iter().map(|dep| self.lowest[*dep]).min();
            self.lowest[at] = lowest.unwrap_or(usize::MAX).min(self.left[at]);
        }
    }

    /// The position of a step in the topological order.
    pub fn rank(&self, step: usize) -> usize {
        self.rank[step]
    }

    /// Whether `later` depends on `earlier`, or both are in one cycle.
    pub fn depends(&self, later: usize, earlier: usize) -> bool {
        let target = self.rank[earlier];
        let mut seen = HashSet::new();
        let mut open = vec![self.rank[later]];
        while let Some(at) = open.pop() {
            if self.is_in_subtree(at, target) {
                return true;
            }
            open.extend(self.deps[at].iter().filter(|dep| self.may_reach(**dep, target) && seen.insert(**dep)));
        }
        false
    }

    /// Proves that `from` reaches `to`.
    fn is_in_subtree(&self, from: usize, to: usize) -> bool {
        self.entered[from] <= self.entered[to] && self.left[to] <= self.left[from]
    }

    /// If false, `from` does not reach `to`.
    fn may_reach(&self, from: usize, to: usize) -> bool {
        from >= to && self.lowest[from] <= self.lowest[to] && self.left[to] <= self.left[from]
    }
}
