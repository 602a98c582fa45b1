//! See `reference_chain.md`.

use super::reference_index::ReferenceIndex;
use crate::canon::skill::Skill;
use crate::canon::skill::SkillText;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::RepoPath;
use crate::syntax::link_target::path_of;
use crate::syntax::markdown::{LinkKind, MarkdownLink};
use std::collections::BTreeSet;

pub(super) static RULE: Rule = Rule {
    id: "reference-chain",
    summary: "referenced file that links to a file `SKILL.md` does not mention",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("reference_chain.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut RawFindings) {
    if skill.texts.iter().all(|text| text.outline.as_ref().is_none_or(|outline| outline.links.is_empty())) {
        return;
    }
    let document = ReferenceIndex::from_document(skill);
    let globs = globs(skill);
    let is_referenced = |path: &RepoPath| {
        below(skill, path).is_some_and(|below| {
            document.is_referenced(path, &below) || globs.iter().any(|glob| is_match(glob, &below))
        })
    };
    for text in skill.texts.iter().filter(|text| is_referenced(text.source.path())) {
        let mut reported = BTreeSet::new();
        for (link, path) in markdown_links(skill, text) {
            if !is_referenced(&path) && reported.insert(path.clone()) {
                findings.push(finding(skill, text, link, &path));
            }
        }
    }
}

/// The paths with a `*` in SKILL.md, such as `references/aws-*.md`.
fn globs(skill: &Skill) -> Vec<&str> {
    let text = skill.source().map(|source| source.text()).unwrap_or_default();
    let words = text.split(|c: char| c.is_whitespace() || "`\"'()[]<>,".contains(c));
    words.map(|word| word.trim_start_matches("./")).filter(|word| word.contains('*') && word.contains(".md")).collect()
}

/// Whether a path, or its file name, begins and ends like the glob.
fn is_match(glob: &str, below: &str) -> bool {
    let (Some((start, _)), Some((_, end))) = (glob.split_once('*'), glob.rsplit_once('*')) else { return false };
    let name = below.rsplit('/').next().unwrap_or(below);
    let fits = |path: &str| path.len() >= start.len() + end.len() && path.starts_with(start) && path.ends_with(end);
    fits(below) || !glob.contains('/') && fits(name)
}

/// The links of a text to other Markdown files of the skill. Paths are relative to the text or to the skill's directory.
fn markdown_links<'a>(skill: &'a Skill, text: &'a SkillText) -> impl Iterator<Item = (&'a MarkdownLink, RepoPath)> {
    let here = text.source.path();
    let links = text.outline.iter().flat_map(|outline| &outline.links).filter(|link| link.kind == LinkKind::Markdown);
    links.filter_map(move |link| {
        let path = path_of(&link.target)?;
        let candidates = [here.resolve_beside(&path), skill.path().resolve_beside(&path)];
        let is_other = |path: &RepoPath| {
            let is_markdown = path.as_bstr().ends_with(b".md") && skill.file(path).is_some_and(|e| e.mode.is_file());
            is_markdown && path != here && path != skill.path()
        };
        candidates.into_iter().flatten().find(is_other).map(|path| (link, path))
    })
}

fn below(skill: &Skill, path: &RepoPath) -> Option<String> {
    path.below(&skill.folder.path).map(ToString::to_string)
}

fn finding(skill: &Skill, text: &SkillText, link: &MarkdownLink, path: &RepoPath) -> RawFinding {
    let name = below(skill, path).unwrap_or_else(|| path.to_string());
    let message = format!("this links to `{name}`, which SKILL.md does not mention");
    let help = "mention the file in SKILL.md too, and say when to read it";
    RawFinding::new(Location::at(&text.source, link.span), message).help(help)
}
