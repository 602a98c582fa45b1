//! Which skills fit what is to be done.

use super::entry::ManifestEntry;
use crate::syntax::bm25::{Query, TermCounts};
use crate::syntax::terms::terms;

/// A skill that fits.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillMatch<'a> {
    /// The skill.
    pub card: &'a ManifestEntry,
    /// What speaks for it.
    pub why: MatchScore,
}

/// What speaks for a skill. Any trigger counts more than all words do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchScore {
    /// Those of its triggers that stand in the text, as they are written.
    pub triggers: Vec<String>,
    /// BM25 of the text's words in its name and description.
    pub words: f64,
}

impl MatchScore {
    /// The words of the triggers that stand in the text: a longer phrase says more.
    fn triggered(&self) -> usize {
        self.triggers.iter().map(|trigger| terms(trigger).len()).sum()
    }
}

/// The skills that fit a text, the best first: by the triggers that stand in it, then by words, then by name.
pub fn match_skills<'a>(cards: &'a [ManifestEntry], text: &str) -> Vec<SkillMatch<'a>> {
    let said = terms(text);
    let question = Query::parse(text);
    let counts: Vec<TermCounts> =
        cards.iter().map(|card| question.count([card.name.as_str(), card.description.as_str()])).collect();
    let mut tally = question.corpus_stats();
    counts.iter().for_each(|counts| tally.add(counts));
    let weights = tally.weights();
    let matched = |(card, counts): (&'a ManifestEntry, &TermCounts)| {
        let triggers = card.triggers.iter().filter(|trigger| stands_in(trigger, &said)).cloned().collect();
        let why = MatchScore { triggers, words: weights.score(counts) };
        (!why.triggers.is_empty() || counts.has_any()).then_some(SkillMatch { card, why })
    };
    let mut found: Vec<SkillMatch<'a>> = cards.iter().zip(&counts).filter_map(matched).collect();
    found.sort_by(|a, b| {
        let by_trigger = b.why.triggered().cmp(&a.why.triggered());
        by_trigger
            .then(b.why.words.total_cmp(&a.why.words))
            .then_with(|| (&a.card.name, &a.card.path).cmp(&(&b.card.name, &b.card.path)))
    });
    found
}

/// Whether all words of a phrase stand in a text side by side and in their order; case and punctuation do not count.
fn stands_in(phrase: &str, said: &[String]) -> bool {
    let phrase = terms(phrase);
    !phrase.is_empty() && said.windows(phrase.len()).any(|window| window == phrase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn card(name: &str, description: &str, triggers: &[&str]) -> ManifestEntry {
        let triggers = triggers.iter().map(|text| (*text).to_owned()).collect();
        ManifestEntry {
            name: name.to_owned(),
            description: description.to_owned(),
            triggers,
            ..ManifestEntry::default()
        }
    }

    fn cards() -> Vec<ManifestEntry> {
        vec![
            card("deploy-check", "Checks a deployment before traffic moves.", &["ship it", "deploy"]),
            card("release-notes", "Drafts release notes from merged changes.", &["release notes"]),
            card("triage-bug", "Finds who mends a bug.", &[]),
        ]
    }

    #[test]
    fn triggers_come_before_words() {
        let cards = cards();
        let names = |text: &str| match_skills(&cards, text).iter().map(|m| m.card.name.clone()).collect::<Vec<_>>();
        assert_eq!(names("Deploy, and draft release notes of merged changes"), ["release-notes", "deploy-check"]);
        assert_eq!(names("please SHIP  it!"), ["deploy-check"]);
        assert_eq!(names("redeployed it, ship everything"), Vec::<String>::new());
        assert_eq!(names("who mends the bugs"), ["triage-bug"]);
        let matched = match_skills(&cards, "ship it: deploy");
        assert_eq!(matched[0].why.triggers, ["ship it", "deploy"]);
    }

    proptest! {
        #[test]
        fn the_order_of_the_skills_does_not_count(text in "(deploy|bug|notes|ship it|the| ){0,6}", turn in 0..3usize) {
            let mut turned = cards();
            turned.rotate_left(turn);
            let names = |cards: &[ManifestEntry]| match_skills(&cards, &text).iter().map(|m| m.card.name.clone()).collect::<Vec<_>>();
            prop_assert_eq!(names(&turned), names(&cards()));
        }
    }
}
