//! See `broken_link.md`.

use super::links::{LinkReference, LinkTarget, SkillLinks, text_links};
use super::mention::Owner;
use super::mentioned_file_missing;
use super::reference_index::contains_name;
use crate::canon::FileMode;
use crate::canon::agent_text::AgentText;
use crate::canon::inventory::is_skill_document;
use crate::canon::skill::{SKILL_FOLDERS, Skill, SkillText};
use crate::canon::surroundings::WEBSITE_FILES;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::link_target::path_of;
use crate::syntax::{RepoPath, Source};
use gix::bstr::ByteSlice;
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "broken-link",
    summary: "link to a file that does not exist",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("broken_link.md"),
    check: Check::Each(&[Check::SkillLinks(check), Check::AgentText(check_agent_text)]),
};

/// What one cause is reported for: a folder that does not exist.
const INTO_FOLDER: (&str, &str) = ("link into this folder", "links into this folder");
const HELP: &str = "add the file or correct the path, which is relative to the skill's directory";
const HELP_IN_TEXT: &str = "add the file or correct the path, which is relative to the directory of this file";

fn check(SkillLinks { skill, links }: &SkillLinks<'_>, findings: &mut RawFindings) {
    if let Some(source) = skill.source() {
        findings.extend(links.iter().filter_map(|link| undefined(source, link)));
        findings.extend(missing_links(skill, links).into_iter().map(|missing| missing.finding(skill, source)));
    }
    let texts = skill.texts.iter().filter(|text| is_read_by_agent(skill, text));
    let checked = texts.map(|text| (text, check_text(skill, text)));
    let of_read = checked.filter(|(text, found)| found.is_empty() || !has_nested_skill(skill) || leads_to(skill, text));
    let in_texts: Vec<RawFinding> = of_read.flat_map(|(_, found)| found).collect();
    // So many are missing because the texts were copied from somewhere else, such as a website.
    let is_copy = in_texts.iter().filter(|finding| finding.cause.is_some()).count() > MAX_SEPARATE;
    findings.extend(in_texts.into_iter().map(|finding| match finding.cause {
        Some(_) if is_copy => finding.caused_by(
            skill.folder.path.to_string(),
            ("link to a missing file in this skill's texts", "links to missing files in this skill's texts"),
        ),
        Some(cause) if skill.has_folder(&RepoPath::from(cause.key.as_str())) => RawFinding { cause: None, ..finding },
        _ => finding,
    }));
}

/// Missing files that the references of a skill may link to before they are reported as one cause.
const MAX_SEPARATE: usize = 5;

/// A link of `SKILL.md` to a file that the skill does not have.
struct MissingLink<'a> {
    link: &'a LinkReference<'a>,
    intended: Option<String>,
}

impl MissingLink<'_> {
    /// It is a broken link if the text leaves no doubt that the skill should have the file, or it has one that is probably
    /// meant.
    fn finding(self, skill: &Skill, source: &Arc<Source>) -> RawFinding {
        let is_own = match self.link.owner {
            Owner::Skill => true,
            Owner::Unclear => self.intended.is_some(),
            Owner::Other => false,
        };
        if !is_own {
            let message = format!("`{}` does not exist in the skill", self.link.text);
            let finding = self.link.finding(source, message).help(mentioned_file_missing::HELP);
            return finding.for_rule(mentioned_file_missing::RULE.id);
        }
        let folder = self.folder().filter(|folder| self.intended.is_none() && !skill.has_folder(folder));
        let finding = finding(source, self.link, HELP, self.intended);
        // A skill that was copied without a folder misses all of its files for one reason.
        match folder {
            Some(folder) => finding.caused_by(format!("{} {folder}", source.path()), INTO_FOLDER),
            None => finding,
        }
    }

    /// The folder of the missing file.
    fn folder(&self) -> Option<RepoPath> {
        match &self.link.target {
            LinkTarget::Inside(path) => path.parent(),
            _ => None,
        }
    }
}

/// The links among these that lead to no file.
fn missing_links<'a>(skill: &Skill, links: &'a [LinkReference<'a>]) -> Vec<MissingLink<'a>> {
    let mut missing = Vec::new();
    for link in links {
        let LinkTarget::Inside(path) = &link.target else { continue };
        if !exists(skill, path)
            && !exists_from_above(skill, link)
            && !skill.surroundings.from_stored_document.contains(link.text)
            && !is_route(skill, skill.path(), link, path)
        {
            let intended = intended_file(skill, skill.path(), path);
            missing.push(MissingLink { link, intended });
        }
    }
    missing
}

/// Checks the links in a context file or tool file.
fn check_agent_text(text: &AgentText, findings: &mut RawFindings) {
    for link in &text.broken_links {
        let message = format!("`{}` does not exist", link.text);
        let finding = RawFinding::new(Location::at(&text.source, link.span), message).help(HELP_IN_TEXT);
        findings.push(match &link.missing_folder {
            Some(folder) => finding.caused_by(folder.to_string(), INTO_FOLDER),
            None => finding,
        });
    }
}

/// Checks the links of a text other than `SKILL.md`. They are relative to the text; agents also find those that are
/// relative to the skill's directory, as the specification prescribes.
fn check_text(skill: &Skill, text: &SkillText) -> Vec<RawFinding> {
    let here = text.source.path().parent().unwrap_or_default();
    let from_folder = |link: &LinkReference<'_>| skill.path().resolve_beside(&path_of(link.text)?);
    let one = |link: &LinkReference<'_>| {
        let LinkTarget::Inside(path) = &link.target else { return undefined(&text.source, link) };
        let is_there = exists(skill, path) || from_folder(link).is_some_and(|path| exists(skill, &path));
        if is_there
            || exists_from_above(skill, link)
            || is_route(skill, text.source.path(), link, path)
            || is_of_sample(skill, text, link, path)
        {
            return None;
        }
        let intended = intended_file(skill, text.source.path(), path)
            .map(|file| skill.folder.path.join(file).relative_to(&here).to_string());
        let is_typo = intended.is_some();
        let finding = finding(&text.source, link, HELP_IN_TEXT, intended);
        Some(match path.parent().filter(|_| !is_typo) {
            Some(folder) => finding.caused_by(folder.to_string(), INTO_FOLDER),
            None => finding,
        })
    };
    text_links(skill, text).iter().filter_map(one).collect()
}

/// Words in paths of texts that are meant for another place, with other files next to them.
const ELSEWHERE_WORDS: [&str; 9] =
    ["asset", "template", "example", "sample", "expected", "fixture", "test", "eval", "changelog"];

/// Whether an agent reads the text when it uses the skill.
fn is_read_by_agent(skill: &Skill, text: &SkillText) -> bool {
    let Some(below) = text.source.path().below(&skill.folder.path) else { return false };
    let below = below.to_string().to_lowercase();
    let mut words = below.split(|c: char| !c.is_alphanumeric());
    !words.any(|word| ELSEWHERE_WORDS.iter().any(|other| word == *other || word.strip_suffix('s') == Some(other)))
}

/// Whether another skill is inside of this one, as in a collection with a `SKILL.md` at its top.
fn has_nested_skill(skill: &Skill) -> bool {
    skill.folder.files.iter().any(|entry| is_skill_document(&entry.path) && entry.path != skill.folder.document.path)
}

/// Whether an agent gets from the skill's instructions to the text: it is in a folder of the specification, or a text names it or
/// its folder. The other texts of a collection may be notes for its authors.
fn leads_to(skill: &Skill, text: &SkillText) -> bool {
    let path = text.source.path();
    let Some(folder) = path.below(&skill.folder.path).and_then(|below| below.find_byte(b'/').map(|end| &below[..=end]))
    else {
        return true;
    };
    let is_specified = SKILL_FOLDERS.iter().any(|name| folder.strip_suffix(b"/") == Some(name.as_bytes()));
    let mut others = skill.all_texts().filter(|(source, _)| source.path() != path);
    is_specified
        || others.any(|(source, _)| {
            source.text().as_bytes().contains_str(folder) || contains_name(source.text(), path.file_name())
        })
}

/// Files at the top of a repository that a sample of a README links to.
const COMMUNITY_FILES: [&str; 5] = ["contributing.md", "code_of_conduct.md", "security.md", "license", "license.md"];

/// Whether a link in a reference belongs to a sample of another file: to a community file, or over `..` into a folder that the skill does not have.
fn is_of_sample(skill: &Skill, text: &SkillText, link: &LinkReference<'_>, path: &RepoPath) -> bool {
    let is_readme = text.source.path().file_name().to_ascii_lowercase().starts_with(b"readme");
    let name = path.file_name_lossy().to_lowercase();
    let folder = path.below(&skill.folder.path).map(RepoPath::new);
    let folder = folder.as_ref().and_then(|below| below.components().next()).map(ToString::to_string);
    let is_unknown = |folder: &String| {
        !SKILL_FOLDERS.contains(&folder.as_str()) && !skill.has_folder(&skill.folder.path.join(folder))
    };
    !is_readme && COMMUNITY_FILES.contains(&name.as_str())
        || link.text.starts_with("../") && link.text.matches('/').count() > 1 && folder.as_ref().is_some_and(is_unknown)
}

/// Whether the path exists from a folder that contains the skill, where agents look too.
fn exists_from_above(skill: &Skill, link: &LinkReference<'_>) -> bool {
    path_of(link.text).is_some_and(|path| skill.surroundings.has_from_above(&path))
}

/// Whether a path without extension leads to a folder that neither the skill nor the text has, as in the routes of a
/// website.
fn is_route(skill: &Skill, from: &RepoPath, link: &LinkReference<'_>, path: &RepoPath) -> bool {
    let target = link.text.split(['#', '?']).next().unwrap_or_default();
    if target.ends_with('/') && is_in_website(skill, from) {
        return true;
    }
    let name = path.file_name_lossy();
    let parent = path.parent().unwrap_or_default();
    let is_deep = Some(&parent) != from.parent().as_ref();
    !name.contains('.') && is_deep && !skill.has_folder(&parent)
}

/// Whether a folder that contains the text has the configuration of a website's generator.
fn is_in_website(skill: &Skill, from: &RepoPath) -> bool {
    let mut folders = std::iter::successors(from.parent(), RepoPath::parent);
    skill.surroundings.is_website
        || folders.any(|folder| WEBSITE_FILES.iter().any(|name| skill.file(&folder.join(name)).is_some()))
}

/// A finding for the word that a generator wrote in place of a path.
fn undefined(source: &Arc<Source>, link: &LinkReference<'_>) -> Option<RawFinding> {
    let is_undefined = link.target == LinkTarget::Undefined;
    let message = || format!("the link target `{}` contains no path; a generator wrote `undefined`", link.text);
    is_undefined.then(|| link.finding(source, message()).help("write the path of the file, or remove the link"))
}

/// The files that broken links most likely refer to, as paths relative to the skill.
pub(super) fn files_intended_by_broken_links(SkillLinks { skill, links }: &SkillLinks<'_>) -> Vec<String> {
    let broken = links.iter().filter_map(|link| match &link.target {
        LinkTarget::Inside(path) if !exists(skill, path) => Some(path),
        _ => None,
    });
    broken.filter_map(|path| intended_file(skill, skill.path(), path)).collect()
}

/// Whether the path exists. Files behind a link to a directory or in a submodule are not known and count as existing.
fn exists(skill: &Skill, path: &RepoPath) -> bool {
    let is_boundary =
        |above: &RepoPath| skill.file(above).is_some_and(|e| matches!(e.mode, FileMode::Link | FileMode::Submodule));
    skill.file(path).is_some()
        || skill.has_folder(path)
        || std::iter::successors(path.parent(), RepoPath::parent).any(|above| is_boundary(&above))
}

fn finding(source: &Arc<Source>, link: &LinkReference<'_>, help: &str, intended: Option<String>) -> RawFinding {
    match intended {
        Some(file) => {
            link.finding(source, format!("`{}` does not exist", link.text)).help(format!("did you mean `{file}`?"))
        }
        None => link.finding(source, format!("`{}` does not exist in the skill", link.text)).help(help),
    }
}

/// Skills with more files get no suggestions, because each broken link is compared with every file.
const MAX_FILES: usize = 1000;

/// The file that differs only in case, the only file of that name in another directory, or a file at edit distance one.
/// Paths share directories and extensions, so a larger distance is not significant.
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
    // Many folders have a file of such a name.
    let is_common = COMMON_NAMES.iter().any(|name| path.file_name().eq_ignore_ascii_case(name.as_bytes()));
    let mut same_name = others().filter(|e| e.path.file_name() == path.file_name()).filter_map(|e| inside(&e.path));
    let only = same_name.next().filter(|_| same_name.next().is_none() && !is_common);
    let length = wanted.chars().count();
    // The lengths decide most cases, which is faster.
    let is_near =
        |file: &&String| file.chars().count().abs_diff(length) <= 1 && strsim::damerau_levenshtein(file, &wanted) == 1;
    let near = || files.iter().find(is_near);
    same_letters.cloned().or(only).or_else(|| near().cloned())
}

/// Names that say nothing about the content of a file.
const COMMON_NAMES: [&str; 5] = ["README.md", "SKILL.md", "index.md", "__init__.py", "index.js"];
