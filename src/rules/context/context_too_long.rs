//! See `context_too_long.md`.

use crate::canon::context_file::{ContextFile, ContextKind};
use crate::finding::{Draft, Place, Severity};
use crate::rules::{Check, Defaults, Drafts, Rule};
use crate::syntax::Span;

pub(super) static RULE: Rule = Rule {
    id: "context-too-long",
    summary: "a context file that is longer than a tool reads",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("context_too_long.md"),
    check: Check::Context(check),
};

/// Bytes of all `AGENTS.md` together that Codex reads: `project_doc_max_bytes`, 32 KiB by default.
const CODEX_BYTES: usize = 32 << 10;
/// Characters of a rule that Antigravity takes, as its users report.
const ANTIGRAVITY_CHARACTERS: usize = 12_000;

fn check(file: &ContextFile, drafts: &mut Drafts) {
    let Ok(source) = &file.document else { return };
    let text = source.text();
    // Where the rest begins that is not read, and what is said of it.
    let cut = match file.kind {
        ContextKind::Agents if text.len() > CODEX_BYTES => {
            let at = (0..=CODEX_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
            let message = format!(
                "the file has {} bytes, and Codex reads {CODEX_BYTES} of all such files together: the rest is cut off",
                text.len()
            );
            Some((at, message))
        }
        ContextKind::AntigravityRule => text.char_indices().nth(ANTIGRAVITY_CHARACTERS).map(|(at, _)| {
            let count = text.chars().count();
            (at, format!("the rule has {count} characters, and Antigravity takes {ANTIGRAVITY_CHARACTERS}"))
        }),
        _ => None,
    };
    let Some((at, message)) = cut else { return };
    let help = "keep here what every session needs, and name the files that hold the rest";
    let place = Place::at(source, Span::new(at, at));
    drafts.push(Draft::new(place, message).help(help));
}
