//! Deprecation and successor of a skill in its own words, and the skills that it names.

use canonry_model::canon::skill::Skill;
use canonry_model::finding::Location;
use canonry_text::Span;

/// Whether the skill is deprecated: `deprecated` is true or has a reason.
pub fn is_deprecated(skill: &Skill) -> bool {
    let stated = skill.metadata("deprecated").is_some_and(|(text, _)| !matches!(text.trim(), "" | "false" | "no"));
    stated || replaced_by(skill).is_some()
}

/// The name of the skill that replaces this one.
pub fn replaced_by(skill: &Skill) -> Option<(String, Location)> {
    let source = skill.source()?;
    let (text, span) = ["replaced-by", "replaced_by"].iter().find_map(|key| skill.metadata(key))?;
    let name = text.trim();
    (!name.is_empty()).then(|| (name.to_owned(), Location::at(source, span)))
}

/// Names of skills in the body: `` `name` skill ``, `` skill `name` ``.
pub fn mentions(skill: &Skill) -> Vec<(String, Location)> {
    let (Some(source), Some(front)) = (skill.source(), skill.front()) else { return Vec::new() };
    let start = front.fences.body.offset;
    let Some(body) = source.text().get(start..) else { return Vec::new() };
    let found = named_skills(body).into_iter();
    found
        .map(|(name, at)| (name.to_owned(), Location::at(source, Span::new(start + at, start + at + name.len()))))
        .collect()
}

/// Names in backticks next to the word `skill`, with their offsets.
fn named_skills(text: &str) -> Vec<(&str, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(open) = text[from..].find('`').map(|at| from + at) {
        let Some(close) = text[open + 1..].find('`').map(|at| open + 1 + at) else { break };
        let name = &text[open + 1..close];
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
        let before = text[..open].trim_end_matches([' ', '\n']);
        let after = text[close + 1..].trim_start_matches([' ', '\n', '*']);
        let is_skill = after.starts_with("skill") || before.ends_with("skill") || before.ends_with("Skill");
        if is_name && is_skill {
            found.push((name, open + 1));
        }
        // A fence or an empty span has no name; what follows may.
        from = if is_name { close + 1 } else { open + 1 };
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_next_to_the_word_skill() {
        for (text, want) in [
            ("Use the `notes` skill first.", &["notes"][..]),
            ("See skill `deploy`.", &["deploy"]),
            ("Run `make` and the `a-b` skill.", &["a-b"]),
            ("Run `make`.", &[]),
            ("```sh\nskill\n```", &[]),
            ("`a b` skill", &[]),
        ] {
            let names: Vec<&str> = named_skills(text).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, want, "{text}");
        }
    }
}
