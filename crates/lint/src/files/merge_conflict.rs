//! See `merge_conflict.md`.

use crate::repo_context::RepoContext;
use crate::{Check, Defaults, Finding, Rule};
use bstr::ByteSlice;
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::conflict::has_conflict;
use canonry_text::markdown::{self, CodeBlock};
use canonry_text::{Source, Span};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "merge-conflict",
    summary: "unresolved merge conflict in a file that agents read",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("merge_conflict.md"),
    check: Check::Each(&[Check::Skill(check), Check::AgentText(check_agent_text), Check::Repo(check_index)]),
};

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    // Another rule explains frontmatter that cannot be parsed.
    let front = skill.front().filter(|front| front.yaml.is_err()).map(|front| front.fences.yaml);
    for (source, outline) in skill.all_texts() {
        let blocks = outline.map_or(&[][..], |outline| &outline.blocks);
        let conflict = conflict(source.text(), blocks);
        let is_explained =
            |span: &Span| source.path() == skill.path() && front.is_some_and(|yaml| yaml.end() > span.offset);
        findings.extend(conflict.filter(|span| !is_explained(span)).map(|span| finding(source, span)));
    }
}

fn check_agent_text(text: &AgentText, findings: &mut Vec<Finding>) {
    let source = &text.source;
    if !source.text().contains(START) {
        return;
    }
    let is_markdown = [".md", ".mdc"].iter().any(|end| source.path().as_bstr().ends_with(end.as_bytes()));
    let blocks = if is_markdown { markdown::outline(source.text(), 0).blocks } else { Vec::new() };
    findings.extend(conflict(source.text(), &blocks).map(|span| finding(source, span)));
}

/// Of an unmerged file, the index has no version to check.
fn check_index(repo: &RepoContext, findings: &mut Vec<Finding>) {
    for path in &repo.unmerged {
        let finding = RULE.at(Location::file(path), "its merge conflict is not resolved in the index");
        findings.push(finding.help(format!("resolve it, then run `git add {path}`")));
    }
}

const START: &str = "<<<<<<< ";

/// The first line of the first complete conflict outside of code blocks, which show conflicts as examples.
fn conflict(text: &str, blocks: &[CodeBlock]) -> Option<Span> {
    text.as_bytes().find_iter(START).find_map(|at| {
        let is_line_start = at == 0 || text.as_bytes()[at - 1] == b'\n';
        let is_example = blocks.iter().any(|block| block.span.offset <= at && at < block.span.end());
        if !is_line_start || is_example {
            return None;
        }
        let first = text[at..].lines().next()?;
        has_conflict(&text.as_bytes()[at..]).then(|| Span::new(at, at + first.len()))
    })
}

fn finding(source: &Arc<Source>, span: Span) -> Finding {
    RULE.at(Location::at(source, span), "an unresolved merge conflict starts here")
        .help("keep one of the two versions, and remove the lines with markers")
}
