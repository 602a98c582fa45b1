//! Part of `context-too-long`: `CLAUDE.md` has more lines than recommended.

use super::context_too_long::RULE;
use crate::Finding;
use canonry_model::canon::context_file::{ContextFile, ContextKind};
use canonry_model::finding::Location;

/// Recommended maximum in the documentation of Claude Code: "Keep under 200 lines".
const MAX_LINES: usize = 200;

pub(super) fn check(file: &ContextFile, findings: &mut Vec<Finding>) {
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
