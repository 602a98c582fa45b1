//! See `script_not_executable.md`.

use crate::canon::FileMode;
use crate::canon::skill::Skill;
use crate::canon::skill::SkillText;
use crate::canon::tool_file::{PathReference, PathRole, ToolFile};
use crate::finding::{Location, RawFinding, Severity};
use crate::rules::{Check, Defaults, RawFindings, Rule, scripts};
use crate::syntax::{RepoPath, Source, Span};
use gix::bstr::ByteSlice;

pub(super) static RULE: Rule = Rule {
    id: "script-not-executable",
    summary: "script that is started directly is not executable",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("script_not_executable.md"),
    check: Check::Each(&[Check::Skill(check), Check::ToolFile(check_tool_file)]),
};

/// Programs that take a script as an argument, so that it needs no exec bit.
const INTERPRETERS: [&str; 26] = [
    "sh",
    "bash",
    "zsh",
    "dash",
    "source",
    ".",
    "python",
    "python2",
    "python3",
    "py",
    "uv",
    "pipx",
    "poetry",
    "node",
    "npx",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "ruby",
    "perl",
    "php",
    "lua",
    "Rscript",
    "pwsh",
    "powershell",
];

/// Directories whose scripts are copied before they run.
const COPIED: [&str; 6] = ["assets", "templates", "template", "examples", "tests", "fixtures"];

/// Maximum number of scripts to check per skill, because each one is searched for in all texts.
const MAX_SCRIPTS: usize = 100;

fn check(skill: &Skill, findings: &mut RawFindings) {
    for text in skill.texts.iter().filter(|text| text.mode == FileMode::File && !is_copied(text)).take(MAX_SCRIPTS) {
        let Some(line) = scripts::shebang(text).filter(|_| is_run_directly(skill, text)) else { continue };
        let location = Location::at(&text.source, Span::new(0, line.trim_end().len()));
        let message = "the script has a shebang, but is not executable";
        findings.push(RawFinding::new(location, message).help(make_executable(text.source.path())));
    }
}

/// Reports the scripts that hooks and MCP servers start. A shell executes a script without a shebang, too, but not one
/// without the right to be executed.
fn check_tool_file(file: &ToolFile, findings: &mut RawFindings) {
    let Ok(source) = &file.document else { return };
    for PathReference { span, role, path, .. } in &file.not_executable {
        let who = match role {
            PathRole::Hook => "the hook".to_owned(),
            PathRole::Server(name) => format!("the MCP server `{name}`"),
            PathRole::Component(_) | PathRole::Plugin(_) => continue,
        };
        let message = format!("{who} starts `{path}`, which is not executable");
        let help = format!("{}, or start it through its interpreter", make_executable(path));
        let finding = RawFinding::new(Location::at(source, *span), message).help(help);
        let finding = finding.related(Location::file(path), "the script");
        findings.push(finding.caused_by(path.to_string(), ("file that starts it", "files that start it")));
    }
}

fn make_executable(path: &RepoPath) -> String {
    format!("run `git update-index --chmod=+x {path}` and `chmod +x {path}`")
}

pub(super) fn is_copied(script: &SkillText) -> bool {
    let path = script.source.path();
    path.components().any(|part| COPIED.iter().any(|folder| part == folder.as_bytes()))
}

/// Whether a command in a text of the skill starts with the path of the script, and no text passes it to an interpreter (`python3 scripts/sort.py`),
/// assigns its path to a variable, or imports it.
pub(super) fn is_run_directly(skill: &Skill, script: &SkillText) -> bool {
    let name = script.source.path().file_name_lossy();
    let stem = name.split('.').next().unwrap_or(&name);
    // Only for these does an agent expect to start the file itself.
    let is_shell = name.ends_with(".sh") || !name.contains('.');
    let mut is_command = false;
    for (source, _) in skill.all_texts() {
        let text = source.text();
        let is_other = source.path() != script.source.path();
        // In other texts, such as data, a path starts a phrase and no command. Of itself, a script says how to start it.
        let has_commands = std::cell::LazyCell::new(|| is_other && has_commands(skill, source));
        for at in text.as_bytes().find_iter(&name) {
            let line = line_before(text, at);
            if is_interpreter_argument(line) {
                return false;
            }
            is_command = is_command
                || !is_comment_of_script(source, line)
                    && is_start_of_command(line, &text[at + name.len()..], is_shell)
                    && *has_commands;
        }
        let imports = |at: usize| is_import(text[..at].rsplit('\n').next().unwrap_or_default());
        // The name of a hidden file has no stem.
        if is_other && !stem.is_empty() && text.as_bytes().find_iter(stem).any(imports) {
            return false;
        }
    }
    is_command
}

/// The line before a place, with the lines above that continue in it.
fn line_before(text: &str, at: usize) -> &str {
    let start_of = |at: usize| text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let mut start = start_of(at);
    while text[..start].ends_with("\\\n") {
        start = start_of(start - 1);
    }
    &text[start..at]
}

/// Whether a text is Markdown or a shell script.
fn has_commands(skill: &Skill, source: &Source) -> bool {
    let is_shell = |text: &SkillText| scripts::language(text) == Some(scripts::Language::Shell);
    is_markdown(source) || skill.texts.iter().any(|text| text.source.path() == source.path() && is_shell(text))
}

fn is_markdown(source: &Source) -> bool {
    source.path().file_name().to_ascii_lowercase().ends_with(b".md")
}

/// Whether the text before a name is a comment of a script. In Markdown, `#` starts a heading.
fn is_comment_of_script(source: &Source, before: &str) -> bool {
    !is_markdown(source) && before.trim_start().starts_with(['#', '/', '*', '-'])
}

/// Whether a file name between `before` on its line and `after` ends a path at the start of a command: a line of a code
/// block, or inline code with arguments. An agent that reads "run `scripts/sort.py`" chooses the interpreter itself. `scripts/sort.py  Sorts` is a
/// line of a listing.
fn is_start_of_command(before: &str, after: &str, is_shell: bool) -> bool {
    let Some(path) = before.rsplit(|c: char| c.is_whitespace() || "`|;&($\"'".contains(c)).next() else { return false };
    let head = &before[..before.len() - path.len()];
    // A link is not a command, and in a table `|` is not a pipe.
    let is_link = head.ends_with("](") || path.starts_with('[');
    let is_cell = before.trim_start().starts_with('|') && !head.trim_end().ends_with('`');
    if is_link || is_cell || !path.contains('/') || after.starts_with("  ") || after.starts_with('\t') {
        return false;
    }
    match head.trim_end().strip_suffix('`') {
        Some(sentence) => {
            let verb = sentence.split_whitespace().next_back().unwrap_or_default().to_lowercase();
            let is_told = is_shell && ["run", "execute", "call", "start"].contains(&verb.as_str());
            is_told || after.starts_with(' ') || path.starts_with("./")
        }
        None => head.rsplit(['|', ';', '&', '(']).next().unwrap_or(head).trim().trim_start_matches('$').is_empty(),
    }
}

/// Whether a text of the skill passes the script to an interpreter.
pub(super) fn is_run_by_interpreter(skill: &Skill, script: &SkillText) -> bool {
    let name = script.source.path().file_name_lossy();
    let others = skill.all_texts().filter(|(source, _)| source.path() != script.source.path());
    others.into_iter().any(|(source, _)| {
        let text = source.text();
        text.as_bytes().find_iter(&name).any(|at| is_interpreter_argument(line_before(text, at)))
    })
}

/// Whether the text before a path on its line passes it to an interpreter.
fn is_interpreter_argument(before: &str) -> bool {
    let command = before.rsplit(['`', '|', ';', '&', '(']).next().unwrap_or(before);
    let is_interpreter = |word: &str| {
        let program = word.trim_matches(['"', '\'']).rsplit('/').next().unwrap_or(word);
        INTERPRETERS.contains(&program)
    };
    command.split_whitespace().any(|word| is_interpreter(word) || is_assignment(word))
}

/// Matches `SORT="$SKILL/scripts/`.
fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Matches `from scripts.`, `import ` and `require("./`.
fn is_import(before: &str) -> bool {
    let before = before.trim_start();
    before.starts_with("from ") || before.starts_with("import ") || before.contains("require(")
}
