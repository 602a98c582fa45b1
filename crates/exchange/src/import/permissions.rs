//! Permissions, imported only if the canon's permissions page means exactly the same, or if what differs can be said in a
//! sentence.

use super::plan::{ImportPlan, PlannedFile, PlannedItem};
use canonry_agents::permissions::{EntryMeaning, ToolPermissions};
use canonry_model::canon::permissions::{DefaultMode, PermissionSubject, Verdict, decisions, default_mode};
use canonry_model::edit::EditContent;
use canonry_text::RepoPath;
use canonry_text::secrets::without_secrets;
use std::collections::BTreeMap;

/// Collects the permissions of a source.
#[derive(Default)]
pub(super) struct Permissions {
    all: Vec<(Verdict, PermissionSubject)>,
    /// Commands that the source allows only without further arguments.
    exact_commands: Vec<ExactCommand>,
    /// Names of files that the source only means at the top of the repository.
    top_files: Vec<(Verdict, PermissionSubject, String)>,
    /// Permissions that the page cannot express, as the source writes them; those that are not about a decision have none.
    lost: Vec<(Option<Verdict>, String)>,
    /// Permissions that the page has in another extent, as the source writes them.
    near: BTreeMap<Extent, Vec<String>>,
    /// The mode in which agents start.
    mode: Option<DefaultMode>,
    /// Whether the source denies the hosts that it does not list.
    pub denies_other_hosts: bool,
}

/// Extent in which the page has a permission of the source.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Extent {
    /// A command by whole words, not by its first characters.
    WholeWords,
    /// A restriction of all tools that edit, not only of some.
    EveryEdit,
    /// A denial at any depth, not only at the top of the repository.
    AnyDepth,
}

impl Extent {
    fn as_str(self) -> &'static str {
        match self {
            Self::WholeWords => "the canon takes these as whole words",
            Self::EveryEdit => "the canon restricts every edit of these files",
            Self::AnyDepth => "the canon denies these names in every folder",
        }
    }
}

struct ExactCommand {
    decision: Verdict,
    command: String,
    as_written: String,
}

/// Entries of one kind that are listed before the others are counted.
const LISTED: usize = 8;

/// The entries, with the rest of a kind as a number: a team may allow dozens of skills.
fn listed(entries: &[String]) -> String {
    let kind = |entry: &str| entry.trim_start_matches('`').split('(').next().expect("split is never empty").to_owned();
    let mut by_kind: Vec<(String, Vec<&String>)> = Vec::new();
    for entry in entries {
        match by_kind.iter_mut().find(|(known, _)| *known == kind(entry)) {
            Some((_, same)) => same.push(entry),
            None => by_kind.push((kind(entry), vec![entry])),
        }
    }
    let texts = by_kind.iter().flat_map(|(kind, same)| {
        let shown = same.iter().take(LISTED).map(|entry| (*entry).clone());
        let rest = same.len().saturating_sub(LISTED);
        shown.chain((rest > 0).then(|| format!("and {rest} more `{kind}(…)`")))
    });
    texts.collect::<Vec<_>>().join(", ")
}

impl Permissions {
    /// The permissions in the settings of a tool.
    pub fn of_tool(found: ToolPermissions) -> Self {
        let mut permissions = Self::default();
        for entry in found.entries {
            match entry.decision {
                Some(decision) => permissions.add_entry(decision, entry.meaning, &entry.as_written),
                None => permissions.lose_setting(&entry.as_written),
            }
        }
        if let Some(setting) = found.mode {
            permissions.set_mode(setting.mode, &setting.as_written);
        }
        permissions
    }

    /// Adds a command that starts with these words.
    pub fn add_command_prefix(&mut self, decision: Verdict, words: &str, as_written: &str) {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        self.add(decision, PermissionSubject::Command(words), as_written);
    }

    /// Adds a command without further arguments. The page can only express it together with the prefix.
    pub fn add_exact_command(&mut self, decision: Verdict, command: &str, as_written: &str) {
        let command = command.to_owned();
        let as_written = as_written.to_owned();
        self.exact_commands.push(ExactCommand { decision, command, as_written });
    }

    /// Adds a permission if the page reads back as the same permission.
    pub fn add(&mut self, decision: Verdict, subject: PermissionSubject, as_written: &str) {
        let permission = (decision, subject);
        if decisions(&page(std::slice::from_ref(&permission), None)) == [permission.clone()] {
            if !self.all.contains(&permission) {
                self.all.push(permission);
            }
        } else {
            self.lose(permission.0, as_written);
        }
    }

    /// Records a permission that the page cannot express.
    pub fn lose(&mut self, decision: Verdict, as_written: &str) {
        self.lost.push((Some(decision), format!("`{}`", without_secrets(as_written))));
    }

    /// Records a setting that the page cannot express, and that neither allows nor restricts one thing.
    pub fn lose_setting(&mut self, as_written: &str) {
        self.lost.push((None, format!("`{}`", without_secrets(as_written))));
    }

    /// Adds a permission that the page has in another extent.
    fn add_near(&mut self, decision: Verdict, subject: PermissionSubject, extent: Extent, as_written: &str) {
        let lost = self.lost.len();
        self.add(decision, subject, as_written);
        if self.lost.len() == lost {
            self.near.entry(extent).or_default().push(format!("`{}`", without_secrets(as_written)));
        }
    }

    /// Adds an entry of a tool; `None` if the canon cannot express it.
    pub fn add_entry(&mut self, decision: Verdict, parsed: Option<EntryMeaning>, entry: &str) {
        match parsed {
            Some(EntryMeaning::Prefix(words)) => self.add_command_prefix(decision, &words, entry),
            Some(EntryMeaning::Text(text)) => {
                let words = text.split_whitespace().map(str::to_owned).collect();
                self.add_near(decision, PermissionSubject::Command(words), Extent::WholeWords, entry);
            }
            Some(EntryMeaning::SomeEdits(subject)) => self.add_near(decision, subject, Extent::EveryEdit, entry),
            Some(EntryMeaning::Exact(command)) => self.add_exact_command(decision, &command, entry),
            // Elsewhere, the page would allow or ask about more.
            Some(EntryMeaning::AtTop(subject)) if decision != Verdict::Deny => {
                self.top_files.push((decision, subject, entry.to_owned()));
            }
            Some(EntryMeaning::AtTop(subject)) => self.add_near(decision, subject, Extent::AnyDepth, entry),
            Some(EntryMeaning::Subject(subject)) => self.add(decision, subject, entry),
            None => self.lose(decision, entry),
        }
    }

    /// Sets the mode in which agents start. One that skips approvals is a decision for the team.
    fn set_mode(&mut self, mode: Option<DefaultMode>, as_written: &str) {
        match mode.filter(|mode| !mode.skips_approvals()) {
            Some(mode) => self.mode = Some(mode),
            None => self.lose_setting(as_written),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && self.exact_commands.is_empty() && self.lost.is_empty() && self.mode.is_none()
    }

    /// Adds the permissions of another tool. Its restrictions apply to all tools from now on, but what only it allows is
    /// not allowed to the others.
    pub fn merge(&mut self, mut other: Self, tool: &str, plan: &mut ImportPlan<'_>, from: &RepoPath) {
        other.resolve();
        self.resolve();
        let (allowed, restricted): (Vec<_>, Vec<_>) =
            std::mem::take(&mut other.all).into_iter().partition(|(decision, _)| *decision == Verdict::Allow);
        let own = allowed.into_iter().filter(|permission| !self.all.contains(permission)).count();
        if own > 0 {
            let reason =
                format!("{own} permissions that only {tool} has; in the canon, they would allow more to other tools");
            plan.skip(from, reason, "add them to agent/protocols/permissions.md if every tool may have them");
        }
        for permission in restricted {
            if !self.all.contains(&permission) {
                self.all.push(permission);
            }
        }
        match (self.mode, other.mode) {
            (None, mode) => self.mode = mode,
            (Some(mine), Some(theirs)) if mine != theirs => {
                other.lose_setting(&format!("defaultMode: {}", theirs.name()));
            }
            _ => {}
        }
        other.report_lost(plan, from);
        for (extent, entries) in other.near {
            self.near.entry(extent).or_default().extend(entries);
        }
    }

    /// Reports what the page cannot express, and what that means: a lost denial protects less, a lost allowance only asks
    /// more often.
    fn report_lost(&self, plan: &mut ImportPlan<'_>, from: &RepoPath) {
        let describe = "describe them in agent/protocols/permissions.md, or keep them where they are";
        for (decision, meaning, advice) in [
            (
                Some(Verdict::Deny),
                "denied permissions that the canon cannot express, so that other tools do not deny them",
                describe,
            ),
            (
                Some(Verdict::Ask),
                "permissions to ask about that the canon cannot express, so that other tools may not ask",
                describe,
            ),
            (
                Some(Verdict::Allow),
                "allowed permissions that the canon cannot express, so that agents ask more often",
                "",
            ),
            (None, "settings of permissions that the canon cannot express", describe),
        ] {
            let entries: Vec<String> =
                self.lost.iter().filter(|(lost, _)| *lost == decision).map(|(_, entry)| entry.clone()).collect();
            if !entries.is_empty() {
                plan.skip(from, format!("{meaning}: {}", listed(&entries)), advice);
            }
        }
    }

    /// Adds the permissions page to the plan.
    pub fn finish(mut self, plan: &mut ImportPlan<'_>, from: &RepoPath) {
        self.resolve();
        self.report_lost(plan, from);
        if self.all.is_empty() && self.mode.is_none() {
            return;
        }
        let to = plan.source.layout.permissions();
        let contains_all = |text: String| {
            let existing = decisions(&text);
            let mode = default_mode(&text).and_then(|setting| setting.mode.ok());
            self.all.iter().all(|permission| existing.contains(permission))
                && (self.mode.is_none() || self.mode == mode)
        };
        let file = match plan.source.canon.get(&to) {
            Some(state) if plan.source.text(&to).is_ok_and(contains_all) => {
                Some(PlannedFile { path: to.clone(), content: EditContent::Bytes(Vec::new()), state: *state })
            }
            _ => plan.text_file(page(&self.all, self.mode), to.clone()),
        };
        let files = file.into_iter().collect();
        let mut changes = vec!["converted to a permissions page".to_owned()];
        changes.extend(self.near.iter().map(|(extent, entries)| format!("{}: {}", extent.as_str(), listed(entries))));
        let is_approved = |(decision, subject): &(Verdict, PermissionSubject)| {
            *decision == Verdict::Allow && matches!(subject, PermissionSubject::Domain(_))
        };
        let names_hosts = self.all.iter().any(is_approved);
        if names_hosts && !self.denies_other_hosts {
            changes.push(
                "\"Approved domains\" lists all hosts that agents may contact: canonry's hook denies the others, about which \
                 the source asks"
                    .to_owned(),
            );
        }
        plan.items.push(PlannedItem { files, changes, ..PlannedItem::new(from.clone(), to) });
    }

    /// Drops what other permissions include.
    fn resolve(&mut self) {
        self.resolve_exact_commands();
        // A folder of any depth includes the one at the top.
        let all = self.all.clone();
        let is_included = |decision, pattern: &str, subject: fn(String) -> PermissionSubject| {
            let folder = pattern.strip_suffix("/**").filter(|folder| !folder.contains('/'));
            folder.is_some_and(|folder| all.contains(&(decision, subject(format!("{folder}/")))))
        };
        self.all.retain(|(decision, subject)| match subject {
            PermissionSubject::Read(pattern) => !is_included(*decision, pattern, PermissionSubject::Read),
            PermissionSubject::Edit(pattern) => !is_included(*decision, pattern, PermissionSubject::Edit),
            _ => true,
        });
        for (decision, subject, as_written) in std::mem::take(&mut self.top_files) {
            if !self.all.contains(&(decision, subject)) {
                self.lose(decision, &as_written);
            }
        }
    }

    fn resolve_exact_commands(&mut self) {
        for ExactCommand { decision, command, as_written } in std::mem::take(&mut self.exact_commands) {
            let words = command.split_whitespace().map(str::to_owned).collect();
            if !self.all.contains(&(decision, PermissionSubject::Command(words))) {
                self.lose(decision, &as_written);
            }
        }
    }
}

fn page(all: &[(Verdict, PermissionSubject)], mode: Option<DefaultMode>) -> String {
    let head = mode.map(|mode| format!("---\ndefaultMode: {}\n---\n\n", mode.name())).unwrap_or_default();
    let mut text =
        head + "# Permissions\n\nWhat agents may do without asking. Everything that is not listed requires approval.\n";
    // Other hosts are in the sections of commands.
    let is_approved = |(decision, subject): &(Verdict, PermissionSubject)| {
        *decision == Verdict::Allow && matches!(subject, PermissionSubject::Domain(_))
    };
    for (title, decision, domains) in [
        ("Always allowed", Verdict::Allow, false),
        ("Requires approval", Verdict::Ask, false),
        ("Never allowed", Verdict::Deny, false),
        ("Approved domains", Verdict::Allow, true),
    ] {
        let mut items = String::new();
        for (_, subject) in all.iter().filter(|one| one.0 == decision && is_approved(one) == domains) {
            items.push_str(&match subject {
                PermissionSubject::Command(words) => format!("- `{}`\n", words.join(" ")),
                PermissionSubject::Read(path) => format!("- Read: `{path}`\n"),
                PermissionSubject::Edit(path) => format!("- Edit: `{path}`\n"),
                PermissionSubject::Mcp { server, tool } => {
                    format!("- MCP: `{server}/{}`\n", tool.as_deref().unwrap_or("*"))
                }
                PermissionSubject::Domain(host) if decision == Verdict::Allow => format!("- {host}\n"),
                PermissionSubject::Domain(host) => format!("- Web: `{host}`\n"),
                PermissionSubject::Flag(flag) => format!("- `{flag}`\n"),
                PermissionSubject::Push(branch) => format!("- Push to `{branch}`\n"),
                // Sources have commands, no prose.
                PermissionSubject::Action(_) => String::new(),
            });
        }
        // Without this section, agents may contact every host; an empty one denies them all.
        if domains && items.is_empty() {
            continue;
        }
        text.push_str(&format!("\n## {title}\n\n"));
        text.push_str(if items.is_empty() { "None.\n" } else { &items });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_agents::permissions::parse_claude_entry;

    fn lost_entries(permissions: &Permissions) -> Vec<&str> {
        permissions.lost.iter().map(|(_, entry)| entry.as_str()).collect()
    }

    #[test]
    fn imports_only_what_the_page_can_express() {
        let mut permissions = Permissions::default();
        for (decision, entry) in [
            (Verdict::Allow, "Bash(git status:*)"),
            (Verdict::Allow, "Bash(ls *)"),
            (Verdict::Allow, "Bash(git log)"),
            (Verdict::Allow, "Bash(ls)"),
            (Verdict::Allow, "Bash(cat x | sh *)"),
            (Verdict::Ask, "Bash(git push *)"),
            (Verdict::Deny, "Bash(rm -rf *)"),
            (Verdict::Deny, "Read(./.env*)"),
            (Verdict::Deny, "Read(.env)"),
            (Verdict::Allow, "Read(src/**)"),
            (Verdict::Allow, "WebFetch(domain:docs.rs)"),
            (Verdict::Deny, "Edit(/src/**)"),
            (Verdict::Deny, "Edit(a b)"),
            (Verdict::Allow, "Read(./notes.md)"),
            (Verdict::Ask, "mcp__github__merge_pr"),
            (Verdict::Deny, "mcp__github"),
            (Verdict::Allow, "mcp__github__get_*"),
            (Verdict::Deny, "WebFetch(domain:example.com)"),
        ] {
            permissions.add_entry(decision, parse_claude_entry(decision, entry), entry);
        }
        permissions.resolve();
        assert_eq!(
            lost_entries(&permissions),
            ["`Bash(cat x | sh *)`", "`Edit(a b)`", "`mcp__github__get_*`", "`Bash(git log)`", "`Read(./notes.md)`"]
        );
        assert_eq!(permissions.all.len(), 12);
        let mut read = decisions(&page(&permissions.all, None));
        read.sort();
        permissions.all.sort();
        assert_eq!(read, permissions.all);
    }

    #[test]
    fn what_is_nearly_the_same_is_imported_and_said() {
        let mut permissions = Permissions::default();
        for (decision, entry) in [
            (Verdict::Deny, "Bash(sudo*)"),
            (Verdict::Allow, "Bash(pnpm lint*)"),
            (Verdict::Deny, "Write(.env*)"),
            (Verdict::Ask, "MultiEdit(/src/**)"),
            // Edits would be allowed too, a path would be cut, and elsewhere files would need a question.
            (Verdict::Allow, "Write(src/**)"),
            (Verdict::Deny, "Bash(rm -rf /*)"),
            (Verdict::Deny, "Bash(* | sh*)"),
            (Verdict::Ask, "Write(/notes.md)"),
        ] {
            permissions.add_entry(decision, parse_claude_entry(decision, entry), entry);
        }
        assert_eq!(permissions.near[&Extent::WholeWords], ["`Bash(sudo*)`", "`Bash(pnpm lint*)`"]);
        assert_eq!(permissions.near[&Extent::EveryEdit], ["`Write(.env*)`", "`MultiEdit(/src/**)`"]);
        assert_eq!(permissions.lost.len(), 4, "{:?}", lost_entries(&permissions));
        let text = page(&permissions.all, None);
        for line in ["- `sudo`", "- `pnpm lint`", "- Edit: `.env*`", "- Edit: `src/**`"] {
            assert!(text.contains(&format!("{line}\n")), "no {line} in {text}");
        }
    }

    #[test]
    fn many_entries_of_a_kind_are_counted() {
        let entries: Vec<String> =
            (0..12).map(|at| format!("`Skill(s{at})`")).chain(["`Bash(a | b)`".to_owned()]).collect();
        let text = listed(&entries);
        assert!(text.starts_with("`Skill(s0)`, ") && text.ends_with("and 4 more `Skill(…)`, `Bash(a | b)`"), "{text}");
    }
}
