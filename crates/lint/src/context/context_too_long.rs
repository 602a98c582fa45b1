//! See `context_too_long.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::context_file::{AncestorContext, ContextFile, ContextKind};
use canonry_model::finding::{Location, Severity};
use canonry_text::{Source, Span};
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "context-too-long",
    summary: "context file is longer than the tool reads",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("context_too_long.md"),
    check: Check::Each(&[
        Check::Context(check),
        Check::At(Defaults::both(Severity::Info), &Check::Context(check_lines)),
    ]),
};

/// Maximum total size of all `AGENTS.md` files that Codex reads: `project_doc_max_bytes`, 32 KiB by default.
const CODEX_MAX_BYTES: u64 = 32 << 10;
/// Maximum length of a rule in Antigravity according to its users.
const ANTIGRAVITY_MAX_CHARACTERS: usize = 12_000;

const HELP: &str = "keep what every session needs, and refer to files with the rest";

/// Recommended maximum in the documentation of Claude Code: "Keep under 200 lines".
const MAX_LINES: usize = 200;

fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    findings.extend(match (file.kind, &file.ancestors) {
        (ContextKind::Agents, Some(above)) => check_chain(source, above),
        (ContextKind::AntigravityRule, _) => check_rule(source),
        _ => None,
    });
}

/// A finding at the start of the part that the tool does not read.
fn finding(source: &Arc<Source>, at: usize, message: String) -> Finding {
    RULE.at(Location::at(source, Span::new(at, at)), message).help(HELP)
}

/// All files from the repository root down share one limit. Each file is cut off where the files above leave no space.
fn check_chain(source: &Arc<Source>, above: &[AncestorContext]) -> Option<Finding> {
    let own = source.text().len() as u64;
    let before = above.iter().map(|above| above.bytes).sum::<u64>();
    let is_blank = source.text().trim().is_empty();
    if is_blank || own + before <= CODEX_MAX_BYTES {
        return None;
    }
    let left = CODEX_MAX_BYTES.saturating_sub(before);
    let text = source.text();
    let near = usize::try_from(left).unwrap_or(text.len());
    let at = (0..=near).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let all = own + before;
    let message = match (above.is_empty(), left) {
        (true, _) => format!(
            "the file has {own} bytes, but Codex reads at most {CODEX_MAX_BYTES} of all such files: the rest is cut off"
        ),
        (false, 0) => format!(
            "the files above have {before} bytes, but Codex reads at most {CODEX_MAX_BYTES} of all such files: this file is not read"
        ),
        (false, _) => format!(
            "this file and those above have {all} bytes, but Codex reads at most {CODEX_MAX_BYTES}: the rest is cut off"
        ),
    };
    let label = |above: &AncestorContext| format!("{} bytes are read first", above.bytes);
    let finding = finding(source, at, message).caused_by(first_too_long(source, above), ("file below", "files below"));
    Some(above.iter().fold(finding, |finding, above| finding.related(Location::file(&above.path), label(above))))
}

/// The first file of a chain that does not fit, which is the one to shorten for all below it.
fn first_too_long(source: &Arc<Source>, above: &[AncestorContext]) -> String {
    let mut total = 0;
    let mut too_long = above.iter().filter(|file| {
        total += file.bytes;
        total > CODEX_MAX_BYTES
    });
    too_long.next().map_or_else(|| source.path().to_string(), |file| file.path.to_string())
}

fn check_rule(source: &Arc<Source>) -> Option<Finding> {
    let text = source.text();
    let (at, _) = text.char_indices().nth(ANTIGRAVITY_MAX_CHARACTERS)?;
    let count = text.chars().count();
    Some(finding(
        source,
        at,
        format!("the rule has {count} characters, but Antigravity reads at most {ANTIGRAVITY_MAX_CHARACTERS}"),
    ))
}

/// `CLAUDE.md` has more lines than recommended.
fn check_lines(file: &ContextFile, findings: &mut Vec<Finding>) {
    let Ok(source) = file.document.as_ref() else { return };
    let lines = source.text().lines().count();
    if file.kind != ContextKind::Claude || lines <= MAX_LINES {
        return;
    }
    let message =
        format!("the file has {lines} lines; the documentation of Claude Code recommends fewer than {MAX_LINES}");
    let help = "move task-specific instructions to skills, to `.claude/rules/` with `paths:`, or to files it refers to";
    findings.push(RULE.at(Location::file(&file.path), message).help(help));
}
