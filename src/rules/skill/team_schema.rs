//! See `team_schema.md`.

use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "team-schema",
    summary: "frontmatter that breaks the team's own schema",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("team_schema.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, drafts: &mut RawFindings) {
    let Some(source) = skill.source() else { return };
    for violation in skill.violations() {
        let Some(schema) = &violation.team else { continue };
        let at = violation.pointer.trim_start_matches('/').replace('/', ".");
        let message = match at.as_str() {
            "" => violation.message.clone(),
            at => format!("`{at}`: {}", violation.message),
        };
        let help = format!("`{schema}` says so");
        drafts.push(RawFinding::new(Location::at(source, violation.span), message).help(help));
    }
}
