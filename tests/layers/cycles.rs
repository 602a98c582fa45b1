//! Import cycles between the modules of a crate, and between its files.

use crate::tree::{EdgeKind, Tree};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

type Graph = BTreeMap<String, BTreeSet<String>>;

/// Cycles between folders at the top of a crate.
pub fn between_modules(tree: &Tree) -> Vec<String> {
    let mut modules = Graph::new();
    for edge in tree.edges() {
        let (Some((from, _)), Some((to, _))) = (edge.from.split_once('/'), edge.to.split_once('/')) else { continue };
        if from != to {
            modules.entry(from.to_owned()).or_default().insert(to.to_owned());
        }
    }
    cycles(modules)
}

pub fn between_files(tree: &Tree) -> Vec<String> {
    let mut files = Graph::new();
    for edge in tree.edges() {
        if edge.kind == EdgeKind::Import && !is_parent(&edge.to, &edge.from) {
            files.entry(edge.from).or_default().insert(edge.to);
        }
    }
    cycles(files)
}

/// Whether a file is the root of a crate or of a directory that contains the other. A child may use its parent's types.
fn is_parent(parent: &str, child: &str) -> bool {
    parent == "lib.rs" || parent.strip_suffix("mod.rs").is_some_and(|directory| child.starts_with(directory))
}

/// Finds the shortest cycle, breaks it, and searches again, so that a file in several cycles is not reported many times.
fn cycles(mut graph: Graph) -> Vec<String> {
    let mut found = Vec::new();
    while let Some(cycle) = shortest(&graph) {
        found.push(format!("{} -> {}", cycle.join(" -> "), cycle[0]));
        for (at, from) in cycle.iter().enumerate() {
            let to = &cycle[(at + 1) % cycle.len()];
            if let Some(targets) = graph.get_mut(from) {
                targets.remove(to);
            }
        }
    }
    found
}

fn shortest(graph: &Graph) -> Option<Vec<String>> {
    graph.keys().filter_map(|start| back_to(graph, start)).min_by_key(Vec::len)
}

/// The shortest path from a node back to it.
fn back_to(graph: &Graph, start: &str) -> Option<Vec<String>> {
    let mut came_from: BTreeMap<&str, &str> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for next in graph.get(node).into_iter().flatten() {
            if next == start {
                let steps = std::iter::successors(Some(node), |node| came_from.get(node).copied());
                let mut path: Vec<String> = steps.map(str::to_owned).collect();
                path.reverse();
                return Some(path);
            }
            if !came_from.contains_key(next.as_str()) {
                came_from.insert(next, node);
                queue.push_back(next);
            }
        }
    }
    None
}
