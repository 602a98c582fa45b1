//! See `context_many_lines.md`.

use crate::canon::context_file::{ContextFile, ContextKind};
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "context-many-lines",
    summary: "`CLAUDE.md` has more lines than recommended",
    severity: Defaults::both(Severity::Info),
    docs: include_str!("context_many_lines.md"),
    check: Check::Context(check),
};

/// "Keep under 200 lines", says Claude Code's documentation of memory files.
const LINES: usize = 200;

fn check(file: &ContextFile, findings: &mut RawFindings) {
    let Ok(source) = file.document.as_ref() else { return };
    let lines = source.text().lines().count();
    if file.kind != ContextKind::Claude || lines <= LINES {
        return;
    }
    let message = format!("the file has {lines} lines; Claude Code's documentation advises fewer than {LINES}");
    let help =
        "move what only some tasks need into skills, into `.claude/rules/` with `paths:`, or into files it names";
    findings.push(RawFinding::new(Location::file(&file.path), message).help(help));
}
