//! See `key_dropped.md`.

use super::known_keys::{self, KeyReader, KnownKey};
use crate::{Check, ConfiguredSkill, Defaults, Finding, Rule};
use canonry_model::config::Target;
use canonry_model::finding::{Location, Severity};
use canonry_text::node::MappingEntry;

pub(super) static RULE: Rule = Rule {
    id: "key-dropped",
    summary: "frontmatter key that a configured target ignores",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("key_dropped.md"),
    check: Check::ConfiguredSkill(check),
};

/// Keys that only change what a user sees in a menu, and not what an agent does.
const HARMLESS: [&str; 2] = ["argument-hint", "user-invocable"];

/// Keys and the value that is equivalent to omitting them.
const DEFAULTS: [(&str, &str); 2] = [("disable-model-invocation", "false"), ("background", "false")];

fn check(ConfiguredSkill { skill, config }: &ConfiguredSkill<'_>, findings: &mut Vec<Finding>) {
    let (Some(source), Some(fields)) = (skill.source(), skill.fields()) else { return };
    for entry in fields.entries.iter().filter(|entry| is_effective(entry)) {
        let Some(known) = known_keys::find(&entry.key).filter(|known| is_for_tools(known)) else { continue };
        let ignoring: Vec<&str> =
            config.targets.iter().filter(|target| ignores(known, **target)).map(|target| target.name()).collect();
        if ignoring.is_empty() {
            continue;
        }
        let message = format!(
            "`{}` is a key of {}; the {} {} it",
            known.key,
            known.reader_names(),
            format_targets(&ignoring),
            if ignoring.len() == 1 { "ignores" } else { "ignore" }
        );
        let help = "state in the body what all tools need to know, or remove these targets from `targets`";
        findings.push(RULE.at(Location::at(source, entry.key_span), message).help(help));
    }
}

fn is_effective(entry: &MappingEntry) -> bool {
    let text = entry.value.as_scalar().map(|scalar| scalar.text.as_str());
    let is_default = DEFAULTS.iter().any(|(key, value)| entry.key == *key && text == Some(value));
    !entry.value.is_null() && !is_default && !HARMLESS.contains(&entry.key.as_str())
}

/// Whether the key is for tools. Keys for the canon are not expected to have an effect in a tool.
fn is_for_tools(known: &KnownKey) -> bool {
    known.readers.iter().all(|reader| matches!(reader, KeyReader::Tool(_)))
}

/// Several tools read `.agents/skills`, among them Cursor. The key counts as read there if one of them reads it.
fn ignores(known: &KnownKey, target: Target) -> bool {
    let reads = |target| known.is_read_by(target);
    let by_cursor = target == Target::AGENTS && reads(Target::CURSOR);
    !reads(target) && !by_cursor
}

fn format_targets(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("targets {} and {last}", rest.join(", ")),
        _ => format!("target {}", quoted.join("")),
    }
}
