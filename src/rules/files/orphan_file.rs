//! See `orphan_file.md`.

use super::broken_link::files_intended_by_broken_links;
use super::links::SkillLinks;
use super::reference_index::{ReferenceIndex, contains_name};
use crate::canon::TreeEntry;
use crate::canon::skill::Skill;
use crate::canon::skill::own_files;
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use gix::bstr::ByteSlice;

pub(super) static RULE: Rule = Rule {
    id: "orphan-file",
    summary: "file that no other file of the skill mentions",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("orphan_file.md"),
    check: Check::SkillLinks(check),
};

/// Names of files that users, tools and package managers find by themselves.
const KNOWN: [&str; 25] = [
    "license",
    "licence",
    "notice",
    "copying",
    "readme",
    "changelog",
    "contributing",
    "authors",
    "security",
    "knowledge",
    "__init__",
    "__main__",
    "package",
    "package-lock",
    "requirements",
    "pyproject",
    "uv",
    "cargo",
    "go",
    "makefile",
    "dockerfile",
    "tsconfig",
    "spec",
    "_meta",
    "skill-card",
];

/// Directories for the developers of the skill or for one tool: Codex reads `agents/openai.yaml`.
const FOLDERS: [&str; 12] = [
    "agents",
    "evals",
    "eval",
    "tests",
    "test",
    "__tests__",
    "fixtures",
    "examples",
    "node_modules",
    "__pycache__",
    "expected_outputs",
    "validation",
];

fn check(skill_links: &SkillLinks<'_>, findings: &mut RawFindings) {
    let skill = skill_links.skill;
    let Some(document) = skill.source().filter(|_| skill.folder.files.len() > 1) else { return };
    let is_candidate = |entry: &&TreeEntry| {
        needs_reference(skill, entry) && !contains_name(document.text(), entry.path.file_name().as_bytes())
    };
    let candidates: Vec<&TreeEntry> = own_files(&skill.folder).into_iter().filter(is_candidate).collect();
    if candidates.is_empty() {
        return;
    }
    let mut index = ReferenceIndex::from_skill(skill);
    let intended = files_intended_by_broken_links(skill_links);
    for entry in candidates {
        let Some(below) = entry.path.below(&skill.folder.path).map(ToString::to_string) else { continue };
        if !index.is_referenced_anywhere(&entry.path, &below) && !intended.contains(&below) {
            let message = format!("no file of the skill refers to `{below}`");
            let help = "mention it in SKILL.md and say when to read it, or remove it";
            findings.push(RawFinding::new(Location::file(&entry.path), message).help(help));
        }
    }
}

fn needs_reference(skill: &Skill, entry: &TreeEntry) -> bool {
    let Some(below) = entry.path.below(&skill.folder.path).map(|below| below.to_string().to_lowercase()) else {
        return false;
    };
    let mut parts: Vec<&str> = below.split('/').collect();
    let Some(name) = parts.pop() else { return false };
    let stem = name.split(['.', '_']).next().unwrap_or(name);
    let is_hidden = name.starts_with('.') || parts.iter().any(|part| part.starts_with('.'));
    let is_known = KNOWN.contains(&name.split('.').next().unwrap_or(name)) || KNOWN[..6].contains(&stem);
    entry.mode.is_file()
        && entry.path != skill.folder.document.path
        && name != "skill.md"
        && !is_hidden
        && !is_known
        && !name.starts_with("test-")
        && !name.starts_with("test_")
        && !parts.iter().any(|part| FOLDERS.contains(part))
}
