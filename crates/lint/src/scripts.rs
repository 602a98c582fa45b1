//! Scripts of skills.

use canonry_model::canon::script::ScriptLanguage;
use canonry_model::canon::skill::{Skill, SkillText};
use canonry_text::Source;
use canonry_text::markdown::{LinkKind, MarkdownLink};

/// The language of a script; `None` if the text is not a script.
pub(crate) fn language(text: &SkillText) -> Option<ScriptLanguage> {
    ScriptLanguage::of(text.source.path(), text.source.text())
}

/// Whether a command in a code fence of the skill starts the script itself, without an interpreter.
pub(crate) fn is_started_by_command(skill: &Skill, script: &SkillText) -> bool {
    skill.all_texts().any(|(source, outline)| {
        let links = outline.into_iter().flat_map(|outline| &outline.links);
        links.into_iter().any(|link| {
            let path = skill.path().resolve_beside(link.target.as_bytes());
            link.kind == LinkKind::Command
                && path.as_ref() == Some(script.source.path())
                && starts_command(source, link)
        })
    })
}

/// Whether nothing but a prompt and variables precedes a path in its command.
fn starts_command(source: &Source, link: &MarkdownLink) -> bool {
    let line = source.line_span(link.span.offset);
    let before = source.text().get(line.offset..link.span.offset).unwrap_or_default();
    let command = before.rsplit([';', '|', '&', '(']).next().unwrap_or(before);
    let command = command.trim_start().trim_start_matches(['$', '>', '%']).trim_end_matches("./");
    command.split_whitespace().all(|word| word.contains('='))
}
