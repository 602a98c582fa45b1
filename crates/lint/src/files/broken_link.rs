//! See `broken_link.md`.

use super::link_finding::in_doubt;
use super::links::{LinkReference, LinkTarget, SkillLinks, exists, text_links};
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::skill::{Skill, SkillText};
use canonry_model::finding::{Location, Severity};
use canonry_text::link_target::path_of;
use canonry_text::{RepoPath, Source};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "broken-link",
    summary: "link to a file that does not exist",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("broken_link.md"),
    check: Check::Each(&[Check::SkillLinks(check), Check::AgentText(check_agent_text)]),
};

/// Nouns for a cause that is reported once: a folder that does not exist.
const INTO_FOLDER: (&str, &str) = ("link into this folder", "links into this folder");
const HELP: &str = "add the file or correct the path, which is relative to the skill's directory";
const HELP_IN_TEXT: &str = "add the file or correct the path, which is relative to the directory of this file";

fn check(SkillLinks { skill, links }: &SkillLinks<'_>, findings: &mut Vec<Finding>) {
    if let Some(source) = skill.source() {
        let links = links.iter().filter(|link| link.is_link);
        findings.extend(links.filter_map(|link| missing(&RULE, skill, source, link, HELP)));
    }
    for text in skill.texts.iter().filter(|text| is_read_by_agent(skill, text, links)) {
        findings.extend(
            text_links(skill, text).iter().filter_map(|link| missing(&RULE, skill, &text.source, link, HELP_IN_TEXT)),
        );
    }
}

/// Whether an agent gets from the skill's instructions to the text. Others may be samples, with other files next to them.
fn is_read_by_agent(skill: &Skill, text: &SkillText, links: &[LinkReference<'_>]) -> bool {
    let path = text.source.path();
    path.is_within(&skill.folder.path.join("references"))
        || links.iter().any(|link| matches!(&link.target, LinkTarget::Inside(target) if target == path))
}

/// A finding if the link leads nowhere. Links in `SKILL.md` are relative to the skill's directory. Those in other texts are
/// relative to the text; agents also find those that are relative to the skill's directory, as the specification prescribes.
pub(super) fn missing(
    rule: &'static Rule,
    skill: &Skill,
    source: &Arc<Source>,
    link: &LinkReference<'_>,
    help: &str,
) -> Option<Finding> {
    let path = match &link.target {
        LinkTarget::Undefined => {
            let message = format!("the link target `{}` contains no path; a generator wrote `undefined`", link.text);
            return Some(link.finding(rule, source, message).help("write the path of the file, or remove the link"));
        }
        LinkTarget::Inside(path) => path,
        _ => return None,
    };
    let from_top = path_of(link.text).and_then(|path| skill.path().resolve_beside(&path));
    let is_above = path_of(link.text).is_some_and(|path| skill.surroundings.has_from_above(&path));
    if exists(skill, path)
        || from_top.is_some_and(|path| exists(skill, &path))
        || is_above
        || skill.surroundings.from_stored_document.contains(link.text)
        || is_route(skill, source.path(), path)
    {
        return None;
    }
    let intended = intended_file(skill, source.path(), path);
    if let Some(file) = intended {
        let here = source.path().parent().unwrap_or_default();
        let file = skill.folder.path.join(&file).relative_to(&here);
        let finding = link.finding(rule, source, format!("`{}` does not exist", link.text));
        return Some(finding.help(format!("did you mean `{file}`?")));
    }
    let finding = link.finding(rule, source, format!("`{}` does not exist in the skill", link.text));
    let finding = finding.help(help);
    // A skill that was copied without a folder misses all of its files for one reason.
    Some(match path.parent().filter(|folder| link.doubt.is_none() && !skill.has_folder(folder)) {
        Some(folder) => finding.caused_by(folder.to_string(), INTO_FOLDER),
        None => finding,
    })
}

/// Checks the links in a context file or tool file.
fn check_agent_text(text: &AgentText, findings: &mut Vec<Finding>) {
    for link in &text.broken_links {
        let message = format!("`{}` does not exist", link.text);
        let finding = RULE.at(Location::at(&text.source, link.span), message).help(HELP_IN_TEXT);
        findings.push(match (&link.missing_folder, link.doubt) {
            (_, Some(fence)) => in_doubt(finding, &text.source, fence),
            (Some(folder), None) => finding.caused_by(folder.to_string(), INTO_FOLDER),
            (None, None) => finding,
        });
    }
}

/// Whether a path without extension leads to a folder that neither the skill nor the text has, as in the routes of a
/// website.
fn is_route(skill: &Skill, from: &RepoPath, path: &RepoPath) -> bool {
    let name = path.file_name_lossy();
    let parent = path.parent().unwrap_or_default();
    let is_deep = Some(&parent) != from.parent().as_ref();
    !name.contains('.') && is_deep && !skill.has_folder(&parent)
}

/// Skills with more files get no suggestions, because each broken link is compared with every file.
const MAX_FILES: usize = 1000;

/// The file that differs only in case, the only file of that name in another directory, or a file at edit distance one.
/// Paths share directories and extensions, so a larger distance is not significant. A generator of websites shows
/// `install.md` as `install/`.
fn intended_file(skill: &Skill, from: &RepoPath, path: &RepoPath) -> Option<String> {
    if skill.folder.files.len() > MAX_FILES {
        return None;
    }
    let folder = &skill.folder.path;
    let inside = |path: &RepoPath| path.below(folder).map(ToString::to_string);
    let wanted = inside(path)?;
    let others = || skill.folder.files.iter().filter(|entry| entry.path != *from);
    let files: Vec<String> = others().filter_map(|e| inside(&e.path)).collect();
    let same_letters = files.iter().find(|file| file.eq_ignore_ascii_case(&wanted));
    let page = format!("{}.md", path.file_name_lossy());
    let is_same_name = |file: &RepoPath| file.file_name() == path.file_name() || file.file_name() == page.as_str();
    let mut same_name = others().filter(|e| is_same_name(&e.path)).filter_map(|e| inside(&e.path));
    let only = same_name.next().filter(|_| same_name.next().is_none());
    let length = wanted.chars().count();
    // The lengths decide most cases, which is faster.
    let is_near =
        |file: &&String| file.chars().count().abs_diff(length) <= 1 && strsim::damerau_levenshtein(file, &wanted) == 1;
    let near = || files.iter().find(is_near);
    same_letters.cloned().or(only).or_else(|| near().cloned())
}
