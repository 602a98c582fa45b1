//! See `compatibility_unmet.md`.

use super::compatibility_ungated;
use super::compatibility_ungated::target_of;
use crate::{Check, ConfiguredSkill, Defaults, Finding, Rule};
use canonry_model::canon::compatibility::minimum_versions;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "compatibility-unmet",
    summary: "skill is mirrored to a tool, or a version of it, that it does not support",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("compatibility_unmet.md"),
    check: Check::Each(&[
        Check::ConfiguredSkill(check),
        Check::At(Defaults::both(Severity::Info), &Check::ConfiguredSkill(compatibility_ungated::check)),
    ]),
};

fn check(ConfiguredSkill { skill, config }: &ConfiguredSkill<'_>, findings: &mut Vec<Finding>) {
    let (Some(source), Some((text, span))) = (skill.source(), skill.text_field("compatibility")) else { return };
    for minimum in minimum_versions(text) {
        let Some(target) = target_of(minimum.product).filter(|target| config.targets.contains(target)) else {
            continue;
        };
        let Some(used) = config.versions.get(&target) else { continue };
        if used.is_at_least(&minimum.version) {
            continue;
        }
        let message = format!(
            "`compatibility` requires {} {}, but `versions` in the config says {used}",
            minimum.product, minimum.version
        );
        let help = format!(
            "update the tool and its version in the config, or set `requires: {{{}: \">={}\"}}` for the skill in `skills` in the config, so that it is not mirrored there",
            target.name(),
            minimum.version
        );
        findings.push(RULE.at(Location::at(source, span), message).help(help));
    }
}
