//! See `home_path.md`.

use crate::{Check, Defaults, Finding, Rule, scripts};
use bstr::ByteSlice;
use canonry_model::canon::agent_text::AgentText;
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
/// The separators before and after it. With a colon, a drive comes first; of two that fit, the longer is first.
const SEPARATORS: [(&str, &str); 4] = [(":/", "/"), ("/", "/"), (":\\", "\\"), (":\\\\", "\\\\")];

/// Where a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In a script, a setting or a value of frontmatter, which a program reads.
    Code,
    /// In a text, where it may be an example.
    Text,
}

fn check(skill: &Skill, findings: &mut Vec<Finding>) {
    findings.extend(in_skill(&RULE, skill, Place::Code));
}

fn check_agent_text(text: &AgentText, findings: &mut Vec<Finding>) {
    findings.extend(in_agent_text(&RULE, text, Place::Code));
}

/// The findings of one place in the texts of a skill.
pub(super) fn in_skill(rule: &'static Rule, skill: &Skill, place: Place) -> Vec<Finding> {
    let document = skill.source().map(|source| in_text(rule, source, code_in_markdown(source), place));
    let others = skill.texts.iter().map(|text| {
        let code = if scripts::language(text).is_some() { text.source.text().len() } else { 0 };
        in_text(rule, &text.source, code, place)
    });
    document.into_iter().chain(others).flatten().collect()
}

/// The findings of one place in a context file or tool file. Files of one user, such as `settings.local.json`, may contain the
/// user's paths.
pub(super) fn in_agent_text(rule: &'static Rule, text: &AgentText, place: Place) -> Vec<Finding> {
    let source = &text.source;
    if text.is_personal() {
        return Vec::new();
    }
    let code = if text.outline.is_some() { code_in_markdown(source) } else { source.text().len() };
    in_text(rule, source, code, place)
}

/// The end of the frontmatter.
fn code_in_markdown(source: &Source) -> usize {
    frontmatter::split(source.text()).map_or(0, |fences| fences.body.offset)
}

/// The findings of one place in a text that is code up to this offset: one for each user, at the first location.
fn in_text(rule: &'static Rule, source: &Arc<Source>, code: usize, place: Place) -> Vec<Finding> {
    let mut by_home: BTreeMap<&str, Vec<Span>> = BTreeMap::new();
    for span in homes(source.text()) {
        let here = if span.offset < code { Place::Code } else { Place::Text };
        if here == place && !is_project_of_codex(source, span.offset) {
            by_home.entry(source.slice(span)).or_default().push(span);
        }
    }
    by_home.values().map(|spans| finding(rule, source, spans)).collect()
}

fn finding(rule: &'static Rule, source: &Arc<Source>, spans: &[Span]) -> Finding {
    let first = spans.first().copied().unwrap_or_default();
    let more = match spans.len() {
        1 => String::new(),
        2 => ", here and in 1 other place in this file".to_owned(),
        count => format!(", here and in {} other places in this file", count - 1),
    };
    let message = format!("`{}` is a user's home directory{more}", source.slice(first));
    let help = "write `~`, `$HOME`, or a relative path; write `<name>` as a placeholder";
    rule.at(Location::at(source, first), message).help(help)
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
    let is_person = name.starts_with(char::is_alphanumeric) && !is_placeholder;
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
    fn placeholders_and_other_directories_are_no_homes() {
        for (text, want) in [
            ("cd /home/mara/src", vec!["/home/mara"]),
            ("open \"/Users/k.lind/x\" and C:\\Users\\Mara\\x", vec!["/Users/k.lind", "C:\\Users\\Mara"]),
            ("/home/USERNAME/x /home/YOUR_NAME/x /home/<name>/x /home/$USER/x /home/${USER}/x /home/{user}/x", vec![]),
            ("https://example.com/home/mara/x, /var/home/mara/x, $ROOT/home/mara/x", vec![]),
            ("the route /home/mara", vec![]),
            ("the paths under `/home/mara/...` and /home/mara/…", vec![]),
            ("/home/.cache/x", vec![]),
        ] {
            let found: Vec<&str> = homes(text).into_iter().map(|span| &text[span.range()]).collect();
            assert_eq!(found, want, "{text}");
        }
    }
}
