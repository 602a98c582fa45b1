//! What the rules on plans share.

use crate::canon::plan::{Plan, PlanDocument};
use crate::canon::schema::Violation;
use crate::rules::fixes::Yaml;
use crate::syntax::Span;
use crate::syntax::frontmatter::BOM;

/// The plan's text, where it could be read.
pub(super) fn document(plan: &Plan) -> Option<&PlanDocument> {
    plan.document.as_ref().ok()
}

/// The built-in schema's violations whose keyword `is_wanted`. The rules share them out by keyword, so that each is
/// reported once: `additionalProperties`, `enum` and `pattern` have a rule of their own, `plan-schema` has the rest.
pub(super) fn built_in(document: &PlanDocument, is_wanted: fn(&str) -> bool) -> impl Iterator<Item = &Violation> {
    document.violations.iter().filter(move |v| v.team.is_none() && is_wanted(&v.keyword))
}

/// The plan's YAML, to change it.
pub(super) fn yaml(document: &PlanDocument) -> Option<Yaml<'_>> {
    let text = document.source.text();
    let start = text.len() - text.trim_start_matches(BOM).len();
    let span = Span::new(start, text.len());
    Some(Yaml { source: &document.source, span, document: document.yaml.as_ref().ok()? })
}
