//! Finds the skills that match a task.

use super::entry::ManifestEntry;
use crate::syntax::bm25::{Query, TermCounts};
use crate::syntax::terms::terms;

/// A skill that matches a text.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillMatch<'a> {
    pub entry: &'a ManifestEntry,
    pub score: MatchScore,
}

/// How well a skill matches. Any trigger counts more than all words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchScore {
    /// The triggers that occur in the text.
    pub triggers: Vec<String>,
    /// The BM25 score of the text for name and description.
    pub word_score: f64,
    /// The share of the words of the text that occur in name and description, from 0 to 1.
    pub word_share: f64,
}

impl MatchScore {
    /// Counts the words of the matching triggers: longer phrases are more specific.
    fn trigger_words(&self) -> usize {
        self.triggers.iter().map(|trigger| terms(trigger).len()).sum()
    }
}

/// Returns the skills that match a text, the best first: by triggers, then by words, then by name.
pub fn match_skills<'a>(entries: &'a [ManifestEntry], text: &str) -> Vec<SkillMatch<'a>> {
    let words = terms(text);
    let question = Query::parse(text);
    let counts: Vec<TermCounts> =
        entries.iter().map(|entry| question.count([entry.name.as_str(), entry.description.as_str()])).collect();
    let mut tally = question.corpus_stats();
    counts.iter().for_each(|counts| tally.add(counts));
    let weights = tally.weights();
    let matched = |(entry, counts): (&'a ManifestEntry, &TermCounts)| {
        let triggers = entry.triggers.iter().filter(|trigger| occurs_in(trigger, &words)).cloned().collect();
        let word_share = counts.distinct() as f64 / question.len().max(1) as f64;
        let score = MatchScore { triggers, word_score: weights.score(counts), word_share };
        (!score.triggers.is_empty() || counts.has_any()).then_some(SkillMatch { entry, score })
    };
    let mut found: Vec<SkillMatch<'a>> = entries.iter().zip(&counts).filter_map(matched).collect();
    found.sort_by(|a, b| {
        let by_trigger = b.score.trigger_words().cmp(&a.score.trigger_words());
        by_trigger
            .then(b.score.word_score.total_cmp(&a.score.word_score))
            .then_with(|| (&a.entry.name, &a.entry.path).cmp(&(&b.entry.name, &b.entry.path)))
    });
    found
}

/// Checks whether the words of a phrase occur in a text consecutively and in order, ignoring case and punctuation.
fn occurs_in(phrase: &str, words: &[String]) -> bool {
    let phrase = terms(phrase);
    !phrase.is_empty() && words.windows(phrase.len()).any(|window| window == phrase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry(name: &str, description: &str, triggers: &[&str]) -> ManifestEntry {
        let triggers = triggers.iter().map(|text| (*text).to_owned()).collect();
        ManifestEntry {
            name: name.to_owned(),
            description: description.to_owned(),
            triggers,
            ..ManifestEntry::default()
        }
    }

    fn entries() -> Vec<ManifestEntry> {
        vec![
            entry("deploy-check", "Checks a deployment before traffic moves.", &["ship it", "deploy"]),
            entry("release-notes", "Drafts release notes from merged changes.", &["release notes"]),
            entry("triage-bug", "Finds who fixes a bug.", &[]),
        ]
    }

    #[test]
    fn triggers_come_before_words() {
        let entries = entries();
        let names = |text: &str| match_skills(&entries, text).iter().map(|m| m.entry.name.clone()).collect::<Vec<_>>();
        assert_eq!(names("Deploy, and draft release notes of merged changes"), ["release-notes", "deploy-check"]);
        assert_eq!(names("please SHIP  it!"), ["deploy-check"]);
        assert_eq!(names("redeployed it, ship everything"), Vec::<String>::new());
        assert_eq!(names("who fixes the bugs"), ["triage-bug"]);
        let matched = match_skills(&entries, "ship it: deploy");
        assert_eq!(matched[0].score.triggers, ["ship it", "deploy"]);
    }

    proptest! {
        #[test]
        fn the_order_of_the_skills_does_not_count(text in "(deploy|bug|notes|ship it|the| ){0,6}", turn in 0..3usize) {
            let mut turned = entries();
            turned.rotate_left(turn);
            let names = |entries: &[ManifestEntry]| match_skills(entries, &text).iter().map(|m| m.entry.name.clone()).collect::<Vec<_>>();
            prop_assert_eq!(names(&turned), names(&entries()));
        }
    }
}
