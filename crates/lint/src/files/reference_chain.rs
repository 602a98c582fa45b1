//! See `reference_chain.md`.

use super::links::{LinkReference, LinkTarget, SkillLinks, text_links};
use crate::{Check, Defaults, Finding, Rule};
use bstr::ByteSlice;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::Severity;
use canonry_text::RepoPath;
use canonry_text::link_target::path_of;

pub(super) static RULE: Rule = Rule {
    id: "reference-chain",
    summary: "referenced file that links to a file `SKILL.md` does not mention",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("reference_chain.md"),
    check: Check::SkillLinks(check),
};

fn check(SkillLinks { skill, links }: &SkillLinks<'_>, findings: &mut Vec<Finding>) {
    let Some(document) = skill.source() else { return };
    let is_linked = |path: &RepoPath| links.iter().any(|link| link.target == LinkTarget::Inside(path.clone()));
    for text in skill.texts.iter().filter(|text| is_linked(text.source.path())) {
        for link in text_links(skill, text) {
            let Some(path) = markdown_file(skill, text.source.path(), &link) else { continue };
            let Some(below) = path.below(&skill.folder.path) else { continue };
            if !document.text().as_bytes().contains_str(path.file_name()) {
                let message = format!("this links to `{below}`, which SKILL.md does not mention");
                let help = "mention the file in SKILL.md too, and say when to read it";
                findings.push(link.finding(&RULE, &text.source, message).help(help));
            }
        }
    }
}

/// The other Markdown file of the skill that a link in the text at `from` leads to. Paths are relative to the text or to the
/// skill's directory.
fn markdown_file(skill: &Skill, from: &RepoPath, link: &LinkReference<'_>) -> Option<RepoPath> {
    let path = path_of(link.text)?;
    let candidates = [from.resolve_beside(&path), skill.path().resolve_beside(&path)];
    let is_other = |path: &RepoPath| {
        let is_markdown = path.as_bstr().ends_with(b".md") && skill.file(path).is_some_and(|e| e.mode.is_file());
        is_markdown && path != from && path != skill.path()
    };
    candidates.into_iter().flatten().find(is_other)
}
