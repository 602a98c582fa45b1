//! Proves that a document matches a schema without compiling the schema.
//!
//! Compiling takes longer than everything else that a hook does with a short config. The proof knows the common keywords
//! and is one-sided: if it fails, the validator decides and finds the violations.

use serde_json::{Map, Value as Json};

/// The deepest nesting of references and values that it follows.
const DEPTH: usize = 32;

/// Whether a document surely matches a schema.
pub(super) fn is_surely_valid(schema: &Json, document: &Json) -> bool {
    Proof { root: schema }.holds(schema, document, DEPTH)
}

struct Proof<'s> {
    root: &'s Json,
}

impl Proof<'_> {
    fn holds(&self, schema: &Json, value: &Json, depth: usize) -> bool {
        let (Json::Object(keywords), Some(depth)) = (schema, depth.checked_sub(1)) else {
            return schema == &Json::Bool(true);
        };
        keywords.iter().all(|(keyword, wanted)| match keyword.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" | "default" => true,
            "$ref" => self.target(wanted).is_some_and(|target| self.holds(target, value, depth)),
            "type" => has_type(wanted, value),
            "enum" => wanted.as_array().is_some_and(|allowed| allowed.contains(value)),
            "properties" | "additionalProperties" => self.members_hold(keywords, value, depth),
            "required" => has_all(wanted, value),
            "items" => value.as_array().is_none_or(|items| items.iter().all(|item| self.holds(wanted, item, depth))),
            "minItems" => value.as_array().is_none_or(|items| is_at_least(items.len(), wanted)),
            "uniqueItems" => value.as_array().is_none_or(|items| items.len() < 2 || is_distinct(items)),
            "minLength" => value.as_str().is_none_or(|text| is_at_least(text.chars().count(), wanted)),
            "minimum" => compares(value, wanted, |own, limit| own >= limit),
            "exclusiveMinimum" => compares(value, wanted, |own, limit| own > limit),
            "maximum" => compares(value, wanted, |own, limit| own <= limit),
            _ => false,
        })
    }

    /// A reference within the schema.
    fn target(&self, reference: &Json) -> Option<&Json> {
        self.root.pointer(reference.as_str()?.strip_prefix('#')?)
    }

    fn members_hold(&self, keywords: &Map<String, Json>, value: &Json, depth: usize) -> bool {
        let Some(members) = value.as_object() else { return true };
        let listed = keywords.get("properties").and_then(Json::as_object);
        let others = keywords.get("additionalProperties").unwrap_or(&Json::Bool(true));
        members.iter().all(|(key, member)| {
            let schema = listed.and_then(|listed| listed.get(key)).unwrap_or(others);
            self.holds(schema, member, depth)
        })
    }
}

fn has_type(wanted: &Json, value: &Json) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        _ => false,
    };
    match wanted {
        Json::String(name) => is(name),
        Json::Array(names) => names.iter().filter_map(Json::as_str).any(is),
        _ => false,
    }
}

fn has_all(names: &Json, value: &Json) -> bool {
    let (Some(names), Some(members)) = (names.as_array(), value.as_object()) else { return !value.is_object() };
    names.iter().all(|name| name.as_str().is_some_and(|name| members.contains_key(name)))
}

fn is_at_least(count: usize, least: &Json) -> bool {
    least.as_u64().is_some_and(|least| count as u64 >= least)
}

fn is_distinct(items: &[Json]) -> bool {
    // Strings only: numbers can be equal in several forms.
    let mut texts: Vec<&str> = items.iter().filter_map(Json::as_str).collect();
    texts.sort_unstable();
    texts.windows(2).all(|pair| pair[0] != pair[1]) && texts.len() == items.len()
}

fn compares(value: &Json, limit: &Json, is_within: fn(f64, f64) -> bool) -> bool {
    // Beyond 2^53 a float is not exact.
    let exact = |number: &Json| number.as_f64().filter(|number| number.abs() < 9_007_199_254_740_992.0);
    if !value.is_number() {
        return true;
    }
    matches!((exact(value), exact(limit)), (Some(own), Some(limit)) if is_within(own, limit))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::schema::{SchemaKind, built_in_json, compile};
    use proptest::prelude::*;
    use serde_json::json;

    fn value() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![
            Just(Json::Null),
            any::<bool>().prop_map(Json::from),
            (-3i64..200).prop_map(Json::from),
            (-3.0f64..5.0).prop_map(Json::from),
            Just(json!(1.0)),
            prop::sample::select(vec!["", "a", "auto", "map", "ask", "deny", "review", "error", "agent", "3h"])
                .prop_map(Json::from),
        ];
        leaf.prop_recursive(3, 12, 4, |inner| {
            let key = prop::sample::select(vec!["a", "claude", "hooks", "agents", "context", "permissions", "fail"]);
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                prop::collection::btree_map(key, inner, 0..4).prop_map(|map| Json::Object(
                    map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
                )),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_proved_is_valid(members in prop::collection::vec((any::<prop::sample::Index>(), value()), 0..4)) {
            let schema = built_in_json(SchemaKind::Config);
            let keys: Vec<String> = schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key.clone()).collect();
            let document = Json::Object(
                members.into_iter().map(|(at, value)| (keys[at.index(keys.len())].clone(), value)).collect(),
            );
            if is_surely_valid(&schema, &document) {
                prop_assert!(compile(&schema).is_ok_and(|validator| validator.is_valid(&document)), "{document}");
            }
        }
    }

    #[test]
    fn ordinary_configs_are_proved() {
        let schema = built_in_json(SchemaKind::Config);
        for document in [
            json!({}),
            json!({"root": "agent", "hooks": {"fail": "closed", "allow": true, "hosts": "deny"}}),
            json!({"files": {"agents": {"context": "map"}, "claude": {"context": "import", "hooks": true}}}),
            json!({"memory": {"promotion": "review"}}),
        ] {
            assert!(is_surely_valid(&schema, &document), "{document}");
        }
        assert!(!is_surely_valid(&schema, &json!({"hooks": {"fail": "never"}})));
        assert!(!is_surely_valid(&schema, &json!({"unknown": 1})));
    }

    #[test]
    fn each_keyword_counts() {
        for (schema, value, want) in [
            (json!({"type": "integer", "minimum": 1, "maximum": 3}), json!(2), true),
            (json!({"type": "integer", "minimum": 1, "maximum": 3}), json!(4), false),
            (json!({"type": "integer"}), json!(1.5), false),
            (json!({"exclusiveMinimum": 0}), json!(0), false),
            (json!({"enum": ["a", false]}), json!(false), true),
            (json!({"enum": ["a", false]}), json!("b"), false),
            (json!({"type": ["string", "null"]}), json!(null), true),
            (json!({"properties": {"a": {"type": "string"}}, "additionalProperties": false}), json!({"a": "x"}), true),
            (json!({"properties": {"a": {"type": "string"}}, "additionalProperties": false}), json!({"b": "x"}), false),
            (json!({"properties": {"a": {"type": "string"}}}), json!({"b": 1}), true),
            (json!({"required": ["a"]}), json!({"b": 1}), false),
            (json!({"items": {"minLength": 1}, "minItems": 1, "uniqueItems": true}), json!(["a", "b"]), true),
            (json!({"items": {"minLength": 1}}), json!([""]), false),
            (json!({"minItems": 1}), json!([]), false),
            (json!({"uniqueItems": true}), json!(["a", "a"]), false),
            (json!({"$defs": {"x": {"type": "null"}}, "$ref": "#/$defs/x"}), json!(null), true),
            (json!({"$defs": {"x": {"type": "null"}}, "$ref": "#/$defs/x"}), json!(1), false),
            (json!({"$ref": "#"}), json!(1), false),
            (json!({"pattern": "a"}), json!("a"), false),
        ] {
            assert_eq!(is_surely_valid(&schema, &value), want, "{schema} {value}");
        }
    }
}
