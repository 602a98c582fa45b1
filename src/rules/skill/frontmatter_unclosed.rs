//! See `frontmatter_unclosed.md`.

use crate::canon::skill::Skill;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::frontmatter::FrontmatterError;

pub(super) static RULE: Rule = Rule {
    id: "frontmatter-unclosed",
    summary: "frontmatter is not closed",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("frontmatter_unclosed.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    let Ok(document) = &skill.document else { return };
    let Err(FrontmatterError::Unclosed { opening, dots }) = &document.front else { return };
    let at = |span| Location::at(&document.source, span);
    findings.push(match dots {
        Some(dots) => RawFinding::new(at(*dots), "the frontmatter ends with `...`, which tools do not recognize")
            .help("write `---` instead of `...`")
            .related(at(*opening), "opened here"),
        None => RawFinding::new(at(*opening), "the frontmatter is not closed")
            .help("add a line `---` between the last key and the body"),
    });
}
