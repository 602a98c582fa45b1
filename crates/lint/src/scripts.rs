//! Detects scripts and their languages.

use canonry_model::canon::skill::{Skill, SkillText, extension};
use canonry_text::Source;
use canonry_text::markdown::{LinkKind, MarkdownLink};

/// A scripting language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    Shell,
    Python,
    JavaScript,
    Ruby,
    Perl,
    PowerShell,
    Batch,
    Other,
}

const BY_EXTENSION: [(Language, &[&str]); 8] = [
    (Language::Shell, &["sh", "bash", "zsh", "ksh"]),
    (Language::Python, &["py"]),
    (Language::JavaScript, &["js", "mjs", "cjs", "ts", "mts"]),
    (Language::Ruby, &["rb"]),
    (Language::Perl, &["pl"]),
    (Language::PowerShell, &["ps1"]),
    (Language::Batch, &["bat", "cmd"]),
    (Language::Other, &["fish", "php", "lua", "r", "tcl", "awk"]),
];

/// Interpreters in shebangs.
const BY_PROGRAM: [(Language, &[&str]); 6] = [
    (Language::Shell, &["sh", "bash", "zsh", "dash", "ksh", "ash"]),
    (Language::Python, &["python", "python2", "python3", "uv"]),
    (Language::JavaScript, &["node", "deno", "bun", "tsx", "ts-node"]),
    (Language::Ruby, &["ruby"]),
    (Language::Perl, &["perl"]),
    (Language::PowerShell, &["pwsh", "powershell"]),
];

/// The shebang line, if the text has one.
pub(crate) fn shebang(text: &SkillText) -> Option<&str> {
    let text = text.source.text();
    text.starts_with("#!").then(|| text.split('\n').next().unwrap_or(text))
}

/// The language of a script, by its shebang or its extension; `None` if the text is not a script.
pub(crate) fn language(text: &SkillText) -> Option<Language> {
    if let Some(line) = shebang(text) {
        let words = line[2..].split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
        let by_program = |word: &str| BY_PROGRAM.iter().find(|(_, programs)| programs.contains(&word)).map(|(l, _)| *l);
        return words.into_iter().find_map(by_program).or(Some(Language::Other));
    }
    by_extension(text)
}

/// The language of a code block with this name. A block without a name usually contains commands.
pub(crate) fn named(name: &str) -> Option<Language> {
    if matches!(name, "" | "shell" | "console" | "shell-session" | "shellsession" | "shellscript" | "terminal") {
        return Some(Language::Shell);
    }
    let of = |table: &[(Language, &[&str])]| table.iter().find(|(_, names)| names.contains(&name)).map(|(l, _)| *l);
    of(&BY_EXTENSION).or_else(|| of(&BY_PROGRAM)).or(match name {
        "javascript" | "typescript" => Some(Language::JavaScript),
        _ => None,
    })
}

fn by_extension(text: &SkillText) -> Option<Language> {
    let ending = extension(text.source.path()).to_lowercase();
    BY_EXTENSION.iter().find(|(_, endings)| endings.contains(&ending.as_str())).map(|(language, _)| *language)
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
