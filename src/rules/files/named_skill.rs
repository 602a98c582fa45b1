//! Whether the text around a path names another skill, which has a file at this path.
//!
//! Either sign alone says little: many skills have a `references/examples.md`, and a sentence may name a skill for any reason.

use super::words_around::{is_list_item, list_introduction};
use crate::canon::skill::Skill;
use crate::syntax::markdown::MarkdownLink;
use crate::syntax::{Source, printable};

/// The target of a bare path that this skill does not have, if the text around it names another skill that has it: also elsewhere
/// in the text, it is that skill's file.
pub(super) fn path_in_named_skill<'a>(skill: &Skill, source: &Source, link: &'a MarkdownLink) -> Option<&'a str> {
    let owners = skill.surroundings.in_other_skills.get(&link.target)?;
    let text = text_around(source, link.span.offset);
    let own = skill.folder.path.file_name_lossy().to_lowercase();
    owners.iter().any(|owner| is_named(&owner.to_lowercase(), &own, &text)).then_some(link.target.as_str())
}

/// Lines of a text that are searched in each direction, and bytes of each line.
const MAX_LINES: usize = 12;
const MAX_LINE: usize = 1 << 10;

/// The paragraph, list item or table row that contains this offset, with the introduction of its list; in lower case and on one line.
fn text_around(source: &Source, offset: usize) -> String {
    let text = source.text();
    let span = source.line_span(offset);
    let (before, after) = (&text[span.offset..offset], &text[offset..span.end()]);
    let here = format!("{}{}", printable::tail(before, MAX_LINE), printable::head(after, MAX_LINE));
    let mut lines = vec![unquoted(&here)];
    if !is_alone(lines[0]) {
        for line in text[..span.offset].lines().rev().take(MAX_LINES).map(unquoted) {
            if is_list_item(lines[0]) || is_end(line) {
                break;
            }
            lines.insert(0, printable::head(line, MAX_LINE));
        }
        let below = text[span.end()..].lines().skip(1).take(MAX_LINES).map(unquoted);
        lines.extend(
            below.take_while(|line| !is_end(line) && !is_list_item(line)).map(|line| printable::head(line, MAX_LINE)),
        );
    }
    let introduction = list_introduction(source, offset).filter(|line| line.trim_end().ends_with(':'));
    let words = introduction.into_iter().chain(lines).flat_map(str::split_whitespace);
    words.collect::<Vec<_>>().join(" ").to_lowercase()
}

/// A line without the signs of a quotation.
fn unquoted(line: &str) -> &str {
    line.trim_start_matches([' ', '\t', '>'])
}

/// Whether a line is a block of its own: a heading or the row of a table.
fn is_alone(line: &str) -> bool {
    line.starts_with(['#', '|'])
}

/// Whether a line ends a paragraph.
fn is_end(line: &str) -> bool {
    line.trim().is_empty() || is_alone(line) || line.starts_with("```") || line.starts_with("---")
}

/// Whether a text names a skill. A name of several words is one wherever it stands; a single word is one only together with
/// "skill". `own` is the name of the skill with the text.
fn is_named(name: &str, own: &str, text: &str) -> bool {
    let joins = ['-', '_'];
    if name.contains(joins) && occurrences(name, text).next().is_some() || is_called_skill(name, text) {
        return true;
    }
    let is_part_of_own = |part: &str| own.split(joins).any(|own| own == part);
    let parts = [name.split(joins).next(), name.split(joins).next_back()];
    let is_telling = |part: &&str| part.len() > 2 && !GENERAL_WORDS.contains(part) && !is_part_of_own(part);
    parts.into_iter().flatten().filter(is_telling).any(|part| is_called_skill(part, text))
}

/// Words before "skill" that name no skill, although the names of some contain them.
const GENERAL_WORDS: [&str; 18] = [
    "agent", "agents", "another", "any", "claude", "codex", "each", "every", "first", "main", "new", "next", "other",
    "our", "same", "that", "the", "this",
];

/// Whether a word is followed by "skill", or is marked up and preceded by it: "the `notes` skill", "skill **notes**".
fn is_called_skill(word: &str, text: &str) -> bool {
    let marks = ['`', '*', '"', '“', '”', '\''];
    occurrences(word, text).any(|at| {
        let (before, after) = (&text[..at], &text[at + word.len()..]);
        let is_before = || {
            let outside = before.trim_end_matches(marks);
            outside.len() < before.len() && outside.trim_end_matches([' ', ':']).ends_with("skill")
        };
        let next = after.trim_start_matches(marks).trim_start_matches(' ');
        next.len() < after.len() && next.starts_with("skill") || is_before()
    })
}

/// Where a text contains a name as a whole word, and not as the name of a file.
fn occurrences<'a>(name: &'a str, text: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_inside = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    text.match_indices(name).map(|(at, _)| at).filter(move |at| {
        let mut after = text[at + name.len()..].chars();
        let next = after.next();
        let is_file = next == Some('.') && after.next().is_some_and(char::is_alphanumeric);
        !text[..*at].ends_with(is_inside) && !next.is_some_and(is_inside) && !is_file
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::RepoPath;

    #[test]
    fn paragraphs_items_and_quotations_are_whole() {
        for (text, want) in [
            (
                "One.\n\nLoad the base\nskill, then\n`x.md` and\nmore.\n\nLast.",
                "load the base skill, then `x.md` and more.",
            ),
            ("- One\n- Two\n  of `x.md`\n  here\n- Three", "- two of `x.md` here"),
            (
                "> Load `a-b` for\n> the rules (`x.md`) -\n> and so on\n\nLast.",
                "load `a-b` for the rules (`x.md`) - and so on",
            ),
            ("| a-b |\n| `x.md` | A |\n| c-d |", "| `x.md` | a |"),
            ("Above.\n## `x.md`\nBelow.", "## `x.md`"),
            ("Of the skill a-b:\n\n- one\n- `x.md`\n", "of the skill a-b: - `x.md`"),
            ("Of a-b.\n\n- `x.md`\n", "- `x.md`"),
            ("```\ncode\n```\nSee `x.md`.\n---\nNot this.", "see `x.md`."),
        ] {
            let source = Source::new(RepoPath::from("SKILL.md"), text.to_owned());
            let offset = text.find("x.md").unwrap_or_default();
            assert_eq!(text_around(&source, offset), want, "{text}");
        }
    }

    #[test]
    fn names_are_whole_words_and_single_words_need_the_word_skill() {
        for (name, text, want) in [
            ("note-base", "load `note-base`. read its `references/a.md`", true),
            ("note-base", "in the **note-base** skill", true),
            ("note-base", "use `the note-base (by its name)`", true),
            ("note-base", "`team:note-base` has it", true),
            ("note-base", "load `note-base-tags`", false),
            ("note-base", "read `references/note-base.md`", false),
            ("note-base", "use the base skill's `references/a.md`", true),
            ("note-base", "use the note skill's `references/a.md`", false),
            ("note-base", "the base of it", false),
            ("agent-notes", "every agent skill has it", false),
            ("design", "if the design skill is installed, its", true),
            ("design", "in the skill `design`", true),
            ("design", "the skill design", false),
            ("design", "the design of a skill", false),
            ("design", "design-skill", false),
            ("design", "`design` has it", false),
        ] {
            assert_eq!(is_named(name, "note-tags", text), want, "{name}: {text}");
        }
    }
}
