//! The links and paths in a skill's texts, and where they lead.
//!
//! A bare path such as `scripts/deploy.sh` in a sentence may also be a script of the repository, a file of another skill or
//! an example. It counts as a link only if the text leaves no doubt.

use super::mention::{Owner, owner};
use super::named_skill::path_in_named_skill;
use super::quotation::Quotations;
use super::table;
use super::vocabulary::{
    ABSENT_PHRASES, ANNOUNCING_WORDS, ELSEWHERE_WORDS, EXAMPLE_PHRASES, FUTURE_WORDS, OWNER_WORDS, PROPOSAL_WORDS,
    UNCOMMITTED_WORDS,
};
use super::words_around::{
    MAX_LIST_LINES, is_list_item, last_verb_writes, line_before, list_introduction, paragraph_before_list,
    sentence_around, starts_line,
};
use crate::canon::skill::Skill;
use crate::canon::skill::SkillText;
use crate::finding::{Location, RawFinding};
use crate::syntax::link_target::path_of;
use crate::syntax::markdown::{LinkKind, MarkdownLink};
use crate::syntax::{RepoPath, Source, Span};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The target of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LinkTarget {
    /// A path inside the skill.
    Inside(RepoPath),
    /// Outside the skill; `None` if it is also outside the repository.
    Outside(Option<RepoPath>),
    /// An absolute path.
    Absolute(RepoPath),
    /// A `file:` URL.
    FileUrl,
    /// The word that a generator writes for a value that it does not have, such as `undefined`.
    Undefined,
}

/// A link target with all locations that refer to it.
pub(super) struct LinkReference<'a> {
    pub target: LinkTarget,
    pub text: &'a str,
    pub owner: Owner,
    spans: Vec<Span>,
}

impl LinkReference<'_> {
    /// A finding at the first location, with the others as related locations.
    pub fn finding(&self, source: &Arc<Source>, message: String) -> RawFinding {
        let mut locations = self.spans.iter().map(|span| Location::at(source, *span));
        let Some(first) = locations.next() else { return RawFinding::new(Location::file(source.path()), message) };
        locations.fold(RawFinding::new(first, message), |finding, location| {
            finding.related(location, "also referenced here")
        })
    }
}

/// A skill with the links of its `SKILL.md`, which several rules look at.
pub struct SkillLinks<'a> {
    pub(super) skill: &'a Skill,
    /// The distinct targets, in file order.
    pub(super) links: Vec<LinkReference<'a>>,
}

impl<'a> SkillLinks<'a> {
    /// Finds the links.
    pub(in crate::rules) fn new(skill: &'a Skill) -> Self {
        Self { skill, links: document_links(skill) }
    }
}

/// The distinct link targets of `SKILL.md`, in file order.
fn document_links(skill: &Skill) -> Vec<LinkReference<'_>> {
    let Ok(document) = &skill.document else { return Vec::new() };
    let source = &document.source;
    let quotations = Quotations::find(source, &document.outline);
    let of_others = |link| written_path(source, link).or_else(|| path_in_named_skill(skill, source, link));
    let of_others: HashSet<&str> = document.outline.links.iter().filter_map(of_others).collect();
    let is_read = |link: &&MarkdownLink| {
        is_link(skill, source, &quotations, link)
            && (link.kind != LinkKind::BarePath || !of_others.contains(link.target.as_str()))
    };
    let links = document.outline.links.iter().filter(is_read);
    group_by_target(links, |link| owner(skill, source, link), |link| target(skill, skill.path(), link))
}

/// The target of a bare path that the text says is written: also elsewhere in the text, it is no file of the skill.
fn written_path<'a>(source: &Source, link: &'a MarkdownLink) -> Option<&'a str> {
    let offset = link.span.offset;
    let is_written = || is_written(&line_before(source, offset).to_lowercase(), list_introduction(source, offset));
    (link.kind == LinkKind::BarePath && is_written()).then_some(link.target.as_str())
}

/// The distinct targets of the Markdown links in another text of the skill. Bare paths in it are mostly examples.
pub(super) fn text_links<'a>(skill: &'a Skill, text: &'a SkillText) -> Vec<LinkReference<'a>> {
    let Some(outline) = &text.outline else { return Vec::new() };
    let quotations = Quotations::find(&text.source, outline);
    let is_markdown = |link: &&MarkdownLink| {
        matches!(link.kind, LinkKind::Markdown | LinkKind::HtmlImage) && is_link(skill, &text.source, &quotations, link)
    };
    group_by_target(
        outline.links.iter().filter(is_markdown),
        |_| Owner::Skill,
        |link| target(skill, text.source.path(), link),
    )
}

fn group_by_target<'a>(
    links: impl Iterator<Item = &'a MarkdownLink>,
    owner: impl Fn(&MarkdownLink) -> Owner,
    target: impl Fn(&MarkdownLink) -> Option<LinkTarget>,
) -> Vec<LinkReference<'a>> {
    let mut found: Vec<LinkReference<'_>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for link in links {
        if let Some(at) = known.get(link.target.as_str()) {
            found[*at].spans.push(link.span);
            found[*at].owner = found[*at].owner.max(owner(link));
        } else if let Some(target) = target(link) {
            known.insert(&link.target, found.len());
            found.push(LinkReference { target, text: &link.target, owner: owner(link), spans: vec![link.span] });
        }
    }
    found
}

/// Whether it is really a link. Brackets directly after a word are code, as in `list[i](x.y)`.
fn is_link(skill: &Skill, source: &Source, quotations: &Quotations<'_>, link: &MarkdownLink) -> bool {
    let is_prose = matches!(link.kind, LinkKind::BarePath | LinkKind::Markdown);
    if is_prose && quotations.contains(link.span) {
        return false;
    }
    match link.kind {
        LinkKind::BarePath => refers_to_skill_file(skill, source, link),
        LinkKind::HtmlImage => true,
        // Without such a folder, the command may belong to any repository.
        LinkKind::Command => {
            let folder = link.target.split('/').next().unwrap_or_default();
            skill.has_folder(&skill.folder.path.join(folder))
                && !is_example(source, link.span.offset)
                && !is_run_at_root(source, link.span.offset)
        }
        LinkKind::Markdown => {
            let before = source.text()[..link.span.offset].bytes().next_back();
            !before.is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b')' | b']'))
        }
    }
}

/// Whether a bare path refers to a file of this skill.
fn refers_to_skill_file(skill: &Skill, source: &Source, link: &MarkdownLink) -> bool {
    let line = source.line_span(link.span.offset);
    let text = source.text();
    let before = text.get(line.offset..link.span.offset).unwrap_or_default().to_lowercase();
    let after = text.get(link.span.end()..line.end()).unwrap_or_default();
    // Inside of code such as `[text](references/a.md)`, or `(other)references/a.md`.
    if after.starts_with(')') && before.ends_with("](") || before.ends_with(')') {
        return false;
    }
    let after = after.trim_start_matches(['`', '*', '"', ' ', ')']);
    if ELSEWHERE_WORDS.iter().any(|word| after.starts_with(word))
        || PROPOSAL_WORDS.iter().chain(&UNCOMMITTED_WORDS).any(|word| after.contains(word))
        // "For each `*.mk`, `scripts/dev.sh`": kinds of files in any repository.
        || before.contains("`*.")
        || FUTURE_WORDS.iter().any(|word| before.contains(word))
        || is_announced_in_list(source, link.span.offset)
        || is_absent(source, link.span.offset)
        || is_example(source, link.span.offset)
        || is_wrapped_example(source, link.span.offset)
        || table::is_example(source, link.span.offset)
        || table::is_elsewhere(skill, source, link.span.offset)
        || is_written(&before, list_introduction(source, link.span.offset))
    {
        return false;
    }
    // A sentence may start on the line above.
    let above = text[..line.offset].trim_end_matches('\n').rsplit('\n').next().unwrap_or_default().to_lowercase();
    let is_start = before.trim_matches(|c: char| "`*\" ./".contains(c)).is_empty();
    let owner = if is_start && !before.contains('-') { above.as_str() } else { before.as_str() };
    let owner = owner.trim_end_matches(['`', '*', '"', ' ', '.', '/']);
    let is_owned = OWNER_WORDS.iter().any(|word| owner.ends_with(word)) && !is_own_possessive(owner);
    let next = text[line.end()..].lines().nth(1).unwrap_or_default().to_lowercase();
    if is_owned || names_other_skill(skill, owner) || is_in_other_skill(after) || is_below_other_root(after, &next) {
        return false;
    }
    let folder = link.target.split('/').next().unwrap_or_default();
    // Without the folder, an asset at the start of a line is usually one that the skill makes.
    let is_described = || folder != "assets" && starts_line(&before) && !table::is_row(&before);
    folder == "references" || skill.has_folder(&skill.folder.path.join(folder)) || is_described()
}

/// Matches "this skill's", and not "the tag-names skill's".
fn is_own_possessive(owner: &str) -> bool {
    if ["このスキルの", "本スキルの", "本技能的", "该技能的", "이 스킬의", "본 스킬의"]
        .iter()
        .any(|own| owner.ends_with(own))
    {
        return true;
    }
    let mut words = owner.split_whitespace().rev();
    let ends = words.next().is_some_and(|word| word.starts_with("skill"));
    ends && !words.next().is_some_and(|word| word.contains('-') || matches!(word, "that" | "another" | "other"))
}

/// Matches "in the tag-names skill" after a path.
fn is_in_other_skill(after: &str) -> bool {
    let mut words = after.split_whitespace();
    let named = words.next() == Some("in")
        && words.next() == Some("the")
        && words.next().is_some_and(|word| word.contains('-'));
    named && words.next().is_some_and(|word| word.starts_with("skill"))
}

/// Matches "from the root of your project" and "from the migration project root" after a path, also if the line ends in between.
fn is_below_other_root(after: &str, next: &str) -> bool {
    let words = after.split_whitespace().chain(next.split_whitespace()).take(MAX_ROOT_WORDS);
    let words: Vec<&str> = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    let is_place = |word: &&str| matches!(*word, "project" | "repository" | "repo" | "workspace" | "checkout");
    let starts = matches!(words.as_slice(), ["from" | "in" | "inside", "the" | "your", ..]);
    starts && words.iter().any(is_place) && words.contains(&"root")
}

/// Words after a path that may name the root from which it counts.
const MAX_ROOT_WORDS: usize = 6;

/// Matches "the `tag-names` skill" before a path, with the name of another skill.
fn names_other_skill(skill: &Skill, owner: &str) -> bool {
    let Some(text) = owner.strip_suffix("skill").and_then(|text| text.trim_end().strip_suffix('`')) else {
        return false;
    };
    let name = text.rsplit('`').next().unwrap_or_default();
    !name.is_empty() && name != skill.folder.path.file_name_lossy()
}

/// Whether the sentence, or the introduction of its list, says that the file does not exist, or what to do without it.
fn is_absent(source: &Source, offset: usize) -> bool {
    let says = |text: String| ABSENT_PHRASES.iter().any(|phrase| text.contains(phrase));
    says(sentence_around(source, offset)) || says(paragraph_before_list(source, offset))
}

/// Whether a list item is below an item or sentence that announces files: "Scripts to implement:".
fn is_announced_in_list(source: &Source, offset: usize) -> bool {
    let before = line_before(source, offset);
    if !is_list_item(before) {
        return false;
    }
    let above = &source.text()[..offset - before.len()];
    let indentation = |line: &str| line.len() - line.trim_start().len();
    let lines = above.lines().rev().take(MAX_LIST_LINES).filter(|line| !line.trim().is_empty());
    let parent = lines.into_iter().find(|line| indentation(line) < indentation(before) || !is_list_item(line));
    parent.is_some_and(|line| announces(&line.to_lowercase()))
}

/// Whether an introduction ends with words such as "to implement", without a verb for files that exist.
fn announces(introduction: &str) -> bool {
    ANNOUNCING_WORDS.iter().any(|words| {
        introduction.split_once(words).is_some_and(|(before, after)| {
            let before = before.trim_matches(|c: char| !c.is_alphabetic());
            let ends = after.trim_start_matches('*').starts_with(':');
            ends && !before.is_empty() && last_verb_writes(before).is_none()
        })
    })
}

/// Whether a comment above a command says that it runs at the top of a repository.
fn is_run_at_root(source: &Source, offset: usize) -> bool {
    let above = source.text()[..source.line_span(offset).offset].lines().next_back().unwrap_or_default().to_lowercase();
    let is_root = ["project", "repo", "repository"].iter().any(|what| above.contains(&format!("{what} root")));
    above.trim_start().starts_with('#') && is_root
}

/// Whether the text before a path, or before the list that contains it, marks it as an example.
fn is_example(source: &Source, offset: usize) -> bool {
    marks_example(line_before(source, offset)) || list_introduction(source, offset).is_some_and(marks_example)
}

/// Whether the sentence that contains a path started on a line above and marks it as an example.
fn is_wrapped_example(source: &Source, offset: usize) -> bool {
    let line = source.line_span(offset);
    let text = source.text();
    let mut start = line.offset;
    if is_list_item(text.get(start..offset).unwrap_or_default()) {
        return false;
    }
    for above in text[..line.offset].lines().rev().take(MAX_WRAPPED_LINES) {
        if above.trim().is_empty() || above.starts_with(['#', '|', '>']) {
            break;
        }
        start -= above.len() + 1;
        if is_list_item(above) {
            break;
        }
    }
    let paragraph = text.get(start..offset).unwrap_or_default();
    marks_example(paragraph.rsplit(". ").next().unwrap_or(paragraph))
}

/// Lines of a sentence that are searched for its start.
const MAX_WRAPPED_LINES: usize = 6;

fn marks_example(text: &str) -> bool {
    let text = text.to_lowercase();
    EXAMPLE_PHRASES.iter().any(|phrase| text.contains(phrase))
}

/// Whether the last verb before a path says that the file is to be written. A list item without a verb continues its
/// introduction: "Move details to:".
fn is_written(before: &str, introduction: Option<&str>) -> bool {
    let introduction = introduction.filter(|line| line.trim_end().trim_end_matches('*').ends_with(':'));
    last_verb_writes(before)
        .or_else(|| last_verb_writes(&introduction.unwrap_or_default().to_lowercase()))
        .unwrap_or(false)
}

/// Resolves a link in the text at `from`.
fn target(skill: &Skill, from: &RepoPath, link: &MarkdownLink) -> Option<LinkTarget> {
    if link.kind == LinkKind::Markdown {
        if is_file_url(&link.target) {
            return Some(LinkTarget::FileUrl);
        }
        if is_undefined(&link.target) {
            return Some(LinkTarget::Undefined);
        }
    }
    let path = path_of(&link.target)?;
    if let Some(below) = path.strip_prefix(b"/") {
        // `/plugin:skill` is a slash command.
        if below.contains(&b':') && !below.contains(&b'/') {
            return None;
        }
        return Some(LinkTarget::Absolute(RepoPath::new(below)));
    }
    let folder = &skill.folder.path;
    match from.resolve_beside(&path) {
        Some(path) if path.is_within(folder) => Some(LinkTarget::Inside(path)),
        // A nested skill is mirrored together with the outer skill, whose files are not known here.
        Some(path) if skill.folder.nested_in.as_ref().is_some_and(|outer| path.is_within(outer)) => None,
        path => Some(LinkTarget::Outside(path)),
    }
}

/// Whether it is a URL of a file on one machine, and not a placeholder.
fn is_file_url(target: &str) -> bool {
    target.strip_prefix("file://").is_some_and(|path| !path.contains(['<', '{', '$', '…']) && !path.contains("path/to"))
}

fn is_undefined(target: &str) -> bool {
    let path = target.split(['#', '/', '?']).next().unwrap_or_default();
    path == "undefined" && path.len() < target.len()
}
