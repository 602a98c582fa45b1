//! A constraint that a skill knows of and that was not kept: it is worth a lesson for everyone.

use super::alike::is_alike;
use super::lessons::{folded, listed};
use super::wording::Wording;

/// The constraint in a skill's `KNOWLEDGE.md`, one item of a list, that a row means by what it says was violated: the same
/// words, or as [patterns](super::wording) are told, with words added.
pub fn meant(knowledge: &str, violated: &str) -> Option<String> {
    let items = listed(knowledge);
    let same = |item: &&String| folded(item) == folded(violated);
    let wanted = Wording::of(violated);
    let alike = |item: &&String| {
        let said = Wording::of(item);
        said.marked == wanted.marked && !said.text.is_empty() && is_alike(&said.plain, &wanted.plain)
    };
    items.iter().find(same).or_else(|| items.iter().find(alike)).cloned()
}

/// What the lesson of a constraint is called, as lessons are by their pattern.
pub fn name(skill: &str, constraint: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"constraint::");
    hasher.update(skill.as_bytes());
    hasher.update(b"::");
    hasher.update(folded(constraint).as_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWLEDGE: &str = "# What deploys need\n\n## Constraints\n\n- Never deploy on a Friday.\n- Always run the smoke test\n  before traffic moves.\n- Keep 2 replicas.\n\nNever use prose.\n";

    #[test]
    fn the_item_that_is_meant() {
        let smoke = Some("Always run the smoke test before traffic moves.");
        for (violated, want) in [
            ("never deploy on a friday", Some("Never deploy on a Friday.")),
            ("Never deploy on Friday", Some("Never deploy on a Friday.")),
            ("always run the smoke test before the traffic moves", smoke),
            ("deploy on a Friday", None),
            ("Keep 3 replicas", None),
            ("never use prose", None),
            ("", None),
        ] {
            assert_eq!(meant(KNOWLEDGE, violated).as_deref(), want, "{violated}");
        }
    }

    #[test]
    fn a_constraint_has_one_name() {
        assert_eq!(name("deploy", "Never on  friday."), name("deploy", "never on Friday"));
        assert_ne!(name("deploy", "never on friday"), name("release", "never on friday"));
    }
}
