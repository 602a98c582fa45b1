//! Evaluator loops: one worker produces, another evaluates, until the product is good enough.

use super::setting::setting;
use canonry_text::Span;
use canonry_text::node::{MappingEntry, Node, ScalarKind, SpannedText};

/// A generator and its evaluator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluatorLoop {
    pub span: Span,
    /// The role that produces.
    pub generator: SpannedText,
    /// The role that evaluates.
    pub evaluator: SpannedText,
    /// Thresholds for the evaluator's output. Without any, its `passed`.
    pub thresholds: Vec<Threshold>,
    /// Whether the generator is given the evaluator's output.
    pub feedback: bool,
}

/// A bound that the evaluator's output must meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threshold {
    pub span: Span,
    /// The condition in the language of routes, such as `test_coverage >= 80`. `None` if canonry does not understand the bound.
    pub condition: Option<String>,
}

/// The evaluator loop of a step, if it has both roles.
pub(super) fn parse(step: &Node) -> Option<EvaluatorLoop> {
    let generator = setting(step, "generator")?;
    let evaluator = setting(step, "evaluator")?;
    let feedback = step.get("on_fail").and_then(|on_fail| on_fail.get("feedback_to_generator"));
    let thresholds = step.get("quality_threshold").map(thresholds).unwrap_or_default();
    Some(EvaluatorLoop {
        span: evaluator.span,
        generator,
        evaluator,
        thresholds,
        // What a generator does not know, it repeats.
        feedback: feedback.and_then(Node::as_scalar).is_none_or(|scalar| scalar.kind != ScalarKind::Bool(false)),
    })
}

/// `0.8`, a condition, or a mapping of bounds.
fn thresholds(node: &Node) -> Vec<Threshold> {
    if let Some(mapping) = node.as_mapping() {
        return mapping.entries.iter().map(bound).collect();
    }
    let Some(text) = node.spanned_text() else { return vec![Threshold { span: node.span, condition: None }] };
    let condition = match number(&text.text) {
        Some(number) => format!("score >= {number}"),
        None => text.text,
    };
    vec![Threshold { span: node.span, condition: Some(condition) }]
}

/// `min_FIELD: 80%`, `max_FIELD: 3`, `FIELD: true`, `FIELD: 0.9`.
fn bound(entry: &MappingEntry) -> Threshold {
    let key = entry.key.as_str();
    let value = entry.value.as_scalar();
    let condition = value.and_then(|value| match (&value.kind, number(&value.text)) {
        (ScalarKind::Bool(wanted), _) => Some(format!("{key} == {wanted}")),
        (_, Some(number)) => Some(match (key.strip_prefix("min_"), key.strip_prefix("max_")) {
            (Some(field), _) => format!("{field} >= {number}"),
            (_, Some(field)) => format!("{field} <= {number}"),
            _ => format!("{key} >= {number}"),
        }),
        (ScalarKind::String, None) if !value.text.contains(char::is_whitespace) => {
            Some(format!("{key} == {}", value.text))
        }
        _ => None,
    });
    Threshold { span: entry.value.span, condition }
}

/// A number, possibly with a percent sign.
fn number(text: &str) -> Option<&str> {
    let bare = text.strip_suffix('%').unwrap_or(text).trim();
    bare.parse::<f64>().is_ok_and(f64::is_finite).then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::yaml;

    fn conditions(threshold: &str) -> Vec<Option<String>> {
        let text = format!("generator: a\nevaluator: b\nquality_threshold: {threshold}\n");
        let step = yaml::parse(&text, 0).expect("YAML").root;
        parse(&step).expect("a loop").thresholds.into_iter().map(|threshold| threshold.condition).collect()
    }

    #[test]
    fn bounds_become_conditions() {
        for (threshold, wanted) in [
            ("0.8", vec![Some("score >= 0.8")]),
            ("passed", vec![Some("passed")]),
            (
                "{min_coverage: 80%, all_tests_passed: true}",
                vec![Some("coverage >= 80"), Some("all_tests_passed == true")],
            ),
            ("{max_warnings: 3, grade: A}", vec![Some("warnings <= 3"), Some("grade == A")]),
            ("{tone: [polite]}", vec![None]),
        ] {
            let wanted: Vec<Option<String>> = wanted.into_iter().map(|c| c.map(str::to_owned)).collect();
            assert_eq!(conditions(threshold), wanted, "{threshold}");
        }
    }
}
