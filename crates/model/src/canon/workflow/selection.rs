//! `selection_criteria`: which candidate of a fan-out is used.

use super::setting::{setting, text_of};
use canonry_text::Span;
use canonry_text::node::{Node, SpannedText};

/// Selection of a candidate: those that meet the condition, and of these the best by a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    pub span: Span,
    /// The condition on the output fields that a candidate must meet, such as `passed`.
    pub condition: Option<SpannedText>,
    /// Of several candidates, the best by this field. The first one without it.
    pub best: Option<BestBy>,
    /// A part that canonry does not understand.
    pub unknown: Option<SpannedText>,
}

/// An order of candidates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BestBy {
    /// A numeric output field.
    pub field: SpannedText,
    /// Whether the highest value is the best.
    pub highest: bool,
}

/// Parses `passed AND max(coverage)`, or a mapping with `require_any_passed` and `select_by`.
pub(super) fn parse(node: &Node) -> Option<Selection> {
    let mut selection = Selection { span: node.span, condition: None, best: None, unknown: None };
    if node.as_mapping().is_some() {
        let passed = setting(node, "require_any_passed").filter(|required| required.text == "true");
        let condition = setting(node, "condition");
        selection.condition = condition.or_else(|| Some(SpannedText { text: "passed".to_owned(), span: passed?.span }));
        if let Some(by) = setting(node, "select_by") {
            match best_by(&by) {
                Some(best) => selection.best = Some(best),
                None => selection.unknown = Some(by),
            }
        }
        return Some(selection);
    }
    let text = text_of(node)?;
    let mut conditions = Vec::new();
    for part in text.text.split(" AND ").flat_map(|part| part.split(" and ")).map(str::trim) {
        let part = SpannedText { text: part.to_owned(), span: text.span };
        match best_by(&part) {
            Some(best) if selection.best.is_none() => selection.best = Some(best),
            Some(_) => selection.unknown = Some(part),
            None => conditions.push(part.text),
        }
    }
    let condition = SpannedText { text: conditions.join(" AND "), span: text.span };
    selection.condition = Some(condition).filter(|condition| !condition.text.is_empty());
    Some(selection)
}

/// `max(field)`, `min(field)`, `max_field`, `highest field`, `first`.
fn best_by(text: &SpannedText) -> Option<BestBy> {
    let field = |name: &str| SpannedText { text: name.trim().to_owned(), span: text.span };
    for (word, highest) in [("max", true), ("highest", true), ("min", false), ("lowest", false)] {
        let Some(rest) = text.text.strip_prefix(word) else { continue };
        let name = match rest.trim().strip_prefix('(') {
            Some(inner) => inner.strip_suffix(')')?,
            None => rest.strip_prefix(['_', ' '])?,
        };
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
        return (!name.trim().is_empty() && name.trim().chars().all(is_name))
            .then(|| BestBy { field: field(name), highest });
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::yaml;

    fn selection(yaml_text: &str) -> Selection {
        parse(&yaml::parse(yaml_text, 0).expect("YAML").root).expect("a selection")
    }

    #[test]
    fn text_and_mapping_mean_the_same() {
        for text in ["passed AND max(coverage)", "{require_any_passed: true, select_by: max_coverage}"] {
            let selection = selection(text);
            assert_eq!(selection.condition.map(|condition| condition.text).as_deref(), Some("passed"), "{text}");
            let best = selection.best.expect(text);
            assert_eq!((best.field.text.as_str(), best.highest), ("coverage", true), "{text}");
            assert_eq!(selection.unknown, None, "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_kept_for_a_finding() {
        assert_eq!(selection("{select_by: the nicest}").unknown.map(|part| part.text).as_deref(), Some("the nicest"));
        assert_eq!(selection("max(a) AND min(b)").unknown.map(|part| part.text).as_deref(), Some("min(b)"));
        let selection = selection("score >= 0.5 AND passed");
        assert_eq!(selection.condition.map(|c| c.text).as_deref(), Some("score >= 0.5 AND passed"));
    }
}
