//! Part of `frontmatter-missing`: byte order mark before the frontmatter.

use super::frontmatter_missing::RULE;
use crate::Finding;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Fix, Location, TextEdit};
use canonry_text::Span;
use canonry_text::frontmatter::BOM;

pub(super) fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    let Some(source) = skill.source() else { return };
    if source.text().starts_with(BOM) {
        let mark = Span::new(0, BOM.len_utf8());
        let fix = Fix::safe("remove the byte order mark", vec![TextEdit::new(mark, "")]);
        let message = "byte order mark before the first line; some tools do not recognize the `---` after it";
        let finding = RULE.at(Location::at(source, mark), message);
        findings.push(finding.help("save the file as UTF-8 without a byte order mark").fix(fix));
    }
}
