//! The keys of a tool schema, and the records that have them.

use canonry_model::canon::tool_schema::ToolDocument;
use canonry_text::node::{Mapping, Node};

/// The keys of a tool schema that hold lists of strings.
pub(super) const LISTS: [&str; 4] = ["preconditions", "side_effects", "blocked_targets", "blocked_patterns"];
pub(super) const ARGUMENTS: &str = "required_args";
pub(super) const OPTIONAL: &str = "optional_args";
pub(super) const APPROVAL: &str = "requires_approval";
pub(super) const OPERATIONS: &str = "operations";

/// The records in a tool schema: the root, and each of its operations.
pub(super) fn records(document: &ToolDocument) -> Vec<&Mapping> {
    let Some(root) = document.record().and_then(Node::as_mapping) else { return Vec::new() };
    let operations = root.get(OPERATIONS).and_then(|entry| entry.value.as_mapping());
    let each = operations.into_iter().flat_map(|all| &all.entries).filter_map(|entry| entry.value.as_mapping());
    std::iter::once(root).chain(each).collect()
}
