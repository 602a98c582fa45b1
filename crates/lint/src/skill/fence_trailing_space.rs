//! See `fence_trailing_space.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Fix, Location, Severity, TextEdit};
use canonry_text::Span;

pub(super) static RULE: Rule = Rule {
    id: "fence-trailing-space",
    summary: "trailing white space after a `---` fence",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("fence_trailing_space.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return };
    for fence in [front.fences.opening, front.fences.closing] {
        let bare = source.slice(fence).trim_end().len();
        if bare < fence.length {
            let trailing = Span::new(fence.offset + bare, fence.end());
            let message = "trailing white space after `---`; strict tools do not recognize the fence";
            let fix = Fix::safe("remove the white space", vec![TextEdit::new(trailing, "")]);
            findings.push(RULE.at(Location::at(source, trailing), message).help("remove it").fix(fix));
        }
    }
}
