//! What the rules on permissions and on schemas of tools share.

use crate::canon::page::plain_title;
use crate::canon::tool_schema::ToolDocument;
use crate::syntax::sections::Section;
use crate::syntax::yaml_node::{Mapping, Node};

/// A part that permissions have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Always,
    Approval,
    Never,
    Domains,
}

impl Part {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Always, Self::Approval, Self::Never, Self::Domains];

    /// As it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always allowed",
            Self::Approval => "requires approval",
            Self::Never => "never allowed",
            Self::Domains => "approved domains",
        }
    }

    /// By the words of a heading, so that `Needs approval first` and `🚫 Forbidden` count as well.
    pub fn of(section: &Section) -> Option<Self> {
        let title = plain_title(&section.title);
        let has = |words: &[&str]| words.iter().any(|word| title.contains(word));
        match () {
            () if has(&["domain", "host"]) => Some(Self::Domains),
            () if has(&["never", "forbidden", "prohibited", "denied", "not allowed"]) => Some(Self::Never),
            () if has(&["without", "no approval"]) => Some(Self::Always),
            () if has(&["approval", "ask first", "ask before", "confirmation"]) => Some(Self::Approval),
            () => has(&["always", "allowed"]).then_some(Self::Always),
        }
    }
}

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
