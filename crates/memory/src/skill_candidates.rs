//! Skill candidates: an action that succeeded several times in the same way, with a reflection that says how, is proposed
//! as a skill.

use super::lessons::single_line;
use super::review::{CandidateKind, ReviewQueue, StagedCandidate};
use super::row::EpisodeRow;
use super::similarity::{ActionTerms, is_similar};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Successes with the same result after which a skill is proposed.
pub const MIN_REPETITIONS: usize = 3;
/// Prefix of a skill candidate's name, before the name of the skill.
pub const SKILL_PREFIX: &str = "skill:";
/// Characters of a skill name, from the Agent Skills specification.
const MAX_NAME: usize = 64;
/// Words of an action in the name of its skill.
const NAME_WORDS: usize = 6;
/// Steps in a draft.
const MAX_STEPS: usize = 5;
/// Characters of the action and of each step.
const MAX_TEXT: usize = 500;
/// Words left out of names.
const STOP_WORDS: [&str; 14] =
    ["a", "an", "and", "as", "at", "by", "for", "in", "of", "on", "that", "the", "this", "with"];

/// The rows of a pattern that share its most common successful result, if there are enough of them and one has a reflection.
pub fn repeated_successes(rows: &[EpisodeRow], pattern: &[usize]) -> Option<Vec<usize>> {
    let mut by_result: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for at in pattern {
        if let Some(result) = rows[*at].outcome.result {
            by_result.entry(result.get()).or_default().push(*at);
        }
    }
    // Of equally common results, the one that occurred first.
    let most = by_result.into_values().max_by_key(|rows| (rows.len(), std::cmp::Reverse(rows[0])))?;
    let has_reflection = most.iter().any(|at| rows[*at].outcome.has_reflection);
    (most.len() >= MIN_REPETITIONS && has_reflection).then_some(most)
}

/// Whether two actions would be rows of the same pattern: equal or similar terms.
pub fn is_same_action(one: &str, other: &str) -> bool {
    let one = ActionTerms::parse(one);
    let other = ActionTerms::parse(other);
    one.text == other.text || (one.fixed == other.fixed && is_similar(&one.free, &other.free))
}

/// Whether the queue contains a skill for this action, in any state.
pub fn is_proposed(action: &str, queue: &ReviewQueue) -> bool {
    let skills = queue.entries.iter().map(|entry| &entry.staged).filter(|staged| staged.kind == CandidateKind::Skill);
    let candidate = format!("{SKILL_PREFIX}{}", skill_name(action));
    skills.into_iter().any(|staged| staged.candidate == candidate || is_same_action(&staged.text, action))
}

/// The texts of the rows a skill is proposed from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillEvidence {
    /// The action of the first row with a reflection.
    pub action: String,
    /// The reflections of the rows.
    pub reflections: Vec<String>,
    /// The ids of the first rows.
    pub episodes: Vec<String>,
    /// The number of rows.
    pub total: usize,
}

/// The skill candidate for this evidence.
pub fn propose_skill(evidence: &SkillEvidence, date: &str) -> StagedCandidate {
    let mut steps: Vec<String> = Vec::new();
    for reflection in evidence.reflections.iter().map(|text| shortened(&single_line(text))) {
        if !reflection.is_empty() && !steps.contains(&reflection) && steps.len() < MAX_STEPS {
            steps.push(reflection);
        }
    }
    StagedCandidate {
        candidate: format!("{SKILL_PREFIX}{}", skill_name(&evidence.action)),
        kind: CandidateKind::Skill,
        date: date.to_owned(),
        text: shortened(&single_line(&evidence.action)),
        steps,
        episodes: evidence.episodes.clone(),
        total: evidence.total,
        target: None,
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect::<String>().trim_end().to_owned()
}

/// A valid skill name made of the first meaningful words of an action.
pub fn skill_name(action: &str) -> String {
    // The terms leave out suffixes such as `on retry`.
    let terms = ActionTerms::parse(action).text;
    let words = terms.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let meaningful: Vec<&str> = words.clone().filter(|word| !STOP_WORDS.contains(word)).take(NAME_WORDS).collect();
    let words = if meaningful.is_empty() { words.take(NAME_WORDS).collect() } else { meaningful };
    let mut name = String::new();
    for word in words {
        let length = if name.is_empty() { word.len() } else { name.len() + 1 + word.len() };
        if length > MAX_NAME {
            break;
        }
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(word);
    }
    if name.is_empty() { format!("pattern-{}", &blake3::hash(action.as_bytes()).to_hex()[..8]) } else { name }
}

/// The name of the skill that a candidate proposes.
pub fn proposed_skill_name(staged: &StagedCandidate) -> &str {
    staged.candidate.strip_prefix(SKILL_PREFIX).unwrap_or(&staged.candidate)
}

/// The draft of the skill's `SKILL.md`, for a person to finish.
pub fn draft_skill(staged: &StagedCandidate) -> String {
    let name = proposed_skill_name(staged);
    let title = name.replace('-', " ");
    // Anyone can write the queue file, so every text is forced onto one line.
    let action = single_line(&staged.text);
    let action = action.trim_end_matches('.');
    let description = format!("{}. Use this skill to {title}.", capitalized(action));
    let mut draft = format!(
        "---\nname: {name}\ndescription: {}\n---\n\n# {}\n\n{}.\n\n## Steps\n\n",
        serde_json::Value::from(description),
        capitalized(&title),
        capitalized(action),
    );
    for step in &staged.steps {
        let _ = writeln!(draft, "- {}", single_line(step));
    }
    let rest = staged.total.saturating_sub(staged.episodes.len());
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    let episodes = single_line(&staged.episodes.join(", "));
    let _ = writeln!(draft, "\n## Source\n\nDone the same way in episodes {episodes}{more}.");
    draft
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LogChunk, Ruleset, parse_rows};
    use proptest::prelude::*;

    fn successes(results: &[(&str, &str)]) -> Option<Vec<usize>> {
        let line = |(result, reflection): &(&str, &str)| {
            serde_json::json!({
                "timestamp": "2026-05-01T00:00:00Z", "action": "rotate the key", "result": result, "reflection": reflection,
            })
            .to_string()
                + "\n"
        };
        let log: String = results.iter().map(line).collect();
        let chunk = LogChunk { bytes: log.as_bytes(), offset: 0, lines: 0 };
        let rows: Vec<EpisodeRow> = parse_rows(chunk, Ruleset::Current).into_iter().flatten().collect();
        repeated_successes(&rows, &(0..rows.len()).collect::<Vec<_>>())
    }

    #[test]
    fn three_equal_results_and_a_reflection_are_needed() {
        let ok = "success";
        let how = "revoke the old one last";
        assert_eq!(successes(&[(ok, how), (ok, ""), (ok, "")]), Some(vec![0, 1, 2]));
        assert_eq!(successes(&[("failure", how), (ok, how), (ok, ""), ("", ""), (ok, "")]), Some(vec![1, 2, 4]));
        assert_eq!(successes(&[("partly", how), ("partly", ""), (ok, ""), ("partly", "")]), Some(vec![0, 1, 3]));
        for too_little in [
            &[(ok, how), (ok, how)][..],
            &[(ok, ""), (ok, " "), (ok, "")],
            &[("failure", how), ("failure", how), ("failure", how)],
            &[(ok, how), ("partly", how), ("failure", how)],
            &[("", how), ("", how), ("", how)],
        ] {
            assert_eq!(successes(too_little), None, "{too_little:?}");
        }
    }

    #[test]
    fn names_come_from_meaningful_words() {
        for (action, want) in [
            ("Rotate the signing key of the API", "rotate-signing-key-api"),
            ("ran `cargo test -p auth` for the release", "ran-cargo-test-p-auth-release"),
            ("the", "the"),
            ("Rotated the key (run 12) on retry", "rotated-key"),
            ("zurücksetzen", "zur-cksetzen"),
            ("回す", "pattern-7e95bd94"),
        ] {
            assert_eq!(skill_name(action), want, "{action}");
        }
    }

    #[test]
    fn the_same_action_may_have_words_added() {
        for (one, other, want) in [
            ("Rotate the signing key of the api", "rotate signing key of api (run 3)", true),
            ("Rotate the signing key of the api", "Rotate the signing key of the api carefully", true),
            ("Rotate the signing key of the api", "Rotate the signing key of the app", false),
            ("Rotate key 1", "Rotate key 2", false),
        ] {
            assert_eq!(is_same_action(one, other), want, "{one} / {other}");
        }
    }

    proptest! {
        /// Every action gives a name that the specification allows.
        #[test]
        fn names_are_valid(action in "(?s).*") {
            let name = skill_name(&action);
            prop_assert!(!name.is_empty() && name.len() <= MAX_NAME, "{name}");
            prop_assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{name}");
            prop_assert!(!name.starts_with('-') && !name.ends_with('-') && !name.contains("--"), "{name}");
        }
    }
}
