//! The dependency graph of a plan: ids and cycles.
//!
//! Nothing here recurses, because a plan can have any length.

use super::plan_step::PlanStep;
use std::collections::{HashMap, HashSet, VecDeque};

/// The steps of a plan and their dependencies by index.
#[derive(Clone, Debug)]
pub struct PlanGraph {
    first: HashMap<String, usize>,
    deps: Vec<Vec<usize>>,
}

impl PlanGraph {
    /// Builds the graph. If steps share an id, it refers to the first.
    pub fn new(steps: &[PlanStep]) -> Self {
        let mut first = HashMap::with_capacity(steps.len());
        for (at, step) in steps.iter().enumerate().filter(|(_, step)| !step.id_text().is_empty()) {
            first.entry(step.id_text().to_owned()).or_insert(at);
        }
        let known =
            |step: &PlanStep| step.deps.iter().filter_map(|dep| first.get(dep.text.as_str()).copied()).collect();
        let deps = steps.iter().map(known).collect();
        Self { first, deps }
    }

    /// The index of the step with an id.
    pub fn position(&self, id: &str) -> Option<usize> {
        self.first.get(id).copied()
    }

    /// The dependencies of a step. Unknown ids are left out.
    pub fn deps(&self, step: usize) -> &[usize] {
        self.deps.get(step).map_or(&[], Vec::as_slice)
    }

    /// The strongly connected components in dependency order: each comes after those it depends on.
    pub fn components(&self) -> Vec<Vec<usize>> {
        let mut search = ComponentSearch::new(&self.deps);
        for step in 0..self.deps.len() {
            search.visit(step);
        }
        search.found
    }

    /// The cycles, each as a list of steps in which every step depends on the next and the last on the first. A step
    /// that depends on itself is a cycle of one; of each larger component, the shortest cycle through its first step.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        let selves = (0..self.deps.len()).filter(|step| self.deps[*step].contains(step)).map(|step| vec![step]);
        let cycles =
            self.components().into_iter().filter(|group| group.len() > 1).filter_map(|g| self.shortest_cycle(&g));
        let mut found: Vec<Vec<usize>> = selves.chain(cycles).collect();
        found.sort();
        found
    }

    /// The shortest cycle through the first step of `group`, found breadth first.
    fn shortest_cycle(&self, group: &[usize]) -> Option<Vec<usize>> {
        let start = *group.iter().min()?;
        let inside: HashSet<usize> = group.iter().copied().collect();
        let mut reached_from: HashMap<usize, usize> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(at) = queue.pop_front() {
            for &dep in self.deps[at].iter().filter(|dep| **dep != at && inside.contains(dep)) {
                if dep == start {
                    return Some(walk_back(at, &reached_from));
                }
                reached_from.entry(dep).or_insert_with(|| {
                    queue.push_back(dep);
                    at
                });
            }
        }
        None
    }
}

fn walk_back(last: usize, reached_from: &HashMap<usize, usize>) -> Vec<usize> {
    let mut path: Vec<usize> = std::iter::successors(Some(last), |at| reached_from.get(at).copied()).collect();
    path.reverse();
    path
}

/// Tarjan's algorithm for strongly connected components with an explicit stack.
struct ComponentSearch<'g> {
    deps: &'g [Vec<usize>],
    /// The order in which steps were discovered.
    seen: Vec<Option<usize>>,
    /// The earliest open step that each step reaches.
    low: Vec<usize>,
    open: Vec<usize>,
    is_open: Vec<bool>,
    clock: usize,
    found: Vec<Vec<usize>>,
}

impl<'g> ComponentSearch<'g> {
    fn new(deps: &'g [Vec<usize>]) -> Self {
        let n = deps.len();
        Self {
            deps,
            seen: vec![None; n],
            low: vec![0; n],
            open: Vec::new(),
            is_open: vec![false; n],
            clock: 0,
            found: Vec::new(),
        }
    }

    fn visit(&mut self, root: usize) {
        if self.seen[root].is_some() {
            return;
        }
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((at, edge)) = path.last_mut() {
            let at = *at;
            let Some(&dep) = self.deps[at].get(*edge) else {
                path.pop();
                self.leave(at, path.last().map(|(parent, _)| *parent));
                continue;
            };
            *edge += 1;
            match self.seen[dep] {
                None => {
                    self.enter(dep);
                    path.push((dep, 0));
                }
                Some(time) if self.is_open[dep] => self.low[at] = self.low[at].min(time),
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, step: usize) {
        self.seen[step] = Some(self.clock);
        self.low[step] = self.clock;
        self.clock += 1;
        self.open.push(step);
        self.is_open[step] = true;
    }

    fn leave(&mut self, step: usize, parent: Option<usize>) {
        if let Some(parent) = parent {
            self.low[parent] = self.low[parent].min(self.low[step]);
        }
        if self.seen[step] != Some(self.low[step]) {
            return;
        }
        let from = self.open.iter().rposition(|open| *open == step).unwrap_or(0);
        let group = self.open.split_off(from);
        for member in &group {
            self.is_open[*member] = false;
        }
        self.found.push(group);
    }
}
