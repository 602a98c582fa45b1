//! Dominators: the steps that have certainly run before another one begins.
//!
//! The Lengauer-Tarjan algorithm with path compression, in O(n log n) and without recursion.

/// The dominator tree of a graph with root 0.
#[derive(Debug)]
pub struct Dominators {
    /// When a traversal of the tree enters and leaves each node; `None` for unreachable nodes.
    spans: Vec<Option<(usize, usize)>>,
}

impl Dominators {
    /// Computes the dominators of a graph given by its edges. Node 0 is the root.
    pub fn new(edges: &[Vec<usize>]) -> Self {
        Self { spans: spans(&immediate(edges)) }
    }

    /// Whether every path from the root to `node` passes `before`. True for unreachable nodes.
    pub fn dominates(&self, before: usize, node: usize) -> bool {
        match (self.spans[before], self.spans[node]) {
            (_, None) => true,
            (None, Some(_)) => false,
            (Some(outer), Some(inner)) => outer.0 <= inner.0 && inner.1 <= outer.1,
        }
    }
}

/// The immediate dominator of each node. The root's is the root.
fn immediate(edges: &[Vec<usize>]) -> Vec<Option<usize>> {
    let count = edges.len();
    let mut of_node = vec![None; count];
    if count == 0 {
        return of_node;
    }
    let (order, parent) = preorder(edges);
    let mut number = vec![usize::MAX; count];
    order.iter().enumerate().for_each(|(at, node)| number[*node] = at);
    let nearest = DominatorSearch::new(edges, &order, &number, parent).run();
    for (at, node) in order.iter().enumerate() {
        of_node[*node] = Some(order[nearest[at]]);
    }
    of_node
}

/// The nodes reachable from node 0 in depth-first preorder, and the position of each node's parent in that order.
fn preorder(edges: &[Vec<usize>]) -> (Vec<usize>, Vec<usize>) {
    let mut seen = vec![false; edges.len()];
    let mut order = vec![0];
    let mut parent = vec![0];
    seen[0] = true;
    let mut path = vec![(0, 0, 0)];
    while let Some((node, place, edge)) = path.last_mut() {
        let Some(&to) = edges[*node].get(*edge) else {
            path.pop();
            continue;
        };
        *edge += 1;
        let above = *place;
        if !std::mem::replace(&mut seen[to], true) {
            path.push((to, order.len(), 0));
            order.push(to);
            parent.push(above);
        }
    }
    (order, parent)
}

/// The state of the algorithm. All indices are positions in the preorder.
struct DominatorSearch {
    before: Vec<Vec<usize>>,
    parent: Vec<usize>,
    semi: Vec<usize>,
    ancestor: Vec<Option<usize>>,
    label: Vec<usize>,
}

impl DominatorSearch {
    fn new(edges: &[Vec<usize>], order: &[usize], number: &[usize], parent: Vec<usize>) -> Self {
        let mut before = vec![Vec::new(); order.len()];
        for (from, node) in order.iter().enumerate() {
            for to in &edges[*node] {
                before[number[*to]].push(from);
            }
        }
        let all: Vec<usize> = (0..order.len()).collect();
        Self { before, parent, semi: all.clone(), ancestor: vec![None; order.len()], label: all }
    }

    fn run(mut self) -> Vec<usize> {
        let count = self.parent.len();
        let mut nearest = vec![0; count];
        let mut bucket = vec![Vec::new(); count];
        for at in (1..count).rev() {
            for from in std::mem::take(&mut self.before[at]) {
                let best = self.best(from);
                self.semi[at] = self.semi[at].min(self.semi[best]);
            }
            bucket[self.semi[at]].push(at);
            let above = self.parent[at];
            self.ancestor[at] = Some(above);
            for node in std::mem::take(&mut bucket[above]) {
                let best = self.best(node);
                nearest[node] = if self.semi[best] < self.semi[node] { best } else { above };
            }
        }
        for at in 1..count {
            if nearest[at] != self.semi[at] {
                nearest[at] = nearest[nearest[at]];
            }
        }
        nearest
    }

    /// The node with the smallest semidominator among the ancestors of `node`. Compresses the path.
    fn best(&mut self, node: usize) -> usize {
        let mut path = Vec::new();
        let mut at = node;
        while let Some(above) = self.ancestor[at] {
            if self.ancestor[above].is_none() {
                break;
            }
            path.push(at);
            at = above;
        }
        for at in path.into_iter().rev() {
            let Some(above) = self.ancestor[at] else { continue };
            if self.semi[self.label[above]] < self.semi[self.label[at]] {
                self.label[at] = self.label[above];
            }
            self.ancestor[at] = self.ancestor[above];
        }
        self.label[node]
    }
}

/// Traverses the tree. A node dominates all nodes that are entered and left during its own interval.
fn spans(nearest: &[Option<usize>]) -> Vec<Option<(usize, usize)>> {
    let mut below = vec![Vec::new(); nearest.len()];
    for (node, above) in nearest.iter().enumerate() {
        if let Some(above) = above.filter(|above| *above != node) {
            below[above].push(node);
        }
    }
    let mut spans = vec![None; nearest.len()];
    let mut path: Vec<(usize, usize, usize)> = nearest.first().map(|_| (0, 0, 0)).into_iter().collect();
    let mut clock = 0;
    while let Some((node, entered, next)) = path.last_mut() {
        if let Some(&child) = below[*node].get(*next) {
            *next += 1;
            clock += 1;
            path.push((child, clock, 0));
        } else {
            spans[*node] = Some((*entered, clock));
            path.pop();
        }
    }
    spans
}
