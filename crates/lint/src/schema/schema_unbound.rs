//! Part of `schema-invalid`: schema file with an unknown name.

use super::schema_invalid::RULE;
use crate::Finding;
use canonry_model::canon::schema::{SchemaFile, SchemaKind};
use canonry_model::finding::Location;
use canonry_text::closest_match;
use serde_json::Value;

pub(super) fn check(file: &SchemaFile, findings: &mut Vec<Finding>) {
    if file.kind.is_some() || is_for_editors(file) {
        return;
    }
    let name = file.path().file_name_lossy();
    let message = format!("the name `{name}` does not belong to a kind of document, so nothing is checked against it");
    let (stem, extension) = name.rsplit_once('.').unwrap_or((&name, "json"));
    findings.push(RULE.at(Location::file(file.path()), message).help(match intended_name(stem) {
        Some(known) => format!("did you mean `{known}.{extension}`?"),
        None => format!("rename it to one of {}, with the extension `.{extension}`", known_names().join(", ")),
    }));
}

/// Whether the file is a copy of a built-in schema, which editors read.
fn is_for_editors(file: &SchemaFile) -> bool {
    let json: Option<Value> = serde_json::from_str(file.source.text()).ok();
    let id = json.as_ref().and_then(|json| json.get("$id")?.as_str());
    id.is_some_and(|id| id.starts_with("urn:canonry:schema:"))
}

fn known_names() -> Vec<String> {
    SchemaKind::ALL.into_iter().filter_map(SchemaKind::team_stem).collect()
}

/// The most likely intended name. The word for a kind takes precedence over similarity: `plan.schema.v2.json` means plans.
fn intended_name(stem: &str) -> Option<String> {
    let lower = stem.to_lowercase();
    let known = known_names();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let kind = words.find_map(|word| {
        let is_kind = |known: &&String| {
            known.split('-').next().is_some_and(|kind| word == kind || word.strip_suffix('s') == Some(kind))
        };
        known.iter().find(is_kind).cloned()
    });
    kind.or_else(|| closest_match(&lower, known.iter().map(String::as_str)).map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_a_name_for_misspellings() {
        for (name, want) in [
            ("plan.schema", Some("plan-schema")),
            ("skills-schema", Some("skill-schema")),
            ("paln-schema", Some("plan-schema")),
            ("house-style", None),
        ] {
            assert_eq!(intended_name(name).as_deref(), want, "{name}");
        }
    }
}
