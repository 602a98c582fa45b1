//! Skill candidates: an action that succeeded several times in the same way, with a reflection that says how, is proposed
//! as a skill.

use super::consolidation::{DreamDecision, MIN_REPETITIONS, Pattern};
use super::lessons::{normalized, single_line};
use super::promotion::MAX_PENDING;
use super::review::{CandidateKind, ReviewQueue, StagedCandidate};
use canonry_text::terms::is_stop_word;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Rows with a reflection that are read for a skill.
const MAX_EVIDENCE_ROWS: usize = 10;
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
/// The new skills, the most frequent action first, limited to the free places in the queue. `names` has the canon's skills.
pub fn new_skills(
    decision: &DreamDecision,
    names: &BTreeSet<String>,
    queue: &ReviewQueue,
    date: &str,
) -> Vec<StagedCandidate> {
    let known = queue.entries.iter().map(|entry| &entry.staged).filter(|staged| staged.kind == CandidateKind::Skill);
    let mut known: Vec<(String, String)> =
        known.map(|staged| (staged.candidate.clone(), normalized(&staged.text))).collect();
    let pending = queue.pending().filter(|entry| entry.staged.kind == CandidateKind::Skill).count();
    let mut patterns: Vec<&Pattern> = decision.repeated.iter().collect();
    patterns.sort_by_key(|pattern| Reverse(pattern.rows.len()));
    let mut staged: Vec<StagedCandidate> = Vec::new();
    for pattern in patterns {
        if pending + staged.len() >= MAX_PENDING {
            break;
        }
        let Some((skill, evidence)) = skill_evidence(decision, pattern) else { continue };
        let candidate = propose_skill(&evidence, date);
        let is_known = names.contains(&skill)
            || names.contains(proposed_skill_name(&candidate))
            || known.iter().any(|(name, text)| *name == candidate.candidate || *text == normalized(&evidence.action));
        if !is_known && !evidence.action.trim().is_empty() {
            known.push((candidate.candidate.clone(), normalized(&candidate.text)));
            staged.push(candidate);
        }
    }
    staged
}

/// The skill that the first row with a reflection names, and the texts of the rows.
fn skill_evidence(decision: &DreamDecision, pattern: &Pattern) -> Option<(String, SkillEvidence)> {
    let text = |field: Option<&str>| field.unwrap_or_default().to_owned();
    let with_reflection = pattern.rows.iter().filter(|at| decision.log.rows[**at].outcome.has_reflection);
    let rows: Vec<usize> = with_reflection.copied().take(MAX_EVIDENCE_ROWS).collect();
    let reflection = |row: &usize| decision.log.episode(*row, |episode| text(episode.reflection.as_deref()));
    let (skill, action) = decision
        .log
        .episode(*rows.first()?, |episode| (text(episode.skill.as_deref()), text(episode.action.as_deref())))?;
    let evidence = SkillEvidence {
        action,
        reflections: rows.iter().filter_map(reflection).collect(),
        episodes: pattern.rows.iter().take(MIN_REPETITIONS).map(|row| decision.row_id(*row)).collect(),
        total: pattern.rows.len(),
    };
    Some((skill, evidence))
}

/// The texts of the rows a skill is proposed from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct SkillEvidence {
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
fn propose_skill(evidence: &SkillEvidence, date: &str) -> StagedCandidate {
    let mut steps: Vec<String> = Vec::new();
    for reflection in evidence.reflections.iter().map(|text| shortened(&single_line(text))) {
        if !reflection.is_empty() && !steps.contains(&reflection) && steps.len() < MAX_STEPS {
            steps.push(reflection);
        }
    }
    let name = format!("{SKILL_PREFIX}{}", skill_name(&evidence.action));
    let text = shortened(&single_line(&evidence.action));
    StagedCandidate {
        steps,
        episodes: evidence.episodes.clone(),
        total: evidence.total,
        ..StagedCandidate::new(CandidateKind::Skill, name, text, date.to_owned())
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect::<String>().trim_end().to_owned()
}

/// A valid skill name made of the first meaningful words of an action.
pub fn skill_name(action: &str) -> String {
    let lowered = action.to_lowercase();
    let words = lowered.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let meaningful: Vec<&str> = words.clone().filter(|word| !is_stop_word(word)).take(NAME_WORDS).collect();
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
    use proptest::prelude::*;

    #[test]
    fn names_come_from_meaningful_words() {
        for (action, want) in [
            ("Rotate the signing key of the API", "rotate-signing-key-api"),
            ("ran `cargo test -p auth` for the release", "ran-cargo-test-p-auth-release"),
            ("the", "the"),
            ("Rotated the key", "rotated-key"),
            ("zurücksetzen", "zur-cksetzen"),
            ("回す", "pattern-7e95bd94"),
        ] {
            assert_eq!(skill_name(action), want, "{action}");
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
