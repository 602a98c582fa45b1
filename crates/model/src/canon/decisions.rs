//! `semantic/DECISIONS.md`: one section per decision.
//!
//! ```text
//! ## 2026-04-28: Keep the queue in the database
//!
//! **Decision:** …
//! **Rationale:** …
//! **Alternatives:** …
//! **Status:** accepted
//! **Revisit:** 2026-10-01
//! ```

use canonry_text::Span;
use std::collections::BTreeMap;

/// A part of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DecisionPart {
    Decision,
    Rationale,
    Alternatives,
    Status,
    Revisit,
}

impl DecisionPart {
    /// The parts that every decision has.
    pub const REQUIRED: [Self; 4] = [Self::Decision, Self::Rationale, Self::Alternatives, Self::Status];

    pub fn name(self) -> &'static str {
        match self {
            Self::Decision => "decision",
            Self::Rationale => "rationale",
            Self::Alternatives => "alternatives",
            Self::Status => "status",
            Self::Revisit => "revisit",
        }
    }

    /// The part with this label, as in `Alternatives considered`.
    fn parse(label: &str) -> Option<Self> {
        let label = label.trim().to_lowercase();
        let first = label.split(' ').next()?;
        match first {
            "decision" | "decided" => Some(Self::Decision),
            "rationale" | "why" | "reason" | "reasons" | "because" => Some(Self::Rationale),
            "alternatives" | "alternative" | "instead" | "rejected" | "considered" => Some(Self::Alternatives),
            "status" => Some(Self::Status),
            "revisit" | "review" => Some(Self::Revisit),
            _ => None,
        }
    }
}

/// Statuses of decisions that are no longer in effect.
const ENDED: [&str; 5] = ["superseded", "rejected", "deprecated", "withdrawn", "replaced"];

/// A decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamDecision {
    /// The heading.
    pub title: String,
    /// The line of the heading.
    pub span: Span,
    /// The texts of its parts, without markup. A part with a label and no text is left out.
    pub parts: BTreeMap<DecisionPart, String>,
    /// The whole section without the heading.
    pub text: String,
}

impl TeamDecision {
    /// Whether it applies: it was neither replaced nor rejected.
    pub fn is_in_effect(&self) -> bool {
        let status = self.parts.get(&DecisionPart::Status).map(|status| status.to_lowercase()).unwrap_or_default();
        !ENDED.iter().any(|ended| status.starts_with(ended))
    }

    /// The required parts that it lacks. A heading that is a sentence states the decision.
    pub fn missing(&self) -> Vec<DecisionPart> {
        let is_sentence =
            self.title.split_whitespace().filter(|word| word.starts_with(char::is_alphabetic)).count() >= 3;
        let is_stated =
            |part: &DecisionPart| self.parts.contains_key(part) || (*part == DecisionPart::Decision && is_sentence);
        DecisionPart::REQUIRED.into_iter().filter(|part| !is_stated(part)).collect()
    }

    /// The date to revisit it, as in `2026-10-01`.
    pub fn revisit_date(&self) -> Option<&str> {
        let text = self.parts.get(&DecisionPart::Revisit)?;
        let is_date = |word: &&str| word.len() == 10 && word.parse::<jiff::civil::Date>().is_ok();
        text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).find(is_date)
    }

    /// Whether it is in effect and its date is not after `today`, as in `2026-10-01`.
    pub fn is_due(&self, today: &str) -> bool {
        self.is_in_effect() && self.revisit_date().is_some_and(|date| date <= today)
    }
}

/// The decisions of a text in file order: its sections of the second level.
pub fn parse_decisions(text: &str) -> Vec<TeamDecision> {
    let mut decisions: Vec<TeamDecision> = Vec::new();
    let mut part = None;
    let mut is_code = false;
    let mut offset = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.trim_end();
        let span = Span::new(offset, offset + line.len());
        offset += whole.len();
        is_code ^= line.trim_start().starts_with("```");
        let title = line.strip_prefix("## ").filter(|title| !is_code && !title.trim().is_empty());
        if let Some(title) = title {
            let title = title.trim().to_owned();
            decisions.push(TeamDecision { title, span, parts: BTreeMap::new(), text: String::new() });
            part = None;
            continue;
        }
        let Some(decision) = decisions.last_mut() else { continue };
        decision.text.push_str(whole);
        let (label, rest) = if is_code { (None, line) } else { split_label(line) };
        part = label.or(part);
        let rest = rest.trim();
        if let Some(part) = part.filter(|_| !rest.is_empty()) {
            let text = decision.parts.entry(part).or_default();
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(rest);
        }
    }
    decisions
}

/// The part that a line starts, and the text after the label: `- **Status:** accepted`, `Status: accepted` or `### Status`.
fn split_label(line: &str) -> (Option<DecisionPart>, &str) {
    if let Some(heading) = line.strip_prefix("###") {
        return match DecisionPart::parse(heading.trim_start_matches('#')) {
            Some(part) => (Some(part), ""),
            None => (None, line),
        };
    }
    let plain = line.trim_start().trim_start_matches(['-', '*', '+', '_', ' ']);
    let labelled = plain.split_once(':').and_then(|(label, rest)| {
        let part = DecisionPart::parse(label.trim_end_matches(['*', '_']))?;
        (label.split_whitespace().count() <= 3).then_some((Some(part), rest.trim_start_matches(['*', '_', ' '])))
    });
    labelled.unwrap_or((None, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Decisions\n\nOne section each.\n\n## 2026-04-28: Keep the queue in the database\n\n\
        **Decision:** No broker.\n**Rationale:** It lost messages\ntwice.\n- **Alternatives considered**: RabbitMQ\n\
        **Status:** accepted\n**Revisit:** on 2026-10-01, or earlier\n\n## Use tabs\n\n### Decision\n\nTabs.\n\n### Status\n\nSuperseded by spaces\n\
        \n```\n## not a decision\n```\n## Bare\n\nWe just do it: always.\n**Rationale:**\n";

    #[test]
    fn reads_labels_and_headings() {
        let decisions = parse_decisions(TEXT);
        let titles: Vec<&str> = decisions.iter().map(|decision| decision.title.as_str()).collect();
        assert_eq!(titles, ["2026-04-28: Keep the queue in the database", "Use tabs", "Bare"]);
        assert_eq!(decisions[0].missing(), []);
        assert_eq!(decisions[0].parts[&DecisionPart::Rationale], "It lost messages twice.");
        assert_eq!(decisions[0].parts[&DecisionPart::Alternatives], "RabbitMQ");
        assert_eq!(decisions[1].missing(), [DecisionPart::Rationale, DecisionPart::Alternatives]);
        assert_eq!(decisions[2].missing(), DecisionPart::REQUIRED);
        assert_eq!(&TEXT[decisions[1].span.range()], "## Use tabs");
    }

    #[test]
    fn due_from_the_date_while_in_effect() {
        let decisions = parse_decisions(TEXT);
        assert!(decisions[0].is_due("2026-10-01") && decisions[0].is_due("2027-01-01"));
        assert!(!decisions[0].is_due("2026-09-30"));
        assert!(!decisions[1].is_in_effect() && decisions[2].is_in_effect() && !decisions[2].is_due("2999-01-01"));
        let vague = parse_decisions("## A\nRevisit: soon\n");
        assert_eq!(vague[0].revisit_date(), None);
    }
}
