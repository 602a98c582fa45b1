//! The permissions of agents in `protocols/permissions.md`: its sections, the commands and paths named in them, and the
//! actions that their prose names.

pub mod actions;
mod item;
mod label;
mod mode;
mod prose;
pub mod scope;
mod words;

use super::page::plain_title;
use canonry_text::Span;
use canonry_text::sections::{MarkdownSection, sections};
pub use item::{Binding, PermissionItem};
pub use mode::{DefaultMode, default_mode};
pub use scope::EntryScope;
use std::collections::HashSet;

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
        if has(&["domain", "host"]) {
            Some(Self::Domains)
        } else if has(&["never", "forbidden", "prohibited", "denied", "not allowed"]) {
            Some(Self::Never)
        } else if has(&["without", "no approval"]) {
            Some(Self::Always)
        } else if has(&["approval", "ask first", "ask before", "confirmation"]) {
            Some(Self::Approval)
        } else {
            has(&["always", "allowed"]).then_some(Self::Always)
        }
    }
}

/// The sections about what is never allowed, with their headings, and the rest of the page.
pub fn split_prohibitions(text: &str) -> (String, String) {
    let found = sections(text, 0);
    let mut never = String::new();
    let mut others = String::new();
    let mut start = 0;
    let mut target = &mut others;
    for section in &found {
        target.push_str(text.get(start..section.span.offset).unwrap_or_default());
        start = section.span.offset;
        let is_never = PermissionSection::from_section(section) == Some(PermissionSection::Never);
        target = if is_never { &mut never } else { &mut others };
    }
    target.push_str(text.get(start..).unwrap_or_default());
    (never, others)
}

/// Verdict of an entry or a setting on what it mentions, and of the guard on a call. The order is by strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    #[default]
    Allow,
    /// No entry mentions the call, and the tool decides. Only a call has this verdict.
    #[serde(skip)]
    Unlisted,
    /// A person must approve the call.
    Ask,
    Deny,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Unlisted => "unlisted",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    /// The verdict of an entry or a setting.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Allow, Self::Ask, Self::Deny].into_iter().find(|verdict| verdict.as_str() == word)
    }
}

/// Subject of an entry. Tools can enforce all of these.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PermissionSubject {
    /// Commands that begin with these words.
    Command(Vec<String>),
    /// Reading files that match a pattern.
    Read(String),
    /// Changing files that match a pattern.
    Edit(String),
    /// Calling a tool of an MCP server; any of its tools if none is named.
    Mcp { server: String, tool: Option<String> },
    /// Reading from a host.
    Domain(String),
    /// Any command with this option.
    Flag(String),
    /// Pushing to a branch.
    Push(String),
    /// An action that prose names, by the id of its [`actions::Action`]. Only the hook enforces it.
    Action(&'static str),
}

/// An entry of the permissions page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionEntry {
    pub section: PermissionSection,
    /// Enforced decision: a person is asked about what is never allowed, if its condition cannot be checked.
    pub decision: Verdict,
    pub subject: PermissionSubject,
    /// When it applies.
    pub scope: EntryScope,
    /// The words of a condition that the hook cannot check.
    pub unchecked: Option<String>,
    /// The list item with the entry.
    pub span: Span,
}

impl PermissionEntry {
    /// Whether the settings of a tool can express the entry.
    pub fn is_plain(&self) -> bool {
        self.scope.is_empty() && !matches!(self.subject, PermissionSubject::Action(_))
    }
}

/// The decisions on the page that the settings of tools can express, without duplicates, in file order.
pub fn decisions(text: &str) -> Vec<(Verdict, PermissionSubject)> {
    let plain = entries(text).into_iter().filter(PermissionEntry::is_plain);
    plain.map(|entry| (entry.decision, entry.subject)).collect()
}

/// The entries on the page without duplicates, in file order.
pub fn entries(text: &str) -> Vec<PermissionEntry> {
    let mut known = HashSet::new();
    let mut found = Vec::new();
    for entry in items(text).into_iter().flat_map(|item| item.entries) {
        if known.insert((entry.decision, entry.subject.clone(), entry.scope.clone())) {
            found.push(entry);
        }
    }
    found
}

/// Whether the page says something, but nothing that a hook or a tool can enforce: its headings are unknown, or no entry under
/// them is understood.
pub fn binds_nothing(text: &str) -> bool {
    let items = items(text);
    let says_nothing = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    let is_empty = text.trim_start_matches('\u{feff}').lines().all(says_nothing);
    // `None.` says that nothing is to be enforced.
    let is_none = !items.is_empty() && items.iter().all(|item| item.binding() == Binding::Empty);
    let has_entry = items.iter().any(|item| !item.entries.is_empty());
    !(is_empty || is_none || has_entry || names_hosts(text) || default_mode(text).is_some())
}

/// The action that a short text names, such as the name of an operation; `None` if it names none or several.
pub fn action_of(text: &str) -> Option<&'static actions::Action> {
    let words = text.replace(['_', '-'], " ");
    let named = words::clauses(&words).into_iter().flat_map(|clause| {
        let is_taken = vec![false; clause.len()];
        prose::meaning(&clause, &is_taken).actions
    });
    let mut named = named.map(|named| named.action).filter(|action| action.is_enforced());
    named.next().filter(|_| named.next().is_none())
}

/// The list items of the page's sections, with what they mean.
pub fn items(text: &str) -> Vec<PermissionItem> {
    let mut found = Vec::new();
    for section in sections(text, 0) {
        let Some(part) = PermissionSection::from_section(&section) else { continue };
        found.extend(section.items.iter().map(|item| PermissionItem::parse(part, item)));
    }
    found
}

/// Whether the page has a section for hosts, which then lists all approved hosts.
pub fn names_hosts(text: &str) -> bool {
    sections(text, 0).iter().any(|section| PermissionSection::from_section(section) == Some(PermissionSection::Domains))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(entry: &PermissionEntry) -> String {
        let what = match &entry.subject {
            PermissionSubject::Command(words) => words.join(" "),
            PermissionSubject::Read(pattern) => format!("read {pattern}"),
            PermissionSubject::Edit(pattern) => format!("edit {pattern}"),
            PermissionSubject::Mcp { server, tool } => {
                format!("mcp {server}/{}", tool.as_deref().unwrap_or("*"))
            }
            PermissionSubject::Domain(host) => format!("host {host}"),
            PermissionSubject::Flag(flag) => format!("any {flag}"),
            PermissionSubject::Push(branch) => format!("push to {branch}"),
            PermissionSubject::Action(id) => format!("<{id}>"),
        };
        let scope = if entry.scope.is_empty() { String::new() } else { format!(" {}", entry.scope) };
        let unchecked = entry.unchecked.as_ref().map(|words| format!(" ?{words}")).unwrap_or_default();
        format!("{:?} {what}{scope}{unchecked}", entry.decision)
    }

    /// The entries of an item, then its parts without a meaning.
    fn read(section: &str, item: &str) -> String {
        let items = items(&format!("## {section}\n\n- {item}\n"));
        let entries = items.iter().flat_map(|item| &item.entries).map(shown);
        let unbound = items.iter().flat_map(|item| &item.unbound).map(|part| format!("({part})"));
        entries.chain(unbound).collect::<Vec<_>>().join(" | ")
    }

    #[test]
    fn prose_names_actions() {
        for (item, want) in [
            ("merge pull requests", "Ask <merge-pull-request>"),
            ("Merging a merge request", "Ask <merge-pull-request>"),
            ("deploy", "Ask <deploy>"),
            ("deploy to any environment", "Ask <deploy>"),
            ("Deployments to production", "Ask <deploy> for production"),
            ("delete files outside of memory/working/", "Ask <delete-file> outside of memory/working/"),
            ("install new dependencies", "Ask <dependency-change>"),
            (
                "Add, remove or upgrade a dependency; change a lock file by hand.",
                "Ask <dependency-change> | Ask <lockfile-edit>",
            ),
            ("modify CI configuration", "Ask <ci-change>"),
            ("modify CI", "Ask <ci-change>"),
            (
                "Change CI, release or deployment configuration",
                "Ask <ci-change> | (release or deployment configuration)",
            ),
            (
                "push to shared branches",
                "Ask <push> on the branches develop, main, master, production, release/*, staging, trunk",
            ),
            ("run database migrations", "Ask <migration>"),
            ("access production", "Ask <access-production>"),
            (
                "`git push`, open or merge a pull request, create a tag or a release.",
                "Ask git push | Ask <open-pull-request> | Ask <merge-pull-request> | Ask <tag-or-release>",
            ),
            ("deploy without a review", "Ask <deploy>"),
            ("deploy, or water the plants", "Ask <deploy> | (or water the plants)"),
            ("water the plants", "(water the plants)"),
            ("None.", ""),
            ("Be careful.", "(Be careful)"),
        ] {
            assert_eq!(read("Requires approval", item), want, "{item}");
        }
    }

    #[test]
    fn a_condition_narrows_or_asks() {
        let shared = "develop, main, master, production, release/*, staging, trunk";
        for (item, want) in [
            (
                "force push to main, production or staging",
                "Deny <force-push> on the branches main, production, staging".to_owned(),
            ),
            ("force push", "Deny <force-push>".to_owned()),
            ("`git rebase` of a shared branch", format!("Deny git rebase on the branches {shared}")),
            (
                "Rewrite history: `git push --force`, `git reset --hard` or `git rebase` of a shared branch.",
                format!(
                    "Deny git push --force on the branches {shared} | Deny git reset --hard on the branches {shared} | Deny git rebase on the branches {shared}"
                ),
            ),
            ("`git rebase` after lunch", "Ask git rebase ?after lunch".to_owned()),
            ("`terraform destroy` in production", "Deny terraform destroy for production".to_owned()),
            ("`git push --force` without approval", "Ask git push --force".to_owned()),
            ("deploy without approval", "Ask <deploy>".to_owned()),
            (
                "`git push --force` to `main` or `release/*`",
                "Deny git push --force on the branches main, release/*".to_owned(),
            ),
            ("access secrets or credentials directly", "Deny <read-secrets>".to_owned()),
            ("send requests to hosts that are not listed", "Deny <unlisted-host>".to_owned()),
            ("modify permissions.md", "Deny <change-permissions>".to_owned()),
            ("switch off the hooks", "Deny <disable-hooks>".to_owned()),
            ("Push to `main`", "Deny push to main".to_owned()),
            (
                "Do not rebase or reset a branch that others use.",
                format!("Deny <rewrite-branch> on the branches {shared}"),
            ),
        ] {
            assert_eq!(read("Never allowed", item), want, "{item}");
        }
    }

    #[test]
    fn prose_allows_only_what_is_clear() {
        for (item, want) in [
            ("run tests", "Allow <run-tests>"),
            ("Run the tests of this project on Fridays", ""),
            ("run tests and deploy", ""),
            ("create branches and draft pull requests", "Allow <open-pull-request> | Allow <create-branch>"),
            ("read any file of the project", ""),
        ] {
            assert_eq!(read("Always allowed", item), want, "{item}");
        }
    }

    #[test]
    fn labels_name_files_tools_and_hosts() {
        for (section, item, want) in [
            ("Always allowed", "Edit: `src/**`, `docs/`.", "Allow edit src/** | Allow edit docs/"),
            ("Always allowed", "Edit: `src/**` on Fridays.", ""),
            ("Always allowed", "MCP: `docs`, `github/get_issue`.", "Allow mcp docs/* | Allow mcp github/get_issue"),
            ("Always allowed", "Read: `docs/**`", "Allow read docs/**"),
            ("Always allowed", "Web: `docs.rs`", "Allow host docs.rs"),
            ("Approved domains", "Web: `docs.rs`", "Allow host docs.rs"),
            ("Approved domains", "Read: `docs/**`", ""),
            (
                "Requires approval",
                "Edit files: `package.json` and `Cargo.lock`",
                "Ask edit package.json | Ask edit Cargo.lock",
            ),
            ("Requires approval", "Web: `example.com`", "Ask host example.com"),
            ("Never allowed", "Edit: `migrations/**`", "Deny edit migrations/**"),
            ("Never allowed", "Edit: `migrations/**` without a review", "Ask edit migrations/** ?without a review"),
            (
                "Never allowed",
                "MCP: `mcp__github__delete_repo`, `git hub`",
                "Deny mcp github/delete_repo | (`git hub`)",
            ),
            ("Never allowed", "Read: `.env*` and other secrets", "Deny read .env* ?and other secrets"),
        ] {
            assert_eq!(read(section, item), want, "{item}");
        }
    }

    #[test]
    fn section_decides_the_verdict() {
        let text = "# Permissions\n\n## Always allowed\n\n- `git status`, `git log` and `make`.\n- Look: `ls`.\n- `git commit` on a branch of one's own.\n- Build it.\n\n\
                    ## Requires approval\n\n- `npm`\n- `git push`, or a change of `main`.\n- `curl x | sh`\n\n\
                    ## Never allowed\n\n- Read secrets: `.env*`, `keys/`.\n- `git push --force` of a shared branch; `--no-verify`.\n- `rm *`\n- Push to `main` or `release/*`.\n- Run what was fetched unread, such as `a/b`.\n\n\
                    ## Approved domains\n\n- docs.rs\n- `Example.org` for its API\n- none of these.\n";
        let shown: Vec<String> = entries(text).iter().map(shown).collect();
        let want = [
            "Allow git status",
            "Allow git log",
            "Allow make",
            "Allow ls",
            "Allow <build>",
            "Ask npm",
            "Ask git push",
            "Deny read .env*",
            "Deny read keys/",
            "Deny <read-secrets>",
            "Deny git push --force on the branches develop, main, master, production, release/*, staging, trunk",
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
