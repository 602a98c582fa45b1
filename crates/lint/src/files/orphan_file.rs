//! See `orphan_file.md`.

use crate::{Check, Defaults, Finding, Rule};
use aho_corasick::AhoCorasick;
use canonry_model::canon::TreeEntry;
use canonry_model::canon::skill::{SKILL_FOLDERS, Skill, own_files};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "orphan-file",
    summary: "file that no other file of the skill mentions",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("orphan_file.md"),
    check: Check::Skill(check),
};

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    // Most files are named in the document, which is found without a search for all words at once.
    let is_named = |name: &str| skill.source().is_some_and(|source| source.text().contains(name));
    let candidates: Vec<OrphanCandidate<'_>> = own_files(&skill.folder)
        .into_iter()
        .filter_map(|entry| OrphanCandidate::new(skill, entry))
        .filter(|candidate| !is_named(candidate.name()))
        .collect();
    if candidates.is_empty() {
        return;
    }
    let signs: Vec<(usize, &str)> = candidates
        .iter()
        .enumerate()
        .flat_map(|(index, candidate)| candidate.signs().map(move |sign| (index, sign)))
        .collect();
    let patterns = signs.iter().map(|(_, sign)| sign);
    let Ok(matcher) = AhoCorasick::builder().ascii_case_insensitive(true).build(patterns) else { return };
    let mut is_mentioned = vec![false; candidates.len()];
    for (source, _) in skill.all_texts() {
        for found in matcher.find_overlapping_iter(source.text()) {
            let (index, sign) = signs[found.pattern().as_usize()];
            // `scripts/sort.sh` refers to one file of the folder.
            let is_whole = !sign.ends_with('/') || !source.text()[found.end()..].starts_with(is_in_name);
            is_mentioned[index] |= is_whole && candidates[index].entry.path != *source.path();
        }
    }
    for (candidate, _) in candidates.iter().zip(&is_mentioned).filter(|(_, is_mentioned)| !**is_mentioned) {
        let message = format!("no file of the skill refers to `{}`", candidate.below);
        let help = "mention it in SKILL.md and say when to read it, or remove it";
        findings.push(RULE.at(Location::file(&candidate.entry.path), message).help(help));
    }
}

fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// A file in one of the folders of the specification.
struct OrphanCandidate<'a> {
    entry: &'a TreeEntry,
    /// Its path in the skill.
    below: String,
}

impl<'a> OrphanCandidate<'a> {
    fn new(skill: &Skill, entry: &'a TreeEntry) -> Option<Self> {
        let below = entry.path.below(&skill.folder.path)?.to_string();
        let is_specified = below.split_once('/').is_some_and(|(folder, _)| SKILL_FOLDERS.contains(&folder));
        // Programs find hidden files and private modules, such as `__init__.py`, by themselves.
        let is_private = below.split('/').any(|part| part.starts_with(['.', '_']));
        (entry.mode.is_file() && is_specified && !is_private).then_some(Self { entry, below })
    }

    fn name(&self) -> &str {
        self.below.rsplit('/').next().unwrap_or(&self.below)
    }

    /// Words of a text that refers to the file: its name with or without extension, or a folder that contains it.
    fn signs(&self) -> impl Iterator<Item = &str> {
        let name = self.name();
        let stem = name.split('.').next().filter(|stem| stem.len() > 2);
        let folders = self.below.match_indices('/').map(|(end, _)| {
            let start = self.below[..end].rfind('/').map_or(0, |slash| slash + 1);
            &self.below[start..=end]
        });
        std::iter::once(name).chain(stem).chain(folders)
    }
}
