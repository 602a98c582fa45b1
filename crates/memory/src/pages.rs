//! Pages of the semantic memory besides lessons: `DECISIONS.md` and `DOMAIN_KNOWLEDGE.md`, as entries to search.

use super::lessons::single_line;
use canonry_model::canon::decisions::{TeamDecision, parse_decisions};

/// Characters of a section beyond which each of its paragraphs is an entry of its own.
const LONG_SECTION: usize = 400;

/// The decisions in effect, each in one line, in file order.
pub fn decision_entries(text: &str) -> Vec<String> {
    parse_decisions(text).iter().filter(|decision| decision.is_in_effect()).map(decision_line).collect()
}

fn decision_line(decision: &TeamDecision) -> String {
    let text = plain_line(&decision.text);
    if text.is_empty() { decision.title.clone() } else { format!("{}: {text}", decision.title) }
}

/// The decisions to revisit on `today`, as in `2026-10-01`: title and date.
pub fn due_decisions(text: &str, today: &str) -> Vec<DueDecision> {
    let due = parse_decisions(text).into_iter().filter(|decision| decision.is_due(today));
    due.map(|decision| DueDecision {
        date: decision.revisit_date().unwrap_or_default().to_owned(),
        title: single_line(&decision.title),
    })
    .collect()
}

/// A decision to revisit.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct DueDecision {
    /// The heading.
    pub title: String,
    /// The date since when it is due.
    pub date: String,
}

/// The sections of a page, each in one line that starts with its title; of long sections each paragraph. The text below the first
/// heading is an introduction if there are other sections.
pub fn knowledge_entries(text: &str) -> Vec<String> {
    let mut sections: Vec<MemoryPageSection> = Vec::new();
    let mut is_code = false;
    for line in text.lines() {
        is_code ^= line.trim_start().starts_with("```");
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        if !is_code && (1..=6).contains(&level) && line[level..].starts_with(' ') {
            sections.push(MemoryPageSection { level, title: line[level..].trim().to_owned(), lines: Vec::new() });
        } else if let Some(section) = sections.last_mut() {
            section.lines.push(line);
        } else {
            sections.push(MemoryPageSection { level: 2, title: String::new(), lines: vec![line] });
        }
    }
    let has_sections = sections.iter().any(|section| section.level > 1);
    let sections = sections.into_iter().filter(|section| section.level > 1 || !has_sections);
    sections.flat_map(|section| section.entries()).collect()
}

struct MemoryPageSection<'a> {
    level: usize,
    title: String,
    lines: Vec<&'a str>,
}

impl MemoryPageSection<'_> {
    fn entries(&self) -> Vec<String> {
        let text = self.lines.join("\n");
        let is_long = text.chars().count() > LONG_SECTION;
        let parts: Vec<&str> = if is_long { text.split("\n\n").collect() } else { vec![&text] };
        let parts = parts.into_iter().map(plain_line).filter(|part| !part.is_empty());
        let entry = |part: String| if self.title.is_empty() { part } else { format!("{}: {part}", self.title) };
        parts.map(entry).collect()
    }
}

/// One line without comments and emphasis.
fn plain_line(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("<!--") {
        out.push_str(before);
        rest = comment.split_once("-->").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    single_line(&out.replace("**", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_in_effect_are_entries() {
        let text = "# Decisions\n\n## A\n\n**Decision:** x\n**Status:** accepted\n\n## B\n\nStatus: rejected\n\n## C\n";
        assert_eq!(decision_entries(text), ["A: Decision: x Status: accepted", "C"]);
    }

    #[test]
    fn due_decisions_have_title_and_date() {
        let text = "## A\n\nRevisit: 2026-10-01\n## B\n\nRevisit: 2027-10-01\n";
        let due = DueDecision { title: "A".to_owned(), date: "2026-10-01".to_owned() };
        assert_eq!(due_decisions(text, "2026-11-22"), [due]);
    }

    #[test]
    fn sections_of_knowledge_are_entries() {
        let text = "# Domain\n\nWhat we know.\n\n## Billing\n\nInvoices are **immutable**.\n<!-- note -->\n\n### Refunds\n\n- a\n- b\n";
        assert_eq!(knowledge_entries(text), ["Billing: Invoices are immutable.", "Refunds: - a - b"]);
        assert_eq!(knowledge_entries("# Domain\n\nOnly this.\n"), ["Domain: Only this."]);
        assert_eq!(knowledge_entries("plain\n"), ["plain"]);
        let long = format!("## T\n\n{}\n\nsecond\n", "word ".repeat(100));
        assert_eq!(knowledge_entries(&long).len(), 2);
        assert_eq!(knowledge_entries(""), Vec::<String>::new());
    }
}
