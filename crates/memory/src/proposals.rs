//! Candidate lessons that another capability found, such as the rejections of a workflow.

use super::lessons::{LessonCandidate, normalized, single_line};
use super::review::StagedCandidate;

/// Digits of the id of an occurrence within its step.
const OCCURRENCE_DIGITS: usize = 8;

/// The name of a candidate: the same words have the same name. Case, spacing and a final full stop do not matter.
pub fn candidate_id(text: &str) -> String {
    digest(&["proposal", &normalized(text)], 16)
}

/// The id of the episode about a rejected step. It contains nothing that a citation in `LESSONS.md` would not survive.
pub fn episode_id(run: &str, step: &str, at: &str, reason: &str) -> String {
    let plain = |name: &str| -> String {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
        name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect()
    };
    format!("{}/{}.{}", plain(run), plain(step), digest(&["rejection", run, step, at, reason], OCCURRENCE_DIGITS))
}

/// The candidate of a proposed lesson.
pub fn staged_lesson(text: &str, episodes: Vec<String>, date: &str) -> StagedCandidate {
    let text = single_line(text);
    let pattern = Some(candidate_id(&text));
    StagedCandidate::from_lesson(
        &LessonCandidate { total: episodes.len(), text, episodes, pattern, salience: None },
        date,
    )
}

/// The first digits of the hash of a list of texts.
pub(super) fn digest(parts: &[&str], digits: usize) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        // The length keeps two lists of parts with the same concatenation apart.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..digits].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_are_the_same_candidate() {
        assert_eq!(candidate_id("Run  the tests."), candidate_id("run the\ntests"));
        assert_ne!(candidate_id("Run the tests."), candidate_id("Run no tests."));
        assert_eq!(candidate_id("x").len(), 16);
    }

    #[test]
    fn an_occurrence_has_one_id() {
        let id = episode_id("r 1", "re,view", "2026-05-01T03:00:00Z", "no tests");
        assert!(id.starts_with("r-1/re-view.") && id.len() == "r-1/re-view.".len() + 8, "{id}");
        assert_eq!(id, episode_id("r 1", "re,view", "2026-05-01T03:00:00Z", "no tests"));
        for other in [
            episode_id("r 2", "re,view", "2026-05-01T03:00:00Z", "no tests"),
            episode_id("r 1", "re;view", "2026-05-01T03:00:00Z", "no tests"),
            episode_id("r 1", "re,view", "2026-05-01T03:00:01Z", "no tests"),
            episode_id("r 1", "re,view", "2026-05-01T03:00:00Z", "no docs"),
        ] {
            assert_ne!(id, other);
        }
    }

    #[test]
    fn a_candidate_names_five_episodes_and_counts_all() {
        let episodes: Vec<String> = (0..7).map(|n| format!("r/s.{n}")).collect();
        let staged = staged_lesson("Run the\ntests", episodes, "2026-05-01");
        assert_eq!((staged.text.as_str(), staged.episodes.len(), staged.total), ("Run the tests", 5, 7));
    }
}
