//! The intake of a plan: `intake.md` with the headings that the `intake` skill names.

use super::markdown_page::{PageSection, is_placeholder, sections, without_comments};
use canonry_model::canon::phase_artifact::missing_content;

/// The headings of an intake, each with a hint for the person who fills it in.
const HEADINGS: [(&str, &str); 7] = [
    ("Request", "The request word for word, and the person who made it."),
    ("In our own words", "Two or three sentences: who gets what, and what is different for them afterwards."),
    ("Scope", "What is in scope and, above all, what is out of scope."),
    (
        "Acceptance criteria",
        "A numbered list. Each item can be found true or false by someone who did not do the work.",
    ),
    ("Assumptions", "What you take for granted and what is harmless if wrong."),
    ("Risks", "Data that cannot be restored, interfaces that others use, secrets, money."),
    ("Open questions", "What could change the plan. The intake is closed when there is none."),
];
const GOAL: &str = "In our own words";
const CRITERIA: &str = "Acceptance criteria";
const QUESTIONS: &str = "Open questions";

/// A parsed intake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intake {
    is_empty: bool,
    sections: Vec<PageSection>,
}

/// Why an intake is not closed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenIntake {
    /// Nothing is filled in.
    #[error("nothing is filled in")]
    Empty,
    /// There is no list item below the heading.
    #[error("it has no acceptance criteria: list them below the heading `Acceptance criteria`")]
    NoCriteria,
    /// A question is open.
    #[error("it has an open question: {0}")]
    Question(String),
}

/// The text of a new intake.
pub fn new_intake(id: &str) -> String {
    let mut text = format!("# Intake: {id}\n");
    for (heading, hint) in HEADINGS {
        text.push_str(&format!("\n## {heading}\n\n<!-- {hint} -->\n"));
    }
    text
}

impl Intake {
    /// Parses the text of an `intake.md`.
    pub fn parse(text: &str) -> Self {
        Self { is_empty: missing_content(text).is_some(), sections: sections(&without_comments(text)) }
    }

    /// The sections below a heading: its own and those of its subheadings.
    fn below(&self, title: &str) -> impl Iterator<Item = &PageSection> {
        let is_wanted = |section: &PageSection| {
            section.level > 0 && section.title.trim().trim_end_matches(':').eq_ignore_ascii_case(title)
        };
        let start = self.sections.iter().position(is_wanted);
        let level = start.and_then(|at| self.sections.get(at)).map_or(0, |section| section.level);
        let from = start.unwrap_or(self.sections.len());
        let inside = move |at: usize, section: &PageSection| at == 0 || section.level > level;
        self.sections
            .iter()
            .skip(from)
            .enumerate()
            .take_while(move |(at, section)| inside(*at, section))
            .map(|(_, s)| s)
    }

    /// The acceptance criteria.
    pub fn criteria(&self) -> Vec<&str> {
        self.below(CRITERIA).flat_map(PageSection::filled_items).collect()
    }

    /// Goal of the request: the first sentence of the team's own words.
    pub fn goal(&self) -> Option<&str> {
        let text = self.below(GOAL).map(|section| section.text.trim()).find(|text| !is_placeholder(text))?;
        let end = text.find(". ").map_or(text.len(), |at| at + 1);
        text.get(..end)
    }

    /// Why the intake is not closed; `None` if it is.
    pub fn open_reason(&self) -> Option<OpenIntake> {
        if self.is_empty {
            return Some(OpenIntake::Empty);
        }
        if self.criteria().is_empty() {
            return Some(OpenIntake::NoCriteria);
        }
        let is_none = |text: &str| {
            let text = text.trim().trim_end_matches('.');
            is_placeholder(text) || ["none", "no", "n/a", "nothing"].iter().any(|word| text.eq_ignore_ascii_case(word))
        };
        let texts = self.below(QUESTIONS).flat_map(|s| std::iter::once(s.text.as_str()).chain(s.filled_items()));
        texts.map(str::trim).find(|text| !is_none(text)).map(|text| OpenIntake::Question(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_intake_is_empty() {
        let intake = Intake::parse(&new_intake("rate-limit-uploads"));
        assert_eq!(intake.open_reason(), Some(OpenIntake::Empty));
        assert_eq!((intake.criteria(), intake.goal()), (Vec::new(), None));
    }

    #[test]
    fn an_intake_is_closed_with_criteria_and_without_questions() {
        let page = "# Intake: x\n\n## In our own words\n\nUsers get it. Soon.\n\n## Acceptance criteria\n\n### Server\n\n\
                    1. It answers\n   with 200.\n\n### Client\n- [ ] It shows `x`.\n\n## Open questions\n\nNone.\n";
        let intake = Intake::parse(page);
        assert_eq!(intake.open_reason(), None);
        assert_eq!(intake.criteria(), ["It answers with 200.", "It shows `x`."]);
        assert_eq!(intake.goal(), Some("Users get it."));
        let open = Intake::parse(&page.replace("None.", "- Which limit?"));
        assert_eq!(open.open_reason(), Some(OpenIntake::Question("Which limit?".to_owned())));
        assert_eq!(Intake::parse("# A\n\ntext\n").open_reason(), Some(OpenIntake::NoCriteria));
    }

    #[test]
    fn the_headings_are_those_of_the_skill() {
        let skill = include_str!("../../../app/scaffold/skills/intake/SKILL.md");
        let all = HEADINGS.map(|(heading, _)| format!("## {heading}\n")).concat();
        assert!(skill.contains(&all), "{all}");
    }
}
