//! See `home_path.md`.

use crate::{Check, Defaults, Finding, Rule, scripts};
use bstr::ByteSlice;
use canonry_model::canon::agent_text::AgentText;
use canonry_model::canon::script::ScriptLanguage;
use canonry_model::canon::skill::Skill;
use canonry_model::finding::{Location, Severity};
use canonry_text::{Source, Span, frontmatter};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) static RULE: Rule = Rule {
    id: "home-path",
    summary: "path into a user's home directory",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("home_path.md"),
    check: Check::Each(&[Check::Skill(check), Check::AgentText(check_agent_text)]),
};

/// The parent directory of home directories on Linux.
const LINUX_ROOT: &str = "/home/";
/// The name of the one on macOS and Windows, which are searched for at once.
const USERS: &str = "Users";
/// Folders in it without a user: [`FOLDERID_Public`] and the profile of new users on Windows, and the one for all users on
/// macOS.
///
/// [`FOLDERID_Public`]: https://learn.microsoft.com/en-us/windows/win32/shell/knownfolderid
const NOBODY: [&str; 3] = ["Public", "Default", "Shared"];
/// The separators before and after it. With a colon, a drive comes first; of two that fit, the longer is first.
const SEPARATORS: [(&str, &str); 4] = [(":/", "/"), ("/", "/"), (":\\", "\\"), (":\\\\", "\\\\")];

/// The readers of a text.
#[derive(Clone, Copy)]
enum Reader {
    /// A program reads the text up to this offset, and people read the rest.
    ProgramUpTo(usize),
    /// A program in this language.
    Script(ScriptLanguage),
}

impl Reader {
    /// Frontmatter is for programs.
    fn of_markdown(source: &Source) -> Self {
        Self::ProgramUpTo(frontmatter::split(source.text()).map_or(0, |fences| fences.body.offset))
    }

    /// Whether a program opens the path, which otherwise may be an example. A word of a command is opened; a string of a program may be
    /// a message or data of a test.
    fn is_opened(self, text: &str, path: Span) -> bool {
        let language = match self {
            Self::ProgramUpTo(end) => return path.offset < end,
            Self::Script(language) => language,
        };
        let before = text[text[..path.offset].rfind('\n').map_or(0, |newline| newline + 1)..path.offset].trim_start();
        match language {
            ScriptLanguage::Shell | ScriptLanguage::PowerShell => !before.starts_with('#'),
            ScriptLanguage::Batch => !before.starts_with("::") && !before.to_lowercase().starts_with("rem "),
            _ => false,
        }
    }
}

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    findings.extend(skill.source().into_iter().flat_map(|source| in_text(source, Reader::of_markdown(source))));
    for text in &skill.texts {
        let reader = scripts::language(text).map_or(Reader::ProgramUpTo(0), Reader::Script);
        findings.extend(in_text(&text.source, reader));
    }
}

/// Files of one user, such as `settings.local.json`, may contain the user's paths.
fn check_agent_text(text: &AgentText, findings: &mut Vec<Finding>) {
    let source = &text.source;
    if text.is_personal() {
        return;
    }
    let is_markdown = text.outline.is_some();
    let reader = if is_markdown { Reader::of_markdown(source) } else { Reader::ProgramUpTo(source.text().len()) };
    findings.extend(in_text(source, reader));
}

/// One finding for each user at the first location, and another one if only people read the path elsewhere.
fn in_text(source: &Arc<Source>, reader: Reader) -> Vec<Finding> {
    let mut by_home: BTreeMap<(&str, bool), Vec<Span>> = BTreeMap::new();
    for span in homes(source.text()).into_iter().filter(|span| !is_project_of_codex(source, span.offset)) {
        let is_opened = reader.is_opened(source.text(), span);
        by_home.entry((source.slice(span), is_opened)).or_default().push(span);
    }
    by_home.iter().map(|((_, is_opened), spans)| finding(source, spans, *is_opened)).collect()
}

fn finding(source: &Arc<Source>, spans: &[Span], is_opened: bool) -> Finding {
    let first = spans.first().copied().unwrap_or_default();
    let more = match spans.len() {
        1 => String::new(),
        2 => ", here and in 1 other place in this file".to_owned(),
        count => format!(", here and in {} other places in this file", count - 1),
    };
    let message = format!("`{}` is a user's home directory{more}", source.slice(first));
    let help = "write `~`, `$HOME`, or a relative path; write `<name>` as a placeholder";
    let finding = RULE.at(Location::at(source, first), message).help(help);
    if is_opened { finding } else { finding.severity(Defaults::both(Severity::Info)) }
}

/// The home directories in a text, without the rest of the path.
fn homes(text: &str) -> Vec<Span> {
    let linux = text.as_bytes().find_iter(LINUX_ROOT).map(|at| Span::new(at, at + LINUX_ROOT.len()));
    let users = text.as_bytes().find_iter(USERS).filter_map(|at| users_root(text, at));
    let mut homes: Vec<Span> = linux.chain(users).filter_map(|root| home(text, root)).collect();
    homes.sort_by_key(|home| home.offset);
    homes
}

/// The parent directory that the word `Users` names, with its separators.
fn users_root(text: &str, at: usize) -> Option<Span> {
    let before = &text[..at];
    let after = &text[at + USERS.len()..];
    let (open, close) = SEPARATORS.iter().find(|(open, close)| before.ends_with(open) && after.starts_with(close))?;
    Some(Span::new(at - open.len(), at + USERS.len() + close.len()))
}

fn home(text: &str, root: Span) -> Option<Span> {
    let at = root.offset;
    let drive = text[at..].starts_with(':');
    // `https://example.com/home/…`, `/var/home/…` and `"$ROOT/Users/…` are other directories.
    let is_part =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '}' | '~' | ')' | '>' | '*' | '@');
    let is_drive = || {
        let mut before = text[..at].chars().rev();
        before.next().is_some_and(|c| c.is_ascii_alphabetic()) && !before.next().is_some_and(char::is_alphanumeric)
    };
    let is_start = if drive { is_drive() } else { !text[..at].ends_with(is_part) };
    let rest = &text[root.end()..];
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let name = &rest[..rest.find(|c| !is_name(c)).unwrap_or(rest.len())];
    // Without a rest, it may be the path of a URL or a route.
    let after = &rest[name.len()..];
    // `/home/mara/...` in a sentence is no path that anybody opens.
    let has_rest = after.starts_with(['/', '\\']) && !after[1..].starts_with("...") && !after[1..].starts_with('…');
    // `<name>`, `$USER`, `{user}` and `NAME` are placeholders.
    let is_placeholder = name.chars().all(|c| c.is_uppercase() || c.is_numeric() || matches!(c, '_' | '-'));
    let is_nobody = text[root.range()].contains(USERS) && NOBODY.iter().any(|nobody| name.eq_ignore_ascii_case(nobody));
    let is_person = name.starts_with(char::is_alphanumeric) && !is_placeholder && !is_nobody;
    (is_start && has_rest && is_person).then(|| Span::new(at - usize::from(drive), root.end() + name.len()))
}

/// Whether the path is the key of a project in the settings of Codex, which has to be the whole path:
/// `[projects."/home/mara/notes"]`.
fn is_project_of_codex(source: &Source, at: usize) -> bool {
    let before = source.text().get(source.line_span(at).offset..at).unwrap_or_default();
    source.path().file_name() == "config.toml" && before.trim_start() == "[projects.\""
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_open_settings_and_words_of_commands() {
        let frontmatter = "---\nhook: /home/mara/x\n---\n";
        for (reader, text, want) in [
            (Reader::ProgramUpTo(frontmatter.len()), frontmatter, true),
            (Reader::ProgramUpTo(0), "Open /home/mara/x.", false),
            (Reader::Script(ScriptLanguage::Shell), "cd \"$1\" && ls /home/mara/x", true),
            (Reader::Script(ScriptLanguage::Shell), "  # ls /home/mara/x", false),
            (Reader::Script(ScriptLanguage::Batch), "set NOTES=C:\\Users\\Mara\\x", true),
            (Reader::Script(ScriptLanguage::Batch), "REM in C:\\Users\\Mara\\x", false),
            (Reader::Script(ScriptLanguage::Python), "print('usage: sort.py /home/mara/x')", false),
        ] {
            let path = homes(text)[0];
            assert_eq!(reader.is_opened(text, path), want, "{text}");
        }
    }

    #[test]
    fn placeholders_and_other_directories_are_no_homes() {
        for (text, want) in [
            ("cd /home/mara/src", vec!["/home/mara"]),
            ("open \"/Users/k.lind/x\" and C:\\Users\\Mara\\x", vec!["/Users/k.lind", "C:\\Users\\Mara"]),
            ("/home/USERNAME/x /home/YOUR_NAME/x /home/<name>/x /home/$USER/x /home/${USER}/x /home/{user}/x", vec![]),
            ("https://example.com/home/mara/x, /var/home/mara/x, $ROOT/home/mara/x", vec![]),
            ("the route /home/mara", vec![]),
            ("C:\\Users\\Public\\x /Users/Shared/x /home/public/x", vec!["/home/public"]),
            ("the paths under `/home/mara/...` and /home/mara/…", vec![]),
            ("/home/.cache/x", vec![]),
        ] {
            let found: Vec<&str> = homes(text).into_iter().map(|span| &text[span.range()]).collect();
            assert_eq!(found, want, "{text}");
        }
    }
}
