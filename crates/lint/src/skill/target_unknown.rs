//! See `target_unknown.md`.

use crate::{Check, ConfiguredSkill, Defaults, Finding, Rule};
use canonry_mirror::document::unknown_targets;
use canonry_mirror::sections::{SectionErrorKind, Sections};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "target-unknown",
    summary: "unknown target in a skill",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("target_unknown.md"),
    check: Check::ConfiguredSkill(check),
};

fn check(ConfiguredSkill { skill, config }: &ConfiguredSkill<'_>, findings: &mut Vec<Finding>) {
    let Some(source) = skill.source() else { return };
    let mut unknown = unknown_targets(source.text(), &config.configured);
    for problem in Sections::parse(source.text(), &config.configured).errors {
        if let SectionErrorKind::UnknownTool(name) = problem.kind {
            unknown.push((problem.span, name));
        }
    }
    for (span, name) in unknown {
        let help = "use a target name of the config; until then, the mirrors of the skill stay unchanged";
        findings.push(RULE.at(Location::at(source, span), name.to_string()).help(help));
    }
}
