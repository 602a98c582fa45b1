//! Permissions, imported only if the canon's permissions page means exactly the same.

use super::plan::{ImportPlan, PlannedFile, PlannedItem};
use crate::canon::permissions::{Decision, PermissionSubject, decisions};
use crate::edit::EditContent;
use crate::syntax::RepoPath;
use crate::syntax::secrets::without_secrets;

/// Collects the permissions of a source.
#[derive(Default)]
pub(super) struct Permissions {
    all: Vec<(Decision, PermissionSubject)>,
    /// Commands that the source allows only without further arguments.
    exact_commands: Vec<ExactCommand>,
    /// Permissions that the page cannot express, as the source writes them.
    lost: Vec<String>,
    /// Whether the source denies the hosts that it does not list.
    pub denies_other_hosts: bool,
}

struct ExactCommand {
    decision: Decision,
    command: String,
    as_written: String,
}

impl Permissions {
    /// Adds a command that starts with these words.
    pub fn add_command_prefix(&mut self, decision: Decision, words: &str, as_written: &str) {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        self.add(decision, PermissionSubject::Command(words), as_written);
    }

    /// Adds a command without further arguments. The page can only express it together with the prefix.
    pub fn add_exact_command(&mut self, decision: Decision, command: &str, as_written: &str) {
        let (command, as_written) = (command.to_owned(), as_written.to_owned());
        self.exact_commands.push(ExactCommand { decision, command, as_written });
    }

    /// Adds a permission if the page reads back as the same permission.
    pub fn add(&mut self, decision: Decision, subject: PermissionSubject, as_written: &str) {
        let permission = (decision, subject);
        if decisions(&page(std::slice::from_ref(&permission))) == [permission.clone()] {
            if !self.all.contains(&permission) {
                self.all.push(permission);
            }
        } else {
            self.lose(as_written);
        }
    }

    /// Records a permission that the page cannot express.
    pub fn lose(&mut self, as_written: &str) {
        self.lost.push(format!("`{}`", without_secrets(as_written)));
    }

    /// Adds an entry of Claude Code, such as `Bash(git status *)`.
    pub fn add_claude_entry(&mut self, decision: Decision, entry: &str) {
        let inner = |kind: &str| entry.strip_prefix(kind)?.strip_prefix('(')?.strip_suffix(')');
        if let Some(words) =
            inner("Bash").and_then(|words| words.strip_suffix(":*").or_else(|| words.strip_suffix(" *")))
        {
            return self.add_command_prefix(decision, words, entry);
        }
        if let Some(command) = inner("Bash").filter(|command| !command.contains('*')) {
            return self.add_exact_command(decision, command, entry);
        }
        match (inner("Read"), inner("WebFetch").and_then(|inner| inner.strip_prefix("domain:")), decision) {
            (Some(path), _, Decision::Deny) => {
                let path = path.strip_prefix("./").unwrap_or(path);
                self.add(decision, PermissionSubject::Read(path.to_owned()), entry);
            }
            (_, Some(host), Decision::Allow) => {
                self.add(decision, PermissionSubject::Domain(host.to_lowercase()), entry);
            }
            _ => self.lose(entry),
        }
    }

    /// Adds the permissions page to the plan.
    pub fn finish(mut self, plan: &mut ImportPlan<'_>, from: &RepoPath) {
        self.resolve_exact_commands();
        if !self.lost.is_empty() {
            let reason = format!("permissions that the canon cannot express: {}", self.lost.join(", "));
            plan.skip(from, reason, "describe them in agent/protocols/permissions.md, or keep them where they are");
        }
        if self.all.is_empty() {
            return;
        }
        let to = plan.source.layout.permissions();
        let contains_all = |text: String| {
            let existing = decisions(&text);
            self.all.iter().all(|permission| existing.contains(permission))
        };
        let file = match plan.source.canon.get(&to) {
            Some(state) if plan.source.text(&to).is_ok_and(contains_all) => {
                Some(PlannedFile { path: to.clone(), content: EditContent::Bytes(Vec::new()), state: *state })
            }
            _ => plan.text_file(page(&self.all), to.clone()),
        };
        let files = file.into_iter().collect();
        let mut changes = vec!["converted to a permissions page".to_owned()];
        let names_hosts = self.all.iter().any(|(_, subject)| matches!(subject, PermissionSubject::Domain(_)));
        if names_hosts && !self.denies_other_hosts {
            changes.push(
                "\"Approved domains\" lists all hosts that agents may contact: canonry's hook denies the others, about which \
                 the source asks"
                    .to_owned(),
            );
        }
        plan.items.push(PlannedItem { files, changes, ..PlannedItem::new(from.clone(), to) });
    }

    fn resolve_exact_commands(&mut self) {
        for ExactCommand { decision, command, as_written } in std::mem::take(&mut self.exact_commands) {
            let words = command.split_whitespace().map(str::to_owned).collect();
            if !self.all.contains(&(decision, PermissionSubject::Command(words))) {
                self.lose(&as_written);
            }
        }
    }
}

fn page(all: &[(Decision, PermissionSubject)]) -> String {
    let mut text =
        "# Permissions\n\nWhat agents may do without asking. Everything that is not listed requires approval.\n"
            .to_owned();
    let is_domain = |subject: &PermissionSubject| matches!(subject, PermissionSubject::Domain(_));
    for (title, decision, domains) in [
        ("Always allowed", Decision::Allow, false),
        ("Requires approval", Decision::Ask, false),
        ("Never allowed", Decision::Deny, false),
        ("Approved domains", Decision::Allow, true),
    ] {
        let mut items = String::new();
        for (_, subject) in all.iter().filter(|(listed, subject)| *listed == decision && is_domain(subject) == domains)
        {
            items.push_str(&match subject {
                PermissionSubject::Command(words) => format!("- `{}`\n", words.join(" ")),
                PermissionSubject::Read(path) => format!("- Read: `{path}`\n"),
                PermissionSubject::Domain(host) => format!("- {host}\n"),
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

    #[test]
    fn imports_only_what_the_page_can_express() {
        let mut permissions = Permissions::default();
        for (decision, entry) in [
            (Decision::Allow, "Bash(git status:*)"),
            (Decision::Allow, "Bash(ls *)"),
            (Decision::Allow, "Bash(git log)"),
            (Decision::Allow, "Bash(ls)"),
            (Decision::Allow, "Bash(cat x | sh *)"),
            (Decision::Ask, "Bash(git push *)"),
            (Decision::Deny, "Bash(rm -rf *)"),
            (Decision::Deny, "Read(./.env*)"),
            (Decision::Deny, "Read(.env)"),
            (Decision::Allow, "Read(src/**)"),
            (Decision::Allow, "WebFetch(domain:docs.rs)"),
            (Decision::Deny, "Edit(src/**)"),
        ] {
            permissions.add_claude_entry(decision, entry);
        }
        permissions.resolve_exact_commands();
        assert_eq!(permissions.lost, ["`Bash(cat x | sh *)`", "`Read(src/**)`", "`Edit(src/**)`", "`Bash(git log)`"]);
        assert_eq!(permissions.all.len(), 7);
        let mut read = decisions(&page(&permissions.all));
        read.sort();
        permissions.all.sort();
        assert_eq!(read, permissions.all);
    }
}
