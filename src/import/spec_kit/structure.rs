//! The structure of nested steps.

use super::super::workflow_files::text_of;
use super::expressions::Test;
use crate::syntax::node::{MappingEntry, Node};

/// Types of steps that a worker does.
pub(super) const LEAVES: [&str; 4] = ["command", "prompt", "shell", "fan-out"];
/// Iterations of a loop without `max_iterations`: `steps/while_loop/__init__.py`.
const DEFAULT_ITERATIONS: u64 = 10;

/// The type of a step. Without one it is a command.
pub(super) fn kind_of(node: &Node) -> &str {
    text_of(node.get("type")).unwrap_or("command")
}

pub(super) fn sequence<'n>(node: &'n Node, key: &str) -> &'n [Node] {
    node.get(key).and_then(Node::as_sequence).unwrap_or_default()
}

pub(super) fn cases(node: &Node) -> &[MappingEntry] {
    node.get("cases").and_then(Node::as_mapping).map(|cases| cases.entries.as_slice()).unwrap_or_default()
}

pub(super) fn id(node: &Node) -> &str {
    text_of(node.get("id")).unwrap_or_default()
}

/// The lists of steps inside a step.
pub(super) fn blocks(node: &Node) -> impl Iterator<Item = &[Node]> {
    let lists = ["then", "else", "steps", "default"].into_iter().map(|key| sequence(node, key));
    lists.chain(cases(node).iter().map(|case| case.value.as_sequence().unwrap_or_default()))
}

pub(super) fn is_loop(node: &Node) -> bool {
    matches!(kind_of(node), "while" | "do-while")
}

pub(super) fn has_loop(steps: &[Node]) -> bool {
    steps.iter().any(|step| is_loop(step) || blocks(step).any(has_loop))
}

/// The most steps of a run: its own, and one for each decision.
pub(super) fn weight(steps: &[Node]) -> u64 {
    let one = |step: &Node| {
        let inner = blocks(step).map(weight).fold(1, u64::saturating_add);
        if is_loop(step) { inner.saturating_mul(iterations(step)).saturating_add(1) } else { inner }
    };
    steps.iter().map(one).fold(1, u64::saturating_add)
}

pub(super) fn iterations(node: &Node) -> u64 {
    text_of(node.get("max_iterations"))
        .and_then(|text| text.parse().ok())
        .filter(|n| *n > 0)
        .unwrap_or(DEFAULT_ITERATIONS)
}

pub(super) fn is_version(text: &str) -> bool {
    let is_number = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()) && (part == "0" || !part.starts_with('0'))
    };
    text.split('.').count() == 3 && text.split('.').all(is_number)
}

/// Whether the result of a step of this type can be tested like this.
pub(super) fn fits(kind: &str, test: &Test) -> bool {
    match test {
        Test::Succeeded(_) => matches!(kind, "command" | "prompt" | "shell"),
        Test::Chose(..) => kind == "gate",
    }
}
