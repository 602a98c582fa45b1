//! See `section_malformed.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_mirror::sections::{SectionErrorKind, Sections};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "section-malformed",
    summary: "malformed section for single tools",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("section_malformed.md"),
    check: Check::Skill(check),
};

const HELP: &str = "write `<!-- canonry: only TOOL, TOOL -->` or `<!-- canonry: except TOOL -->` before the section and \
                    `<!-- canonry: end -->` after it, each on its own line";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(source) = skill.source() else { return };
    for problem in Sections::parse(source.text(), &[]).errors {
        if !matches!(problem.kind, SectionErrorKind::UnknownTool(_)) {
            findings.push(RULE.at(Location::at(source, problem.span), problem.kind.to_string()).help(HELP));
        }
    }
}
