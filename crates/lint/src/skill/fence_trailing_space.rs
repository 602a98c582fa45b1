//! Part of `frontmatter-missing`: trailing white space after a `---` fence.

use super::frontmatter_missing::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Fix, Location, TextEdit};
use canonry_text::Span;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
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
