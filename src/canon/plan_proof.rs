//! Proves that an ordinary plan matches the built-in schema.
//!
//! A schema validator needs a plan as JSON: for 10,000 steps, the copy and the validation take longer than everything else.
//! The proof reads the nodes in place. It is one-sided: if it fails, the validator decides and finds the violations.

use crate::syntax::node::{MappingEntry, Node, ScalarKind};

/// Whether a plan surely matches the built-in schema.
pub(super) fn is_surely_valid(root: &Node) -> bool {
    let is_valid = |entry: &MappingEntry| match entry.key.as_str() {
        "id" => is_text(&entry.value),
        "title" | "goal" | "description" => entry.value.as_str().is_some(),
        "version" => entry.value.as_str().is_some() || number(&entry.value).is_some(),
        "metadata" => entry.value.as_mapping().is_some(),
        "steps" => all(&entry.value, is_step),
        _ => false,
    };
    root.as_mapping().is_some_and(|plan| plan.get("steps").is_some() && plan.entries.iter().all(is_valid))
}

fn is_step(node: &Node) -> bool {
    let Some(step) = node.as_mapping() else { return false };
    let (mut has_id, mut has_owner) = (false, false);
    step.entries.iter().all(|MappingEntry { key, value, .. }| match key.as_str() {
        "id" => {
            has_id = true;
            is_text(value)
        }
        "owner" => {
            has_owner = true;
            is_text(value)
        }
        "description" => value.as_str().is_some(),
        "status" => matches!(value.as_str(), Some("pending" | "in_progress" | "complete" | "blocked")),
        "deps" | "files" => all(value, is_text),
        "parallel" | "approval" => value.as_scalar().is_some_and(|scalar| matches!(scalar.kind, ScalarKind::Bool(_))),
        "criteria" | "risk_notes" => value.as_str().is_some() || all(value, |item| item.as_str().is_some()),
        "commands" => all(value, |item| item.as_str().is_some_and(is_command)),
        "max_diff_lines" => number(value).and_then(serde_json::Number::as_u64).is_some_and(|lines| lines >= 1),
        _ => false,
    }) && has_id
        && has_owner
}

fn all(node: &Node, is_valid: fn(&Node) -> bool) -> bool {
    node.as_sequence().is_some_and(|items| items.iter().all(is_valid))
}

fn is_text(node: &Node) -> bool {
    node.as_str().is_some_and(|text| !text.is_empty())
}

fn number(node: &Node) -> Option<&serde_json::Number> {
    match &node.as_scalar()?.kind {
        ScalarKind::Number(number) => Some(number),
        _ => None,
    }
}

/// `Run: …` or `Read: …` that starts with a visible ASCII character.
fn is_command(text: &str) -> bool {
    let command = text.strip_prefix("Run:").or_else(|| text.strip_prefix("Read:"));
    command.is_some_and(|command| command.trim_start_matches(' ').starts_with(|first: char| first.is_ascii_graphic()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::schema::{SchemaKind, Schemas, built_in_json};
    use crate::syntax::yaml;
    use proptest::prelude::*;
    use proptest::sample::{select, subsequence};

    /// The keys of a plan or step in the schema, and one that is not.
    fn keys(pointer: &str) -> Vec<String> {
        let schema = built_in_json(SchemaKind::Plan);
        let known = schema.pointer(pointer).and_then(|properties| properties.as_object()).into_iter().flatten();
        known.map(|(key, _)| key.clone()).chain(["unknown".to_owned()]).collect()
    }

    /// Values of all types for every key, and often one that suits it.
    fn mapping(pointer: &str) -> impl Strategy<Value = String> + use<> {
        let any = select(vec![
            "a",
            "''",
            "' '",
            "1",
            "0",
            "-1",
            "1.0",
            "1.5",
            "true",
            "~",
            "",
            "pending",
            "done",
            "[]",
            "[a]",
            "[1]",
            "['']",
            "[[a]]",
            "[~]",
            "{}",
            "{a: 1}",
            "99999999999999999999",
            "['Run: x']",
            "['Run:']",
            "['Run:  ']",
            "['Read:x', 'run: y']",
            "[\"Run: \\n\"]",
            "['Run: é']",
            "[\"Run:\\tx\"]",
            "'Run: x'",
            "['xRun: y']",
            "\"[]\"",
        ]);
        let keys = keys(pointer);
        let count = keys.len();
        (subsequence(keys, 0..=count), proptest::collection::vec((any, 0..8_u8), count)).prop_map(|(keys, values)| {
            let entries = keys.iter().zip(values).map(|(key, (any, dice))| {
                let suitable = match key.as_str() {
                    "status" => "complete",
                    "deps" | "files" | "criteria" | "risk_notes" => "[a, b]",
                    "steps" => "[{id: a, owner: b}]",
                    "commands" => "['Run: x', 'Read:   y']",
                    "parallel" | "approval" => "true",
                    "max_diff_lines" => "7",
                    "metadata" => "{a: b}",
                    _ => "text",
                };
                format!("{key}: {}", if dice == 0 { any } else { suitable })
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        })
    }

    /// Whether a plan is proved. What is proved must match the schema.
    fn is_proved(text: &str) -> bool {
        let root = yaml::parse(text, 0).unwrap().root;
        let is_sure = is_surely_valid(&root);
        assert!(!is_sure || Schemas::default().allow(SchemaKind::Plan, &root.to_json()), "{text}");
        is_sure
    }

    proptest! {
        #[test]
        fn what_is_proved_matches_the_schema(plan in mapping("/properties"), steps in proptest::collection::vec(mapping("/$defs/step/properties"), 0..3)) {
            is_proved(&plan);
            is_proved(&format!("{{steps: [{}]}}", steps.join(", ")));
        }
    }

    #[test]
    fn ordinary_plans_are_proved() {
        for text in [
            "steps: []",
            "{id: a, title: b, goal: '', description: c, version: 1, metadata: {}, steps: [{id: a, owner: b}]}",
            "steps: [{id: a, owner: b, description: '', status: blocked, deps: [c], parallel: true, criteria: [d], commands: ['Run: e'], files: [f], \
             approval: false, max_diff_lines: 5, risk_notes: g}]",
        ] {
            assert!(is_proved(text), "{text}");
        }
        for text in ["a", "goal: a", "steps: [{id: a}]", "steps: [{owner: a}]", "steps: [a]"] {
            assert!(!is_proved(text), "{text}");
        }
    }
}
