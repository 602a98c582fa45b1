//! What an agent may do, in the words of each tool. Where a tool cannot ask, what would be asked is denied.

use super::desired::DesiredToolFiles;
use super::request::ToolFileRequest;
use crate::canon::permissions::{Decision, PermissionSubject, decisions};
use crate::syntax::RepoPath;
use serde_json::json;

type Decisions = [(Decision, PermissionSubject)];

/// Adds what is switched on.
pub(super) fn add(wish: &ToolFileRequest<'_>, wanted: &mut DesiredToolFiles) {
    let files = wish.files;
    let canon = wish.layout.permissions();
    let Some(text) = wish.sources.get(&canon) else { return };
    let switched = [
        (files.claude.permissions, ".claude/settings.json"),
        (files.cursor.permissions, ".cursor/cli.json"),
        (files.gemini.permissions, ".gemini/policies/canonry.toml"),
        (files.codex.permissions, ".codex/rules/canonry.rules"),
    ];
    let on = switched.iter().filter(|(on, _)| *on).map(|(_, file)| *file);
    let decisions = match text {
        Ok(text) => decisions(text),
        Err(why) => {
            wanted.frozen.extend(on.map(RepoPath::from));
            return wanted.problem(&canon, why);
        }
    };
    for file in on {
        match file {
            ".claude/settings.json" => claude(&decisions, &canon, wanted),
            ".cursor/cli.json" => cursor(&decisions, &canon, wanted),
            ".gemini/policies/canonry.toml" => whole(file, gemini(&decisions), &canon, wanted),
            _ => whole(file, codex(&decisions), &canon, wanted),
        }
    }
}

fn whole(file: &str, lines: String, canon: &RepoPath, wanted: &mut DesiredToolFiles) {
    if !lines.is_empty() {
        let head = format!("# CreatedContainer by canonry from {canon}: change that file, and run `canonry sync`.\n");
        wanted.whole(file, Some(head + &lines), canon);
    }
}

fn claude(decisions: &Decisions, canon: &RepoPath, wanted: &mut DesiredToolFiles) {
    for (decision, matter) in decisions {
        let list = match decision {
            Decision::Allow => "allow",
            Decision::Ask => "ask",
            Decision::Deny => "deny",
        };
        let entries = match matter {
            PermissionSubject::Command(words) => {
                let words = words.join(" ");
                vec![format!("Bash({words})"), format!("Bash({words} *)")]
            }
            PermissionSubject::Read(pattern) => {
                claude_patterns(pattern).into_iter().map(|p| format!("Read({p})")).collect()
            }
            PermissionSubject::Domain(host) => vec![format!("WebFetch(domain:{host})")],
            // What only a hook can hold an agent to.
            PermissionSubject::Flag(_) | PermissionSubject::Push(_) => Vec::new(),
        };
        for entry in entries {
            wanted.item(".claude/settings.json", &["permissions", list], json!(entry), canon);
        }
    }
}

/// From the root of the file system with two slashes, from here with `./`, and at any depth where no folder is named.
fn claude_patterns(pattern: &str) -> Vec<String> {
    let open = if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.to_owned() };
    match () {
        () if open.starts_with('~') => vec![open],
        () if open.starts_with('/') => vec![format!("/{open}")],
        () if open.contains('/') => vec![format!("./{}", open.trim_start_matches("./"))],
        () => vec![format!("./{open}"), format!("./**/{open}")],
    }
}

/// `Shell(program:arguments)`. It cannot ask: what is in neither list is asked for, but not under `--force`.
fn cursor(decisions: &Decisions, canon: &RepoPath, wanted: &mut DesiredToolFiles) {
    for (decision, matter) in decisions {
        let list = if *decision == Decision::Allow { "allow" } else { "deny" };
        let entries = match matter {
            PermissionSubject::Command(words) => match words.split_first() {
                Some((program, [])) => vec![format!("Shell({program})")],
                Some((program, rest)) => {
                    let rest = rest.join(" ");
                    vec![format!("Shell({program}:{rest})"), format!("Shell({program}:{rest} *)")]
                }
                None => Vec::new(),
            },
            PermissionSubject::Read(pattern) if pattern.contains('/') => {
                vec![format!("Read({})", pattern.trim_start_matches("./"))]
            }
            PermissionSubject::Read(pattern) => vec![format!("Read(**/{pattern})")],
            PermissionSubject::Domain(_) | PermissionSubject::Flag(_) | PermissionSubject::Push(_) => Vec::new(),
        };
        for entry in entries {
            wanted.item(".cursor/cli.json", &["permissions", list], json!(entry), canon);
        }
    }
}

/// Commands alone: its patterns for the arguments of other tools are regular expressions over JSON.
fn gemini(decisions: &Decisions) -> String {
    let rule = |(decision, matter): &(Decision, PermissionSubject)| {
        let PermissionSubject::Command(words) = matter else { return None };
        // The narrower decision wins.
        let (word, priority) = match decision {
            Decision::Allow => ("allow", 100),
            Decision::Ask => ("ask_user", 200),
            Decision::Deny => ("deny", 300),
        };
        let prefix = toml_edit::Value::from(words.join(" "));
        let prefix = prefix.to_string();
        Some(format!(
            "\n[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = {}\ndecision = \"{word}\"\npriority = {priority}\n",
            prefix.trim()
        ))
    };
    decisions.iter().filter_map(rule).collect()
}

/// Commands alone. Of several rules that hold the strictest counts.
fn codex(decisions: &Decisions) -> String {
    let rule = |(decision, matter): &(Decision, PermissionSubject)| {
        let PermissionSubject::Command(words) = matter else { return None };
        let word = match decision {
            Decision::Allow => "allow",
            Decision::Ask => "prompt",
            Decision::Deny => "forbidden",
        };
        let words: Vec<String> = words.iter().map(|word| json!(word).to_string()).collect();
        Some(format!("prefix_rule(pattern=[{}], decision=\"{word}\")\n", words.join(", ")))
    };
    decisions.iter().filter_map(rule).collect()
}
