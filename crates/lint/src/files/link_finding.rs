//! Findings about a link that several places name.

use super::links::LinkReference;
use crate::{Defaults, Finding, Rule};
use canonry_model::finding::{Location, Severity};
use canonry_text::{Source, Span};
use std::sync::Arc;

impl LinkReference<'_> {
    /// A finding at the first location, with the others as related locations.
    pub fn finding(&self, rule: &'static Rule, source: &Arc<Source>, message: String) -> Finding {
        let mut locations = self.spans.iter().map(|span| Location::at(source, *span));
        let Some(first) = locations.next() else { return rule.at(Location::file(source.path()), message) };
        let finding = locations
            .fold(rule.at(first, message), |finding, location| finding.related(location, "also referenced here"));
        match self.doubt {
            Some(fence) => in_doubt(finding, source, fence),
            None => finding,
        }
    }
}

/// A finding about a link that may be part of a sample, because a block above it ends too early.
pub(super) fn in_doubt(finding: Finding, source: &Arc<Source>, fence: usize) -> Finding {
    let line = source.text()[fence..].lines().next().unwrap_or_default();
    let start = fence + line.len() - line.trim_start().len();
    let location = Location::at(source, Span::new(start, fence + line.trim_end().len()));
    finding
        .related(location, "the block around this fence ends too early, so the link may be part of an example")
        .severity(Defaults::both(Severity::Info))
}
