//! A skill that is proposed: what went well several times in the same way, and of which somebody said how.

use super::alike::is_alike;
use super::lessons::single_line;
use super::review::{Kind, Queue, Staged};
use super::row::Row;
use super::wording::Wording;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Times that something is done the same way before it is proposed as a skill.
pub const TIMES: usize = 3;
/// What candidates for skills are called by, before their name.
pub const PREFIX: &str = "skill:";
/// Characters of a skill's name, by the specification.
const NAME: usize = 64;
/// Words of an action that a name is made of.
const WORDS: usize = 6;
/// Ways to do it that a draft tells.
const STEPS: usize = 5;
/// Characters of what it is for and of each step.
const TEXT: usize = 500;
/// Words that a name can do without.
const EMPTY: [&str; 14] = ["a", "an", "and", "as", "at", "by", "for", "in", "of", "on", "that", "the", "this", "with"];

/// The rows of a pattern that went the same way, and well, where there are enough of them and one says what is to be learnt.
pub fn same_way(rows: &[Row], pattern: &[usize]) -> Option<Vec<usize>> {
    let mut ways: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for at in pattern {
        if let Some(result) = rows[*at].way.result {
            ways.entry(result.get()).or_default().push(*at);
        }
    }
    // Of several ways the one that was gone most often, of equals the one that was gone first.
    let most = ways.into_values().max_by_key(|way| (way.len(), std::cmp::Reverse(way[0])))?;
    let is_told = most.iter().any(|at| rows[*at].way.reflects);
    (most.len() >= TIMES && is_told).then_some(most)
}

/// Whether two actions are the same, as rows of a pattern are: in these words, or with words added.
pub fn is_same(one: &str, other: &str) -> bool {
    let (said, also) = (Wording::of(one), Wording::of(other));
    said.text == also.text || (said.marked == also.marked && is_alike(&said.plain, &also.plain))
}

/// Whether a skill that does this waits, or a person has said something of it.
pub fn is_known(action: &str, queue: &Queue) -> bool {
    let skills = queue.entries.iter().map(|entry| &entry.staged).filter(|staged| staged.kind == Kind::Skill);
    let named = format!("{PREFIX}{}", name(action));
    skills.into_iter().any(|staged| staged.candidate == named || is_same(&staged.text, action))
}

/// What the rows of a way say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// What was done, in the words of the first row.
    pub action: String,
    /// What each row says is to be learnt.
    pub reflections: Vec<String>,
    /// The rows' ids.
    pub ids: Vec<String>,
}

/// The candidate.
pub fn proposed(said: &Said, of: usize, date: &str) -> Staged {
    let mut steps: Vec<String> = Vec::new();
    for reflection in said.reflections.iter().map(|text| cut(&single_line(text))) {
        if !reflection.is_empty() && !steps.contains(&reflection) && steps.len() < STEPS {
            steps.push(reflection);
        }
    }
    Staged {
        candidate: format!("{PREFIX}{}", name(&said.action)),
        kind: Kind::Skill,
        date: date.to_owned(),
        text: cut(&single_line(&said.action)),
        steps,
        episodes: said.ids.clone(),
        of,
    }
}

fn cut(text: &str) -> String {
    text.chars().take(TEXT).collect::<String>().trim_end().to_owned()
}

/// The first words that tell something, as a skill may be called.
pub fn name(action: &str) -> String {
    // Without what is said of the occasion, such as `on retry`.
    let said = Wording::of(action).text;
    let words = said.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let told: Vec<&str> = words.clone().filter(|word| !EMPTY.contains(word)).take(WORDS).collect();
    let words = if told.is_empty() { words.take(WORDS).collect() } else { told };
    let mut name = String::new();
    for word in words {
        let joined = if name.is_empty() { word.len() } else { name.len() + 1 + word.len() };
        if joined > NAME {
            break;
        }
        if !name.is_empty() {
            name.push('-');
        }
        name.push_str(word);
    }
    if name.is_empty() { format!("pattern-{}", &blake3::hash(action.as_bytes()).to_hex()[..8]) } else { name }
}

/// The name that a candidate's skill has.
pub fn skill_of(staged: &Staged) -> &str {
    staged.candidate.strip_prefix(PREFIX).unwrap_or(&staged.candidate)
}

/// The draft of its `SKILL.md`, for a person to finish.
pub fn draft(staged: &Staged) -> String {
    let name = skill_of(staged);
    let title = name.replace('-', " ");
    // Whoever wrote the line of the queue: each text stays on its own line.
    let said = single_line(&staged.text);
    let what = said.trim_end_matches('.');
    let description = format!("{}. Use when this is to be done again: {}.", capital(what), title);
    let mut draft = format!(
        "---\nname: {name}\ndescription: {}\n---\n\n# {}\n\n{}.\n\n## How\n\n",
        serde_json::Value::from(description),
        capital(&title),
        capital(what),
    );
    for step in &staged.steps {
        let _ = writeln!(draft, "- {}", single_line(step));
    }
    let rest = staged.of.saturating_sub(staged.episodes.len());
    let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
    let _ = writeln!(
        draft,
        "\n## Where it comes from\n\nDone the same way in {}{more}.",
        single_line(&staged.episodes.join(", "))
    );
    draft
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{Chunk, Ruleset, scan};
    use proptest::prelude::*;

    fn way(results: &[(&str, &str)]) -> Option<Vec<usize>> {
        let line = |(result, reflection): &(&str, &str)| {
            serde_json::json!({
                "timestamp": "2026-05-01T00:00:00Z", "action": "rotate the key", "result": result, "reflection": reflection,
            })
            .to_string()
                + "\n"
        };
        let log: String = results.iter().map(line).collect();
        let chunk = Chunk { bytes: log.as_bytes(), offset: 0, lines: 0 };
        let rows: Vec<Row> = scan(chunk, Ruleset::Current).into_iter().flatten().collect();
        same_way(&rows, &(0..rows.len()).collect::<Vec<_>>())
    }

    #[test]
    fn three_times_the_same_way_and_told() {
        let (ok, how) = ("success", "revoke the old one last");
        assert_eq!(way(&[(ok, how), (ok, ""), (ok, "")]), Some(vec![0, 1, 2]));
        assert_eq!(way(&[("failure", how), (ok, how), (ok, ""), ("", ""), (ok, "")]), Some(vec![1, 2, 4]));
        assert_eq!(way(&[("partly", how), ("partly", ""), (ok, ""), ("partly", "")]), Some(vec![0, 1, 3]));
        for too_little in [
            &[(ok, how), (ok, how)][..],
            &[(ok, ""), (ok, " "), (ok, "")],
            &[("failure", how), ("failure", how), ("failure", how)],
            &[(ok, how), ("partly", how), ("failure", how)],
            &[("", how), ("", how), ("", how)],
        ] {
            assert_eq!(way(too_little), None, "{too_little:?}");
        }
    }

    #[test]
    fn names() {
        for (action, want) in [
            ("Rotate the signing key of the API", "rotate-signing-key-api"),
            ("ran `cargo test -p auth` for the release", "ran-cargo-test-p-auth-release"),
            ("the", "the"),
            ("Rotated the key (run 12) on retry", "rotated-key"),
            ("zurücksetzen", "zur-cksetzen"),
            ("回す", "pattern-7e95bd94"),
        ] {
            assert_eq!(name(action), want, "{action}");
        }
    }

    #[test]
    fn the_same_with_words_added() {
        for (one, other, want) in [
            ("Rotate the signing key of the api", "rotate signing key of api (run 3)", true),
            ("Rotate the signing key of the api", "Rotate the signing key of the api carefully", true),
            ("Rotate the signing key of the api", "Rotate the signing key of the app", false),
            ("Rotate key 1", "Rotate key 2", false),
        ] {
            assert_eq!(is_same(one, other), want, "{one} / {other}");
        }
    }

    proptest! {
        /// A name that the specification allows, whatever was done.
        #[test]
        fn every_name_is_one(action in "(?s).*") {
            let name = name(&action);
            prop_assert!(!name.is_empty() && name.len() <= NAME, "{name}");
            prop_assert!(name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'), "{name}");
            prop_assert!(!name.starts_with('-') && !name.ends_with('-') && !name.contains("--"), "{name}");
        }
    }
}
