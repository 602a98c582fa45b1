//! See `key_dropped.md`.

use super::known_keys::{self, KnownKey, Reader};
use crate::config::Target;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, ConfiguredSkill, Defaults, RawFindings, Rule};
use crate::syntax::yaml_node::MappingEntry;

pub(super) static RULE: Rule = Rule {
    id: "key-dropped",
    summary: "a key that changes how a skill runs, and that a configured target does not read",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("key_dropped.md"),
    check: Check::ConfiguredSkill(check),
};

/// Keys that only show something to people: nothing is lost that changes what an agent does.
const HARMLESS: [&str; 1] = ["argument-hint"];

/// Keys with the value that means the same as no key.
const DEFAULTS: [(&str, &str); 3] =
    [("disable-model-invocation", "false"), ("user-invocable", "true"), ("background", "false")];

fn check(ConfiguredSkill { skill, config }: &ConfiguredSkill<'_>, findings: &mut RawFindings) {
    let (Some(source), Some(fields)) = (skill.source(), skill.fields()) else { return };
    for entry in fields.entries.iter().filter(|entry| says_something(entry)) {
        let Some(known) = known_keys::find(&entry.key).filter(|known| is_of_tools(known)) else { continue };
        let droppers: Vec<&str> =
            config.targets.iter().filter(|target| drops(known, **target)).map(|target| target.name()).collect();
        if droppers.is_empty() {
            continue;
        }
        let message = format!(
            "`{}` is a key of {}: the {} {} it",
            known.key,
            known.readers_in_words(),
            targets_in_words(&droppers),
            if droppers.len() == 1 { "drops" } else { "drop" }
        );
        let help = "say in the text what matters everywhere, or take the targets that drop it out of `targets`";
        findings.push(RawFinding::new(Location::at(source, entry.key_span), message).help(help));
    }
}

fn says_something(entry: &MappingEntry) -> bool {
    let text = entry.value.as_scalar().map(|scalar| scalar.text.as_str());
    let is_default = DEFAULTS.iter().any(|(key, value)| entry.key == *key && text == Some(value));
    !entry.value.is_null() && !is_default && !HARMLESS.contains(&entry.key.as_str())
}

/// Keys of the canon are read from the canon; no tool is meant to have them.
fn is_of_tools(known: &KnownKey) -> bool {
    known.readers.iter().all(|reader| matches!(reader, Reader::Tool(_)))
}

/// `.agents/skills` is read by several tools, Cursor among them; one that reads the key is enough to leave it be.
fn drops(known: &KnownKey, target: Target) -> bool {
    let reads = |target| known.is_read_by(target);
    let by_cursor = target == Target::Agents && reads(Target::Cursor);
    !reads(target) && !by_cursor
}

fn targets_in_words(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("targets {} and {last}", rest.join(", ")),
        _ => format!("target {}", quoted.join("")),
    }
}
