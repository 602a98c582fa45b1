//! Finds the skills that match a task.

use super::entry::ManifestEntry;
use canonry_text::bm25::{CorpusStats, Query, TermCounts, TermWeights};
use canonry_text::rank_fusion::fuse;
use canonry_text::terms::terms;

/// A skill answers a text if it covers this share of it, weighted by the rarity of the words, in a canon of up to
/// [`SMALL_CANON`] skills. What name and description cover counts twice.
const MIN_BEST_RELEVANCE: f64 = 0.35;
/// Additional relevance that a canon of ten times as many skills demands: the more skills, the more likely one of
/// them shares words with a question about something else.
const RELEVANCE_PER_DECADE: f64 = 0.2;
const SMALL_CANON: f64 = 20.0;
/// Weight of words that no skill knows, against all skills: they show that the question is about something else.
const UNKNOWN_PENALTY: f64 = 0.75;
/// Number of the best skills that are searched for a relevant one.
const BEST: usize = 5;
/// Words of a text that is so short that one of them is enough.
const SHORT: usize = 2;
/// Words of a text that names a skill by a single word. A longer one has a word by chance.
const NAMING: usize = 4;
/// Occurrences of a single word in the instructions from which on a skill is about it.
const FREQUENT: u32 = 3;

/// A skill with the text that is searched.
#[derive(Clone, Debug, Default)]
pub struct SearchableSkill {
    pub entry: ManifestEntry,
    /// The instructions, without the frontmatter.
    pub body: String,
}

/// A skill that matches a text.
#[derive(Clone, Debug, PartialEq)]
pub struct SkillMatch<'a> {
    pub entry: &'a ManifestEntry,
    pub score: MatchScore,
}

/// Score of a match. Any trigger counts more than all words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchScore {
    /// The triggers that occur in the text.
    pub triggers: Vec<String>,
    /// The fused rank of the text for name and description and for the instructions: 1 for the best skill of both.
    pub word_score: f64,
    /// The share of the text that occurs anywhere in the skill, weighted by the rarity of the words.
    pub coverage: f64,
    /// The share of the words of the text that occur in name and description, from 0 to 1.
    pub word_share: f64,
    /// Whether it has enough in common with the text to be an answer by itself.
    pub is_answer: bool,
}

impl MatchScore {
    /// Counts the words of the matching triggers: longer phrases are more specific.
    fn trigger_words(&self) -> usize {
        self.triggers.iter().map(|trigger| terms(trigger).len()).sum()
    }
}

/// The words of a text in one skill.
struct SkillCounts {
    /// In name and description.
    summary: TermCounts,
    body: TermCounts,
    all: TermCounts,
}

impl SkillCounts {
    fn new(question: &Query, skill: &SearchableSkill) -> Self {
        let summary = question.count([skill.entry.name.as_str(), skill.entry.description.as_str()]);
        let body = question.count([skill.body.as_str()]);
        Self { all: summary.with(&body), summary, body }
    }

    /// Whether one word is all that the skill has in common with a text of several, or a rare one in its instructions.
    fn is_chance(&self, question: &Query) -> bool {
        let is_subject = self.summary.has_any() || self.body.occurrences() >= FREQUENT;
        self.all.matched() < 2 && (question.len() > SHORT || !is_subject)
    }

    /// The share of the text that occurs in the skill, and again what occurs in name and description.
    fn relevance(&self, weights: &TermWeights) -> f64 {
        weights.coverage(&self.all) + weights.coverage(&self.summary)
    }
}

/// A skill, and whether the text has all words of its name: `write the incident report of last night`.
struct FoundSkill<'a> {
    skill: SkillMatch<'a>,
    is_named: bool,
}

/// The relevance that one of the best skills must have, in a canon of this many skills in which every word is known.
fn best_floor(skills: usize) -> f64 {
    MIN_BEST_RELEVANCE + RELEVANCE_PER_DECADE * (skills as f64 / SMALL_CANON).log10().max(0.0)
}

/// Whether one of the best skills is clearly about the text. If none is, they share words with it by chance.
pub fn has_answer(matches: &[SkillMatch<'_>]) -> bool {
    matches.iter().take(BEST).any(|found| found.score.is_answer)
}

/// Returns the skills that share words with a text, the best first: by triggers, then by words, then by the name in the text, then by
/// name, and deprecated ones last. [`has_answer`] says whether they are an answer.
pub fn match_skills<'a>(skills: &'a [SearchableSkill], text: &str) -> Vec<SkillMatch<'a>> {
    let words = terms(text);
    let question = Query::parse(text);
    let counts: Vec<SkillCounts> = skills.iter().map(|skill| SkillCounts::new(&question, skill)).collect();
    let stats = |part: fn(&SkillCounts) -> &TermCounts| -> CorpusStats {
        let mut stats = question.corpus_stats();
        counts.iter().for_each(|counts| stats.add(part(counts)));
        stats
    };
    let share = |counts: &TermCounts| counts.matched() as f64 / question.len().max(1) as f64;
    // The share of the words that occur is the coordination factor of Lucene's `ClassicSimilarity`: one rare word says less than
    // several common ones. https://lucene.apache.org/core/5_5_0/core/org/apache/lucene/search/similarities/TFIDFSimilarity.html
    let scores = |part: fn(&SkillCounts) -> &TermCounts| -> Vec<f64> {
        let weights = stats(part).weights();
        counts.iter().map(part).map(|counts| weights.score(counts) * share(counts)).collect()
    };
    let fused = fuse(&[scores(|counts| &counts.summary), scores(|counts| &counts.body)]);
    let weights = stats(|counts| &counts.all).weights();
    let floor = best_floor(skills.len()) + UNKNOWN_PENALTY * weights.unknown_share();
    let mut found: Vec<FoundSkill<'a>> = Vec::new();
    for ((skill, counts), word_score) in skills.iter().zip(&counts).zip(fused) {
        let entry = &skill.entry;
        let triggers: Vec<String> =
            entry.triggers.iter().filter(|trigger| occurs_in(trigger, &words)).cloned().collect();
        let name_words = question.contained_words(&entry.name);
        let is_named = name_words > 1 || (name_words == 1 && question.len() <= NAMING);
        let is_chance = counts.is_chance(&question);
        if is_chance && triggers.is_empty() && !is_named && !counts.summary.has_any() {
            continue;
        }
        let is_relevant = !is_chance && counts.relevance(&weights) >= floor;
        let score = MatchScore {
            is_answer: is_relevant || is_named || !triggers.is_empty(),
            triggers,
            word_score,
            coverage: weights.coverage(&counts.all),
            word_share: share(&counts.summary),
        };
        found.push(FoundSkill { skill: SkillMatch { entry, score }, is_named });
    }
    found.sort_by(|one, other| {
        let a = &one.skill;
        let b = &other.skill;
        // A deprecated skill comes after all that are in use.
        let by_use = a.entry.is_deprecated().cmp(&b.entry.is_deprecated());
        let by_trigger = b.score.trigger_words().cmp(&a.score.trigger_words());
        let by_name = other.is_named.cmp(&one.is_named);
        by_use
            .then(by_trigger)
            .then(b.score.word_score.total_cmp(&a.score.word_score))
            .then(by_name)
            .then_with(|| (&a.entry.name, &a.entry.path).cmp(&(&b.entry.name, &b.entry.path)))
    });
    found.into_iter().map(|found| found.skill).collect()
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

    fn skill(name: &str, description: &str, triggers: &[&str], body: &str) -> SearchableSkill {
        let triggers = triggers.iter().map(|text| (*text).to_owned()).collect();
        let entry = ManifestEntry {
            name: name.to_owned(),
            description: description.to_owned(),
            triggers,
            ..ManifestEntry::default()
        };
        SearchableSkill { entry, body: body.to_owned() }
    }

    fn entries() -> Vec<SearchableSkill> {
        vec![
            skill(
                "deploy-check",
                "Checks a deployment before traffic moves.",
                &["ship it", "deploy"],
                "Watch the canary.",
            ),
            skill("release-notes", "Drafts release notes from merged changes.", &["release notes"], ""),
            skill("triage-bug", "Finds who fixes a bug.", &[], "Read the stack trace, then the owners file."),
        ]
    }

    #[test]
    fn a_deprecated_skill_comes_last() {
        let mut entries = entries();
        entries[0].entry.replaced_by = Some("release".to_owned());
        let names: Vec<&str> = match_skills(&entries, "ship it: release notes of the deployment before traffic moves")
            .iter()
            .map(|found| found.entry.name.as_str())
            .collect();
        assert_eq!(names, ["release-notes", "deploy-check"]);
    }

    #[test]
    fn the_instructions_count_too() {
        let entries = entries();
        let names = |text: &str| match_skills(&entries, text).iter().map(|m| m.entry.name.clone()).collect::<Vec<_>>();
        assert_eq!(names("whose stack traces are these"), ["triage-bug"]);
        // One mention of one word is not enough.
        assert_eq!(names("canary"), Vec::<String>::new());
    }

    #[test]
    fn a_skill_that_is_named_is_found_among_words_that_no_skill_knows() {
        let entries = [skill("plan", "Splits an intake into steps with owners.", &[], "Write the steps.")];
        let has_answer = |text: &str| has_answer(&match_skills(&entries, text));
        assert!(has_answer("write a plan for the turbine"));
        assert!(!has_answer("write a poem about the turbine"));
        let entries = [skill("incident-report", "Writes what happened.", &[], "")];
        assert!(super::has_answer(&match_skills(
            &entries,
            "the incident report of last night's outage in the northern hall"
        )));
        assert!(!has_answer("the turbine has a crack in a blade, plan to paint the roof of the hall green"));
    }

    #[test]
    fn noise_has_no_answer() {
        let entries = entries();
        for text in [
            "what is the weather in Lisbon",
            "xqzt blorf",
            "thank you very much",
            "",
            "sing about bug shaped purple paper lanterns",
            "the umbrella moves before the rain",
        ] {
            assert!(!has_answer(&match_skills(&entries, text)), "{text}");
        }
        assert_eq!(match_skills(&entries, "what is the weather in Lisbon"), []);
    }

    #[test]
    fn triggers_come_before_words() {
        let entries = entries();
        let names = |text: &str| match_skills(&entries, text).iter().map(|m| m.entry.name.clone()).collect::<Vec<_>>();
        assert_eq!(names("Deploy, and draft release notes of merged changes"), ["release-notes", "deploy-check"]);
        assert_eq!(names("please SHIP  it!"), ["deploy-check"]);
        assert_eq!(names("shipping everything"), Vec::<String>::new());
        assert_eq!(names("who fixes the bugs"), ["triage-bug"]);
        let matched = match_skills(&entries, "ship it: deploy");
        assert_eq!(matched[0].score.triggers, ["ship it", "deploy"]);
    }

    proptest! {
        #[test]
        fn the_order_of_the_skills_does_not_count(text in "(deploy|bug|notes|ship it|the| ){0,6}", turn in 0..3usize) {
            let mut turned = entries();
            turned.rotate_left(turn);
            let names = |entries: &[SearchableSkill]| match_skills(entries, &text).iter().map(|m| m.entry.name.clone()).collect::<Vec<_>>();
            prop_assert_eq!(names(&turned), names(&entries()));
        }
    }
}
