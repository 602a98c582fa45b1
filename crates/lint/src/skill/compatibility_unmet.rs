//! See `compatibility_unmet.md`.

use crate::{Check, ConfiguredSkill, Defaults, Finding, Rule};
use canonry_mirror::document::declared_targets;
use canonry_model::config::Target;
use canonry_model::config::compatibility::minimum_versions;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "compatibility-unmet",
    summary: "skill is mirrored to a tool, or a version of it, that it does not support",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("compatibility_unmet.md"),
    check: Check::Each(&[
        Check::ConfiguredSkill(check),
        Check::At(Defaults::both(Severity::Info), &Check::ConfiguredSkill(check_targets)),
    ]),
};

/// Prefixes of a sentence that restricts the skill to one tool.
const PREFIXES: [&str; 2] = ["Requires ", "Designed for "];

fn check(ConfiguredSkill { skill, config }: &ConfiguredSkill<'_>, findings: &mut Vec<Finding>) {
    let (Some(source), Some((text, span))) = (skill.source(), skill.text_field("compatibility")) else { return };
    for minimum in minimum_versions(text) {
        let tool = minimum.tool;
        let Some(used) = config.versions.get(&tool).filter(|_| config.targets.contains(&tool)) else { continue };
        if used.is_at_least(&minimum.version) {
            continue;
        }
        let message = format!(
            "`compatibility` requires {} {}, but `versions` in the config says {used}",
            tool.title(),
            minimum.version
        );
        let help = format!(
            "update the tool and its version in the config, or set `requires: {{{}: \">={}\"}}` for the skill in `skills` in the config, so that it is not mirrored there",
            tool.name(),
            minimum.version
        );
        findings.push(RULE.at(Location::at(source, span), message).help(help));
    }
}

/// Skill for one tool is mirrored to others.
fn check_targets(ConfiguredSkill { skill, config }: &ConfiguredSkill<'_>, findings: &mut Vec<Finding>) {
    let (Some(source), Some((text, span))) = (skill.source(), skill.text_field("compatibility")) else { return };
    let Some(target) = only_tool(text) else { return };
    // The target `agents` counts as another tool, because several tools read `.agents/skills`.
    let others: Vec<&str> = config.targets.iter().filter(|other| **other != target).map(|other| other.name()).collect();
    if others.is_empty() || declared_targets(source.text(), &config.targets).is_some() {
        return;
    }
    let message =
        format!("`compatibility` requires {}, but the skill is also mirrored to {}", target.title(), others.join(", "));
    let help = format!(
        "if no other tool can use the skill, set `canonry-targets: {0}` in its `metadata`, or `targets: [{0}]` for it in `skills` in the config",
        target.name()
    );
    findings.push(RULE.at(Location::at(source, span), message).help(help));
}

/// The tool that a text names at its start, if it names no other.
fn only_tool(text: &str) -> Option<Target> {
    let rest = PREFIXES.iter().find_map(|prefix| text.trim_start().strip_prefix(prefix))?;
    let (tool, rest) = Target::DEFAULT.iter().find_map(|tool| Some((*tool, rest.strip_prefix(tool.title())?)))?;
    let is_whole_word = rest.chars().next().is_none_or(|next| !next.is_alphanumeric());
    let is_alone = Target::DEFAULT.iter().filter(|tool| text.contains(tool.title())).count() == 1;
    (is_whole_word && is_alone).then_some(tool)
}
