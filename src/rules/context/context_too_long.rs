//! See `context_too_long.md`.

use crate::canon::context_file::AncestorContext;
use crate::canon::context_file::{ContextFile, ContextKind};
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};
use crate::syntax::{Source, Span};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "context-too-long",
    summary: "context file is longer than the tool reads",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("context_too_long.md"),
    check: Check::Context(check),
};

/// Bytes of all `AGENTS.md` together that Codex reads: `project_doc_max_bytes`, 32 KiB by default.
const CODEX_BYTES: u64 = 32 << 10;
/// Characters of a rule that Antigravity takes, as its users report.
const ANTIGRAVITY_CHARACTERS: usize = 12_000;

const HELP: &str = "keep here what every session needs, and name the files that hold the rest";

fn check(file: &ContextFile, findings: &mut RawFindings) {
    let Ok(source) = &file.document else { return };
    findings.extend(match (file.kind, &file.ancestors) {
        (ContextKind::Agents, Some(above)) => of_chain(source, above),
        (ContextKind::AntigravityRule, _) => of_rule(source),
        _ => None,
    });
}

/// Stands where the rest begins that is not read.
fn finding(source: &Arc<Source>, at: usize, message: String) -> RawFinding {
    RawFinding::new(Location::at(source, Span::new(at, at)), message).help(HELP)
}

/// The files from the top down share one limit, so that each is cut where those above it leave no more.
fn of_chain(source: &Arc<Source>, above: &[AncestorContext]) -> Option<RawFinding> {
    let (own, before) = (source.text().len() as u64, above.iter().map(|above| above.bytes).sum::<u64>());
    let is_blank = source.text().trim().is_empty();
    if is_blank || own + before <= CODEX_BYTES {
        return None;
    }
    let left = CODEX_BYTES.saturating_sub(before);
    let text = source.text();
    let near = usize::try_from(left).unwrap_or(text.len());
    let at = (0..=near).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let all = own + before;
    let message = match (above.is_empty(), left) {
        (true, _) => format!(
            "the file has {own} bytes, and Codex reads {CODEX_BYTES} of all such files together: the rest is cut off"
        ),
        (false, 0) => format!(
            "the files above have {before} bytes, and Codex reads {CODEX_BYTES} of all such files together: nothing of this one is read"
        ),
        (false, _) => format!(
            "with those above it the file has {all} bytes, and Codex reads {CODEX_BYTES} of all such files together: the rest is cut off"
        ),
    };
    let label = |above: &AncestorContext| format!("{} bytes are read before", above.bytes);
    let finding = finding(source, at, message);
    Some(above.iter().fold(finding, |finding, above| finding.related(Location::file(&above.path), label(above))))
}

fn of_rule(source: &Arc<Source>) -> Option<RawFinding> {
    let text = source.text();
    let (at, _) = text.char_indices().nth(ANTIGRAVITY_CHARACTERS)?;
    let count = text.chars().count();
    Some(finding(
        source,
        at,
        format!("the rule has {count} characters, and Antigravity takes {ANTIGRAVITY_CHARACTERS}"),
    ))
}
