//! Violated constraints: an episode names a constraint from a skill's `KNOWLEDGE.md`, and the constraint becomes a lesson
//! for every agent.

use super::lesson_rule::action_of;
use super::lessons::{lesson_texts, normalized};
use super::proposals::digest;
use super::skill_knowledge::without_date;
use canonry_text::terms::distinct_stems;

/// Finds the list item of a `KNOWLEDGE.md` that an episode's `violated` field quotes: with the same words, otherwise with the same
/// stems besides stop words. The date on which a skill learned it does not matter.
pub fn find_constraint(knowledge: &str, violated: &str) -> Option<String> {
    let rule = |text: &str| without_date(action_of(text)).to_owned();
    let items: Vec<String> = lesson_texts(knowledge).iter().map(|item| rule(item)).collect();
    let violated = rule(violated);
    if violated.trim().is_empty() {
        return None;
    }
    let is_equal = |item: &&String| normalized(item) == normalized(&violated);
    let has_same_stems = |item: &&String| distinct_stems(item) == distinct_stems(&violated);
    items.iter().find(is_equal).or_else(|| items.iter().find(has_same_stems)).cloned()
}

/// The id of a constraint's lesson. It takes the place of a pattern's name.
pub fn constraint_id(skill: &str, constraint: &str) -> String {
    digest(&["constraint", skill, &normalized(constraint)], 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWLEDGE: &str = "# What deploys need\n\n## Constraints\n\n- Never deploy on a Friday.\n- Always run the smoke test\n  before traffic moves.\n- Keep 2 replicas.\n- Page the owner. (learned 2026-05-01)\n\nNever use prose.\n";

    #[test]
    fn finds_the_item_by_its_words() {
        let smoke = Some("Always run the smoke test before traffic moves.");
        for (violated, want) in [
            ("never deploy on a friday", Some("Never deploy on a Friday.")),
            ("Never deploy on Friday", Some("Never deploy on a Friday.")),
            ("always run the smoke test before the traffic moves", smoke),
            ("Page the owner", Some("Page the owner.")),
            ("Page the owner. (learned 2026-05-01)", Some("Page the owner.")),
            ("deploy on a Friday", None),
            ("Keep 3 replicas", None),
            ("never use prose", None),
            ("", None),
        ] {
            assert_eq!(find_constraint(KNOWLEDGE, violated).as_deref(), want, "{violated}");
        }
    }

    #[test]
    fn an_accepted_lesson_is_found_by_its_action() {
        let rule =
            "- Keep 2 replicas. Applies to: the web service. Why: one was not enough. (lesson 0123456789abcdef)\n";
        assert_eq!(find_constraint(rule, "keep 2 replicas").as_deref(), Some("Keep 2 replicas."));
    }

    #[test]
    fn id_ignores_case_and_spacing() {
        assert_eq!(constraint_id("deploy", "Never on  friday."), constraint_id("deploy", "never on Friday"));
        assert_ne!(constraint_id("deploy", "never on friday"), constraint_id("release", "never on friday"));
    }
}
