//! See `schema_unbound.md`.

use crate::canon::schema_file::SchemaFile;
use crate::config::closest_match;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "schema-unbound",
    summary: "a schema file whose name binds it to nothing",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("schema_unbound.md"),
    check: Check::SchemaFile(check),
};

const NAMES: [&str; 5] =
    ["skill-schema.json", "plan-schema.json", "report-schema.json", "episode-schema.json", "workflow-schema.json"];

fn check(file: &SchemaFile, findings: &mut RawFindings) {
    if file.kind.is_some() {
        return;
    }
    let name = file.path().file_name_lossy();
    let message = format!("no document is checked against `{name}`: its name binds it to nothing");
    findings.push(RawFinding::new(Location::file(file.path()), message).help(match meant(&name) {
        Some(known) => format!("did you mean `{known}`?"),
        None => format!("names that bind: {}", NAMES.join(", ")),
    }));
}

/// A kind's word among the name's words says more than its letters do: `plan.schema.v2.json` means plans.
fn meant(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let kind = words.find_map(|word| {
        let is_kind = |known: &&&str| {
            known.split('-').next().is_some_and(|kind| word == kind || word.strip_suffix('s') == Some(kind))
        };
        NAMES.iter().find(is_kind).copied()
    });
    kind.or_else(|| closest_match(&lower, NAMES))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::schema::SchemaKind;
    use crate::syntax::RepoPath;

    #[test]
    fn the_names_are_those_that_bind() {
        assert!(NAMES.iter().all(|name| SchemaKind::from_team_file(&RepoPath::from(*name)).is_some()));
    }

    #[test]
    fn misspelt_names_are_understood() {
        for (name, want) in [
            ("plan.schema.json", Some("plan-schema.json")),
            ("skills-schema.json", Some("skill-schema.json")),
            ("paln-schema.json", Some("plan-schema.json")),
            ("house-style.json", None),
        ] {
            assert_eq!(meant(name), want, "{name}");
        }
    }
}
