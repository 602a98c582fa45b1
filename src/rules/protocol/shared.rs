//! What the rules on permissions and on schemas of tools share.

pub(super) use crate::canon::permissions::PermissionSection;
use crate::canon::tool_schema::ToolDocument;
use crate::syntax::yaml_node::{Mapping, Node};

/// The keys of a tool's schema whose values have a form of their own.
pub(super) const LISTS: [&str; 4] = ["preconditions", "side_effects", "blocked_targets", "blocked_patterns"];
pub(super) const ARGUMENTS: &str = "required_args";
pub(super) const APPROVAL: &str = "requires_approval";
pub(super) const OPERATIONS: &str = "operations";

/// The records in a tool's schema: the whole, and each of its operations.
pub(super) fn records(document: &ToolDocument) -> Vec<&Mapping> {
    let Some(whole) = document.record().and_then(Node::as_mapping) else { return Vec::new() };
    let operations = whole.get(OPERATIONS).and_then(|entry| entry.value.as_mapping());
    let each = operations.into_iter().flat_map(|all| &all.entries).filter_map(|entry| entry.value.as_mapping());
    std::iter::once(whole).chain(each).collect()
}
