//! Permissions, where the canon's page says the same and no more.

use super::basket::{File, ImportPlan, Piece};
use crate::canon::permissions::{Decision, PermissionSubject, decisions};
use crate::edit::EditContent;
use crate::syntax::RepoPath;

/// Collects what the page can say, and what it cannot.
#[derive(Default)]
pub(super) struct Permissions {
    all: Vec<(Decision, PermissionSubject)>,
    /// Commands that count only as they stand.
    exact: Vec<(Decision, String, String)>,
    lost: Vec<String>,
}

impl Permissions {
    /// A command that begins with these words.
    pub fn begins(&mut self, decision: Decision, words: &str, as_written: &str) {
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        self.add(decision, PermissionSubject::Command(words), as_written);
    }

    /// A command just as it stands, which the page can say only together with all that begins like it.
    pub fn exactly(&mut self, decision: Decision, command: &str, as_written: &str) {
        self.exact.push((decision, command.to_owned(), as_written.to_owned()));
    }

    /// A decision, where the page would be read as just that.
    pub fn add(&mut self, decision: Decision, matter: PermissionSubject, as_written: &str) {
        let pair = (decision, matter);
        if decisions(&page(std::slice::from_ref(&pair))) == [pair.clone()] {
            if !self.all.contains(&pair) {
                self.all.push(pair);
            }
        } else {
            self.lose(as_written);
        }
    }

    /// Something that the page cannot say.
    pub fn lose(&mut self, as_written: &str) {
        self.lost.push(format!("`{as_written}`"));
    }

    /// `Bash(git status *)`, as Claude Code writes it.
    pub fn claude(&mut self, decision: Decision, entry: &str) {
        let inner = |kind: &str| entry.strip_prefix(kind)?.strip_prefix('(')?.strip_suffix(')');
        if let Some(words) =
            inner("Bash").and_then(|words| words.strip_suffix(":*").or_else(|| words.strip_suffix(" *")))
        {
            return self.begins(decision, words, entry);
        }
        if let Some(command) = inner("Bash").filter(|command| !command.contains('*')) {
            return self.exactly(decision, command, entry);
        }
        match (inner("Read"), inner("WebFetch").and_then(|inner| inner.strip_prefix("domain:")), decision) {
            (Some(path), _, Decision::Deny) => {
                let path = path.strip_prefix("./").unwrap_or(path);
                self.add(decision, PermissionSubject::Read(path.to_owned()), entry);
            }
            (_, Some(host), Decision::Allow) => {
                self.add(decision, PermissionSubject::Domain(host.to_lowercase()), entry)
            }
            _ => self.lose(entry),
        }
    }

    /// Makes the canon's page of them.
    pub fn finish(mut self, basket: &mut ImportPlan<'_>, from: &RepoPath) {
        self.settle();
        if !self.lost.is_empty() {
            let why = format!("permissions that the canon has no words for: {}", self.lost.join(", "));
            basket.leave(from, why, "say them in agent/protocols/permissions.md, or leave them where they are");
        }
        if self.all.is_empty() {
            return;
        }
        let to = basket.ground.layout.permissions();
        let is_there = |text: String| {
            let there = decisions(&text);
            self.all.iter().all(|pair| there.contains(pair))
        };
        let file = match basket.ground.canon.get(&to) {
            Some(state) if basket.ground.text(&to).is_ok_and(is_there) => {
                Some(File { path: to.clone(), content: EditContent::Bytes(Vec::new()), state: *state })
            }
            _ => basket.file_with(page(&self.all), to.clone()),
        };
        let changes = vec!["made a page of it".to_owned()];
        basket.pieces.push(Piece {
            from: from.clone(),
            to,
            files: file.into_iter().collect(),
            changes,
            is_skill: false,
        });
    }
}

impl Permissions {
    fn settle(&mut self) {
        for (decision, command, as_written) in std::mem::take(&mut self.exact) {
            let words = command.split_whitespace().map(str::to_owned).collect();
            if !self.all.contains(&(decision, PermissionSubject::Command(words))) {
                self.lose(&as_written);
            }
        }
    }
}

fn page(all: &[(Decision, PermissionSubject)]) -> String {
    let mut text =
        "# Permissions\n\nWhat an agent may do here by itself. What stands nowhere requires approval.\n".to_owned();
    let is_domain = |matter: &PermissionSubject| matches!(matter, PermissionSubject::Domain(_));
    for (title, decision, domains) in [
        ("Always allowed", Decision::Allow, false),
        ("Requires approval", Decision::Ask, false),
        ("Never allowed", Decision::Deny, false),
        ("Approved domains", Decision::Allow, true),
    ] {
        text.push_str(&format!("\n## {title}\n\n"));
        let mut items = String::new();
        for (_, matter) in all.iter().filter(|(of, matter)| *of == decision && is_domain(matter) == domains) {
            items.push_str(&match matter {
                PermissionSubject::Command(words) => format!("- `{}`\n", words.join(" ")),
                PermissionSubject::Read(path) => format!("- Read: `{path}`\n"),
                PermissionSubject::Domain(host) => format!("- {host}\n"),
                PermissionSubject::Flag(flag) => format!("- `{flag}`\n"),
                PermissionSubject::Push(branch) => format!("- Push to `{branch}`\n"),
            });
        }
        text.push_str(if items.is_empty() { "None.\n" } else { &items });
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_page_says_as_well_is_taken() {
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
            permissions.claude(decision, entry);
        }
        permissions.settle();
        assert_eq!(permissions.lost, ["`Bash(cat x | sh *)`", "`Read(src/**)`", "`Edit(src/**)`", "`Bash(git log)`"]);
        assert_eq!(permissions.all.len(), 7);
        let mut read = decisions(&page(&permissions.all));
        read.sort();
        permissions.all.sort();
        assert_eq!(read, permissions.all);
    }
}
