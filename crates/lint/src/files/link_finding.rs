//! Findings about a link that several places name.

use super::links::LinkReference;
use crate::{Finding, Rule};
use canonry_model::finding::Location;
use canonry_text::Source;
use std::sync::Arc;

impl LinkReference<'_> {
    /// A finding at the first location, with the others as related locations.
    pub fn finding(&self, rule: &'static Rule, source: &Arc<Source>, message: String) -> Finding {
        let mut locations = self.spans.iter().map(|span| Location::at(source, *span));
        let Some(first) = locations.next() else { return rule.at(Location::file(source.path()), message) };
        locations.fold(rule.at(first, message), |finding, location| finding.related(location, "also referenced here"))
    }
}
