//! See `installer_piped_to_shell.md`.

use super::commands;
use super::installers::vendor_of;
use super::pipe_to_shell::{HELP, KEYWORDS, names_of, runs_download};
use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "installer-piped-to-shell",
    summary: "vendor's installer is piped to a shell",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("installer_piped_to_shell.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    for group in commands::groups(skill, &KEYWORDS) {
        for line in group.lines.iter().filter(|line| runs_download(&line.text)) {
            let Some(vendor) = vendor_of(&line.text, &names_of(skill)) else { continue };
            let message = format!("this runs an installer of `{vendor}` without verification");
            findings.push(RawFinding::new(Location::at(group.source, line.span), message).help(HELP));
        }
    }
}
