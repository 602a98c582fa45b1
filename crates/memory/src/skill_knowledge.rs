//! Knowledge of a skill: dated list items in its `KNOWLEDGE.md`.

use super::lesson_rule::{RuleInsertion, inline, insertion, new_page};
use super::lessons::{lesson_texts, normalized, single_line};

/// Between an item's text and its date.
const LEARNED: &str = " (learned ";

/// Change of a `KNOWLEDGE.md`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KnowledgeChange {
    /// It says so already.
    Known,
    /// The file is new, with this text.
    NewFile(String),
    /// A line is inserted.
    Insertion(RuleInsertion),
    /// There is no place for a list item: the file ends inside a code block, a comment or HTML.
    NoPlace,
}

/// The change that adds `text` to the knowledge of a skill, unless an item already has the same words. Case, spacing, a final
/// full stop and the date do not matter.
pub fn learn(knowledge: Option<&str>, skill: &str, text: &str, date: &str) -> KnowledgeChange {
    let text = single_line(text);
    let is_same = |item: &String| normalized(without_date(item)) == normalized(&text);
    if lesson_texts(knowledge.unwrap_or_default()).iter().any(is_same) {
        return KnowledgeChange::Known;
    }
    let line = format!("- {}{LEARNED}{date})", inline(&text));
    match knowledge {
        Some(knowledge) if !knowledge.trim().is_empty() => match insertion(knowledge, &line) {
            Some(insertion) => KnowledgeChange::Insertion(insertion),
            None => KnowledgeChange::NoPlace,
        },
        _ => KnowledgeChange::NewFile(new_page(skill, &line)),
    }
}

/// The text of an item without the date it was learned.
pub(super) fn without_date(item: &str) -> &str {
    match item.rsplit_once(LEARNED) {
        Some((text, date)) if date.len() == "2026-05-01)".len() && date.ends_with(')') => text,
        _ => item,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn learned(knowledge: &str, text: &str, date: &str) -> String {
        match learn(Some(knowledge), "deploy", text, date) {
            KnowledgeChange::NewFile(text) => text,
            KnowledgeChange::Insertion(RuleInsertion { offset, text }) => {
                let mut all = knowledge.to_owned();
                all.insert_str(offset, &text);
                all
            }
            KnowledgeChange::Known | KnowledgeChange::NoPlace => knowledge.to_owned(),
        }
    }

    #[test]
    fn entries_are_dated_and_written_once() {
        let first = learned("", "Warm the cache\nfirst.", "2026-05-01");
        assert_eq!(first, "# deploy\n\n## Lessons\n\n- Warm the cache first. (learned 2026-05-01)\n");
        let second = learned(&first, "Check the quota.", "2026-05-02");
        assert_eq!(second, format!("{first}- Check the quota. (learned 2026-05-02)\n"));
        for again in ["warm the cache first", "Check  the quota."] {
            assert_eq!(learn(Some(&second), "deploy", again, "2026-06-01"), KnowledgeChange::Known, "{again}");
        }
    }

    #[test]
    fn other_sections_and_items_stay() {
        let own = "# What deploys need\n\n## Constraints\n\n- Never deploy on a Friday.\n\nProse.\n";
        let after = learned(own, "Warm the cache.", "2026-05-01");
        assert_eq!(after, format!("{own}\n## Lessons\n\n- Warm the cache. (learned 2026-05-01)\n"));
        assert_eq!(learn(Some(own), "deploy", "Never deploy on a Friday", "2026-05-01"), KnowledgeChange::Known);
        assert_eq!(learn(Some("```\nopen\n"), "deploy", "x", "2026-05-01"), KnowledgeChange::NoPlace);
    }
}
