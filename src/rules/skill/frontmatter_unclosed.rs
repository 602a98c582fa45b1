//! See `frontmatter_unclosed.md`.

use crate::canon::skill::Skill;
use crate::finding::{Fix, Location, RawFinding, Severity, TextEdit};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::Span;
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
    let Err(FrontmatterError::Unclosed { opening, dots, indented }) = &document.front else { return };
    let at = |span| Location::at(&document.source, span);
    findings.push(match (dots, indented) {
        (Some(dots), _) => RawFinding::new(at(*dots), "the frontmatter ends with `...`, which tools do not recognize")
            .help("write `---` instead of `...`")
            .related(at(*opening), "opened here"),
        (None, Some(fence)) => {
            let location = at(*fence);
            let indent = document.source.slice(*fence).len() - document.source.slice(*fence).trim_start().len();
            let edit = TextEdit::new(Span::new(fence.offset, fence.offset + indent), "");
            let message =
                format!("the frontmatter is not closed: the `---` on line {} is indented", location.position.line);
            RawFinding::new(location, message)
                .help("move it to column 1")
                .related(at(*opening), "opened here")
                .fix(Fix::safe("remove the indentation", vec![edit]))
        }
        (None, None) => RawFinding::new(at(*opening), "the frontmatter is not closed")
            .help("add a line `---` between the last key and the body"),
    });
}
