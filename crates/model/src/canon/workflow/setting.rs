//! Scalar settings of workflows.

use canonry_text::node::{Node, ScalarKind, SpannedText};

/// The value of a key, if it is not empty. A list or mapping becomes a placeholder text, so that the rule for the key
/// reports it as invalid.
pub(super) fn setting(node: &Node, key: &str) -> Option<SpannedText> {
    node.get(key).and_then(setting_of)
}

pub(super) fn setting_of(node: &Node) -> Option<SpannedText> {
    let text = match node.as_scalar() {
        Some(scalar) if scalar.kind == ScalarKind::Null || scalar.text.trim().is_empty() => return None,
        Some(scalar) => scalar.text.clone(),
        None if node.as_sequence().is_some() => "[…]".to_owned(),
        None => "{…}".to_owned(),
    };
    Some(SpannedText { text, span: node.span })
}

pub(super) fn text_of(node: &Node) -> Option<SpannedText> {
    node.as_scalar().and_then(|_| setting_of(node))
}
