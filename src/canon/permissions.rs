//! The permissions of agents in `protocols/permissions.md`: its sections, and the commands and paths named in them.

use super::page::plain_title;
use crate::syntax::Span;
use crate::syntax::sections::{ListItem, MarkdownSection, sections};

/// A section of the permissions page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionSection {
    /// Allowed without asking.
    Always,
    /// Allowed after asking.
    Approval,
    /// Never allowed.
    Never,
    /// Hosts that an agent may read from.
    Domains,
}

impl PermissionSection {
    /// Every section.
    pub const ALL: [Self; 4] = [Self::Always, Self::Approval, Self::Never, Self::Domains];

    /// The conventional heading, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Always => "always allowed",
            Self::Approval => "requires approval",
            Self::Never => "never allowed",
            Self::Domains => "approved domains",
        }
    }

    /// Recognises a section by the words of its heading, so that `Needs approval first` and `🚫 Forbidden` match.
    pub fn from_section(section: &MarkdownSection) -> Option<Self> {
        let title = plain_title(&section.title);
        let has = |words: &[&str]| words.iter().any(|word| title.contains(word));
        match () {
            () if has(&["domain", "host"]) => Some(Self::Domains),
            () if has(&["never", "forbidden", "prohibited", "denied", "not allowed"]) => Some(Self::Never),
            () if has(&["without", "no approval"]) => Some(Self::Always),
            () if has(&["approval", "ask first", "ask before", "confirmation"]) => Some(Self::Approval),
            () => has(&["always", "allowed"]).then_some(Self::Always),
        }
    }
}

/// What an entry decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    Allow,
    /// Ask a person.
    Ask,
    Deny,
}

/// What an entry is about. Tools can enforce all of these.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PermissionSubject {
    /// Commands that begin with these words.
    Command(Vec<String>),
    /// Reading files that match a pattern.
    Read(String),
    /// Reading from a host.
    Domain(String),
    /// Any command with this option.
    Flag(String),
    /// Pushing to a branch.
    Push(String),
}

/// An entry of the permissions page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionEntry {
    pub section: PermissionSection,
    pub decision: Decision,
    pub subject: PermissionSubject,
    /// The list item with the entry.
    pub span: Span,
}

/// The decisions on the page without duplicates, in file order. Prose is ignored, except that commands in it count in
/// the sections that require approval or forbid.
pub fn decisions(text: &str) -> Vec<(Decision, PermissionSubject)> {
    entries(text).into_iter().map(|entry| (entry.decision, entry.subject)).collect()
}

/// The entries on the page without duplicates, in file order.
pub fn entries(text: &str) -> Vec<PermissionEntry> {
    let mut found: Vec<PermissionEntry> = Vec::new();
    for section in sections(text, 0) {
        let Some(part) = PermissionSection::from_section(&section) else { continue };
        for item in &section.items {
            for (decision, subject) in subjects(part, item) {
                if !found.iter().any(|known| known.decision == decision && known.subject == subject) {
                    found.push(PermissionEntry { section: part, decision, subject, span: item.span });
                }
            }
        }
    }
    found
}

/// Whether the page has a section for hosts, which then lists all approved hosts.
pub fn names_hosts(text: &str) -> bool {
    sections(text, 0).iter().any(|section| PermissionSection::from_section(section) == Some(PermissionSection::Domains))
}

fn subjects(part: PermissionSection, item: &ListItem) -> Vec<(Decision, PermissionSubject)> {
    let words = ItemWords::parse(&item.text);
    let commands = |least: usize| {
        let commands = words.code.iter().filter_map(|code| command(code)).filter(move |words| words.len() >= least);
        commands.map(PermissionSubject::Command)
    };
    let all =
        |decision: Decision, subjects: Vec<PermissionSubject>| subjects.into_iter().map(|m| (decision, m)).collect();
    match part {
        PermissionSection::Always if words.is_list => all(Decision::Allow, commands(1).collect()),
        PermissionSection::Always => Vec::new(),
        PermissionSection::Approval => {
            let named = commands(if words.is_list { 1 } else { 2 });
            all(Decision::Ask, named.chain(words.flags()).chain(words.branches()).collect())
        }
        PermissionSection::Never => {
            let reads = words.code.iter().filter(|code| words.mentions("read") && is_path(code));
            let reads = reads.map(|code| PermissionSubject::Read((*code).to_owned()));
            let named = commands(if words.is_list && !words.mentions("push") { 1 } else { 2 });
            all(Decision::Deny, named.chain(reads).chain(words.flags()).chain(words.branches()).collect())
        }
        PermissionSection::Domains => {
            all(Decision::Allow, host(&item.text).map(PermissionSubject::Domain).into_iter().collect())
        }
    }
}

/// A list item, split into code spans and words.
struct ItemWords<'t> {
    code: Vec<&'t str>,
    /// Whether the item is a list of code spans after an optional introduction.
    is_list: bool,
    /// The item in lower case.
    lower: String,
}

impl<'t> ItemWords<'t> {
    fn parse(text: &'t str) -> Self {
        let pieces: Vec<&str> = text.split('`').collect();
        let code = pieces.iter().skip(1).step_by(2).map(|code| code.trim()).collect();
        let lead = pieces.first().copied().unwrap_or_default().trim_end();
        let led = lead.is_empty() || lead.ends_with(':');
        let separators = |word: &str| matches!(word, "" | "and" | "or");
        let outside = pieces.iter().skip(2).step_by(2);
        let plain = outside.flat_map(|outside| outside.split([' ', ',', ';', '.', '\n'])).all(separators);
        // With an odd number of backticks, the last part is ambiguous.
        Self { code, is_list: led && plain && pieces.len() % 2 == 1, lower: text.to_lowercase() }
    }

    fn mentions(&self, what: &str) -> bool {
        self.lower.split(|c: char| !c.is_alphanumeric()).any(|word| word == what)
    }

    /// Options without a command.
    fn flags(&self) -> impl Iterator<Item = PermissionSubject> {
        self.code.iter().filter(|code| is_flag(code)).map(|code| PermissionSubject::Flag((*code).to_owned()))
    }

    /// Branches in an item that begins with "push": `Push to `main`, or to any protected branch`.
    fn branches(&self) -> impl Iterator<Item = PermissionSubject> {
        let pushes = self.lower.starts_with("push");
        let branches = self.code.iter().filter(move |code| pushes && is_branch(code));
        branches.map(|code| PermissionSubject::Push((*code).to_owned()))
    }
}

/// The leading words that identify a command; a trailing `*` is dropped.
fn command(code: &str) -> Option<Vec<String>> {
    let mut words: Vec<&str> = code.split_whitespace().collect();
    if words.len() > 1 && words.last() == Some(&"*") {
        words.pop();
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '+' | ':' | '=' | '@');
    let first = words.first()?;
    let is_command = first.starts_with(|c: char| c.is_ascii_alphanumeric()) && !first.contains('/');
    let is_plain = words.iter().all(|word| word.chars().all(plain));
    (is_command && is_plain).then(|| words.into_iter().map(str::to_owned).collect())
}

/// Long options only: the meaning of a single letter depends on the program.
fn is_flag(code: &str) -> bool {
    let plain = |c: char| c.is_ascii_lowercase() || c == '-';
    code.len() > 3 && code.starts_with("--") && code.chars().all(plain)
}

fn is_branch(code: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '*');
    !code.starts_with(['-', '/']) && !code.is_empty() && code.chars().all(plain)
}

fn is_path(code: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '*' | '~');
    code.chars().all(plain) && (code.starts_with(['.', '~', '/', '*']) || code.contains(['/', '*']))
}

/// The host at the start of an item.
fn host(text: &str) -> Option<String> {
    let word = text.trim_start_matches('`').split(|c: char| c.is_whitespace() || c == '`').next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let is_host = word.contains('.') && !word.ends_with('.') && !word.starts_with('.') && word.chars().all(plain);
    is_host.then(|| word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn section_decides_the_verdict() {
        let text = "# Permissions\n\n## Always allowed\n\n- `git status`, `git log` and `make`.\n- Look: `ls`.\n- `git commit` on a branch of one's own.\n- Build it.\n\n\
                    ## Requires approval\n\n- `npm`\n- `git push`, or a change of `main`.\n- `curl x | sh`\n\n\
                    ## Never allowed\n\n- Read secrets: `.env*`, `keys/`.\n- `git push --force` of a shared branch; `--no-verify`.\n- `rm *`\n- Push to `main` or `release/*`.\n- Run what was fetched unread, such as `a/b`.\n\n\
                    ## Approved domains\n\n- docs.rs\n- `Example.org` for its API\n- none of these.\n";
        let shown: Vec<String> = decisions(text)
            .iter()
            .map(|(decision, subject)| match subject {
                PermissionSubject::Command(words) => format!("{decision:?} {}", words.join(" ")),
                PermissionSubject::Read(pattern) => format!("{decision:?} read {pattern}"),
                PermissionSubject::Domain(host) => format!("{decision:?} host {host}"),
                PermissionSubject::Flag(flag) => format!("{decision:?} any {flag}"),
                PermissionSubject::Push(branch) => format!("{decision:?} push to {branch}"),
            })
            .collect();
        let want = [
            "Allow git status",
            "Allow git log",
            "Allow make",
            "Allow ls",
            "Ask npm",
            "Ask git push",
            "Deny read .env*",
            "Deny read keys/",
            "Deny git push --force",
            "Deny any --no-verify",
            "Deny rm",
            "Deny push to main",
            "Deny push to release/*",
            "Allow host docs.rs",
            "Allow host example.org",
        ];
        assert_eq!(shown, want);
    }
}
