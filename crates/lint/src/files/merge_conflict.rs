//! See `merge_conflict.md`.

use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::memory_file::MemoryFile;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::conflict::ConflictMarker;
use canonry_text::markdown::{self, CodeBlock};
use canonry_text::{Source, Span};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "merge-conflict",
    summary: "unresolved merge conflict in a file that agents read",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("merge_conflict.md"),
    check: Check::Each(&[
        Check::Skill(check),
        Check::AgentText(check_agent_text),
        Check::Memory(check_memory),
        Check::Repo(check_index),
    ]),
};

const HELP: &str = "keep what is right of both sides, and remove the lines with markers";

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    // Another rule explains frontmatter that cannot be parsed.
    let front = skill.front().filter(|front| front.yaml.is_err()).map(|front| front.fences.yaml);
    for (source, outline) in skill.all_texts().filter(|(source, _)| may_conflict(source.text())) {
        let blocks = outline.map_or(&[][..], |outline| &outline.blocks);
        let conflict = first_conflict(source.text(), blocks);
        let is_explained = |conflict: &Conflict| {
            source.path() == skill.path() && front.is_some_and(|yaml| yaml.end() > conflict.start.offset)
        };
        findings.extend(conflict.filter(|conflict| !is_explained(conflict)).map(|found| finding(source, found)));
    }
}

fn check_agent_text(text: &AgentText, findings: &mut Vec<Finding>) {
    let source = &text.source;
    if !may_conflict(source.text()) {
        return;
    }
    let blocks = text.outline.as_ref().map_or(&[][..], |outline| &outline.blocks);
    findings.extend(first_conflict(source.text(), blocks).map(|found| finding(source, found)));
}

/// The next dream adds its lessons between the markers, so each of them counts.
fn check_memory(file: &MemoryFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    let blocks = markdown::outline(source.text(), 0).blocks;
    findings.extend(conflicts(source.text(), &blocks).into_iter().map(|found| finding(source, found)));
}

/// Of an unmerged file, the index has no version to check.
fn check_index(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    for path in repo.unmerged.iter() {
        let finding = RULE.at(Location::file(path), "its merge conflict is not resolved in the index");
        findings.push(finding.help(format!("resolve it, then run `git add {}`", path.shell_word())));
    }
}

/// A conflict, or a marker without its counterpart.
struct Conflict {
    /// The first line, or the lone marker.
    start: Span,
    /// The last line.
    end: Option<Span>,
}

/// Whether a text may have a complete conflict. This search is faster than one line by line.
fn may_conflict(text: &str) -> bool {
    text.contains("<<<<<<< ")
}

fn first_conflict(text: &str, blocks: &[CodeBlock]) -> Option<Conflict> {
    conflicts(text, blocks).into_iter().find(|found| found.end.is_some())
}

/// The conflicts outside of code blocks, which show conflicts as examples.
fn conflicts(text: &str, blocks: &[CodeBlock]) -> Vec<Conflict> {
    let mut found = Vec::new();
    let mut open: Option<Span> = None;
    let mut offset = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end_matches(['\n', '\r']);
        let span = Span::new(offset, offset + line.len());
        offset += whole.len();
        let marker = side(line).filter(|_| !blocks.iter().any(|block| block.span.range().contains(&span.offset)));
        match marker {
            Some(ConflictMarker::Ours) => {
                found.extend(open.replace(span).map(|start| Conflict { start, end: None }));
            }
            Some(ConflictMarker::End) => found.push(match open.take() {
                Some(start) => Conflict { start, end: Some(span) },
                None => Conflict { start: span, end: None },
            }),
            _ => {}
        }
    }
    found.extend(open.map(|start| Conflict { start, end: None }));
    found
}

/// The marker of a line, if git names a side in it. Without a name, Markdown explains it: `=======` underlines a heading, and
/// `>>>>>>>` is a quote.
fn side(line: &str) -> Option<ConflictMarker> {
    let (_, name) = line.split_once(' ')?;
    ConflictMarker::of(line.as_bytes()).filter(|_| !name.trim().is_empty())
}

fn finding(source: &Arc<Source>, Conflict { start, end }: Conflict) -> Finding {
    let at = Location::at(source, start);
    match end {
        Some(end) => RULE
            .at(at, "an unresolved merge conflict starts here")
            .related(Location::at(source, end), "the conflict ends here"),
        None => RULE.at(at, "merge conflict marker without its counterpart"),
    }
    .help(HELP)
}
