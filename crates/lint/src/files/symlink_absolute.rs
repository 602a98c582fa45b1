//! See `symlink_absolute.md`.

use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::blob::{BlobError, DocumentError};
use canonry_model::canon::context_file::ContextFile;
use canonry_model::canon::inventory::is_skill_document;
use canonry_model::canon::skill::Skill;
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::finding::{Location, Severity};
use canonry_text::RepoPath;

pub(super) static RULE: Rule = Rule {
    id: "symlink-absolute",
    summary: "symbolic link with an absolute target",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("symlink_absolute.md"),
    check: Check::Each(&[
        Check::Skill(check),
        Check::Context(check_context),
        Check::ToolFile(check_tool_file),
        Check::Repo(check_skill_links),
    ]),
};

const HELP: &str = "write the target relative to the link, or replace the link with the file itself";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    if let Err(problem) = &skill.document {
        findings.extend(target_of(problem).map(|target| finding(skill.path(), target)));
    }
    // The check of the outer skill covers the files of a nested one.
    if skill.folder.nested_in.is_some() {
        return;
    }
    let links = skill.links.iter().filter(|link| link.target.starts_with('/') && !is_skill_document(&link.path));
    findings.extend(links.map(|link| finding(&link.path, &link.target)));
}

fn check_context(file: &ContextFile, findings: &mut Vec<Finding>) {
    let target = file.document.as_ref().err().and_then(target_of);
    findings.extend(target.map(|target| finding(&file.path, target)));
}

fn check_tool_file(file: &ToolFile, findings: &mut Vec<Finding>) {
    let target = file.document.as_ref().err().and_then(target_of);
    findings.extend(target.map(|target| finding(&file.path, target)));
}

fn check_skill_links(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    findings.extend(repo.absolute_skill_links.iter().map(|(path, target)| finding(path, target)));
}

/// The absolute target of the link that a document is, if that is why it cannot be read.
pub(super) fn target_of(problem: &DocumentError) -> Option<&str> {
    match problem {
        DocumentError::Missing(BlobError::Dangling { target } | BlobError::Outside { target }) => {
            Some(target.as_str()).filter(|target| target.starts_with('/'))
        }
        _ => None,
    }
}

/// Links to one place have one cause.
fn finding(path: &RepoPath, target: &str) -> Finding {
    let message = format!("the link target `{target}` is an absolute path, which other clones do not have");
    RULE.at(Location::file(path), message).help(HELP).caused_by(place(target), ("link", "links"))
}

/// The home directory, or the first folder of a path.
fn place(target: &str) -> String {
    let parts: Vec<&str> = target.split('/').filter(|part| !part.is_empty()).collect();
    let length = if matches!(parts.first(), Some(&"home" | &"Users")) { 2 } else { 1 };
    parts[..parts.len().min(length)].join("/")
}
