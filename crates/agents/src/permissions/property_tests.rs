//! Properties of the formats: what the settings say is what is read from them, and nothing is allowed besides.

use super::*;
use canonry_model::config::TOOLS;
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::BTreeSet;

#[test]
fn each_tool_has_its_own_words() {
    let edit = |pattern: &str| PermissionSubject::Edit(pattern.to_owned());
    let read = |pattern: &str| PermissionSubject::Read(pattern.to_owned());
    let mcp =
        |tool: Option<&str>| PermissionSubject::Mcp { server: "git.hub".to_owned(), tool: tool.map(str::to_owned) };
    let deny = Verdict::Deny;
    for (decision, subject, claude, cursor, antigravity, gemini) in [
        (deny, read(".env*"), "Read(/**/.env*)", "Read(**/.env*)", "", ""),
        (deny, read("keys/"), "Read(/**/keys/**)", "Read(**/keys/**)", "read_file(keys)", ""),
        (deny, read("./a/b.pem"), "Read(/a/b.pem)", "Read(a/b.pem) Read(a/b.pem/**)", "read_file(a/b.pem)", ""),
        (deny, read("~/.ssh/**"), "Read(~/.ssh/**)", "Read(~/.ssh/**)", "", ""),
        (deny, edit("src/**"), "Edit(/src/**)", "Write(src/**)", "", ""),
        (deny, edit("a/b"), "Edit(/a/b)", "Write(a/b) Write(a/b/**)", "", ""),
        (deny, edit("Cargo.lock"), "Edit(/**/Cargo.lock)", "Write(**/Cargo.lock) Write(**/Cargo.lock/**)", "", ""),
        (deny, edit("build/"), "Edit(/**/build/**)", "Write(**/build/**)", "", ""),
        (deny, edit("/etc/x"), "Edit(//etc/x)", "Write(/etc/x) Write(/etc/x/**)", "", ""),
        (deny, edit("**"), "Edit", "Write(**)", "", "replace write_file"),
        (Verdict::Allow, edit("**"), "Edit(/**)", "Write(**)", "", ""),
        (deny, mcp(Some("rm")), "mcp__git_hub__rm", "Mcp(git.hub:rm)", "mcp(git.hub/rm)", "mcp_git.hub_rm"),
        (Verdict::Ask, mcp(None), "mcp__git_hub", "Mcp(git.hub:*)", "mcp(git.hub/*)", ""),
        (deny, PermissionSubject::Domain("a.b".into()), "WebFetch(domain:a.b)", "WebFetch(a.b)", "read_url(a.b)", ""),
    ] {
        assert_eq!(claude::entries(decision, &subject).join(" "), claude);
        assert_eq!(cursor::entries(&subject).join(" "), cursor);
        assert_eq!(antigravity::entries(&subject).join(" "), antigravity);
        assert_eq!(gemini::exclusions(decision, &subject).join(" "), gemini);
    }
    assert_eq!(cursor::list(Verdict::Ask), "deny");
}

fn subject() -> impl Strategy<Value = PermissionSubject> {
    let patterns = [".env*", "keys/", "keys", "src/**", "a/b", "Cargo.lock", "/etc/x", "~/.ssh/**", "**", "a/**/b"];
    let pattern = || select(patterns.map(str::to_owned).to_vec());
    let words = select(vec!["git", "git status", "rm -rf", "npm run build"]);
    prop_oneof![
        words.prop_map(|words| PermissionSubject::Command(words.split(' ').map(str::to_owned).collect())),
        pattern().prop_map(PermissionSubject::Read),
        pattern().prop_map(PermissionSubject::Edit),
        select(vec![None, Some("drop")])
            .prop_map(|tool| PermissionSubject::Mcp { server: "db".to_owned(), tool: tool.map(str::to_owned) }),
        select(vec!["docs.rs", "a.b"]).prop_map(|host| PermissionSubject::Domain(host.to_owned())),
    ]
}

/// The settings of a tool with one permission.
fn settings(tool: &PermissionTool, decision: Verdict, subject: &PermissionSubject) -> Value {
    let mut settings = json!({"mcpServers": {"db": {}}, "mcp": {"db": {}}});
    if tool.permissions.grammar == PermissionGrammar::OpenCode {
        let base = OpenCodeBase { mode: None, servers: &BTreeSet::new(), lists_hosts: false };
        settings["permission"] = Value::Object(opencode::rules(&[(decision, subject.clone())], &base));
    }
    for ([section, list], entry) in tool.entries(decision, subject) {
        match &mut settings[section][list] {
            Value::Array(entries) => entries.push(json!(entry)),
            missing => *missing = json!([entry]),
        }
    }
    settings
}

/// Whether a permission that was read allows no more than the written one, or restricts no less.
fn is_within(found: &EntryMeaning, decision: Verdict, subject: &PermissionSubject) -> bool {
    let is_command = |text: &str| *subject == PermissionSubject::Command(text.split(' ').map(str::to_owned).collect());
    match found {
        EntryMeaning::Prefix(words) | EntryMeaning::Exact(words) => is_command(words),
        EntryMeaning::Subject(found) if found == subject => true,
        // A `*` of OpenCode matches more than the canon's, which only a restriction has.
        EntryMeaning::Subject(PermissionSubject::Read(found) | PermissionSubject::Edit(found)) => match subject {
            PermissionSubject::Read(pattern) | PermissionSubject::Edit(pattern) => {
                decision != Verdict::Allow && *pattern == found.replace("/**/*", "/**/")
            }
            _ => false,
        },
        EntryMeaning::Subject(_) => false,
        // Of a name, some tools have only the one at the top.
        EntryMeaning::AtTop(PermissionSubject::Read(found)) => match subject {
            PermissionSubject::Read(pattern) => pattern.trim_end_matches('/') == found,
            _ => false,
        },
        EntryMeaning::Text(_) | EntryMeaning::SomeEdits(_) | EntryMeaning::AtTop(_) => decision == Verdict::Deny,
    }
}

proptest! {
    #[test]
    fn a_written_permission_means_the_same(
        subject in subject(),
        decision in select(vec![Verdict::Allow, Verdict::Ask, Verdict::Deny]),
    ) {
        for row in TOOLS {
            let Some(permissions) = row.permissions.as_ref() else { continue };
            let tool = PermissionTool { row, permissions };
            let found = parse(permissions.grammar, &settings(&tool, decision, &subject));
            for entry in found.entries {
                let read = entry.decision.unwrap();
                prop_assert!(read == decision || read == Verdict::Deny && decision == Verdict::Ask, "{}", row.id);
                // What is lost is said. It may only be a restriction of everything.
                let Some(meaning) = entry.meaning else {
                    prop_assert_ne!(read, Verdict::Allow, "{}: {}", row.id, entry.as_written);
                    prop_assert!(entry.as_written.ends_with("(/**)"), "{}: {}", row.id, entry.as_written);
                    continue;
                };
                prop_assert!(is_within(&meaning, read, &subject), "{}: {:?} is {:?}", row.id, entry.as_written, meaning);
            }
        }
    }

    #[test]
    fn a_mode_is_read_as_it_was_written(mode in select(DefaultMode::ALL.to_vec())) {
        for row in TOOLS {
            let Some(permissions) = row.permissions.as_ref() else { continue };
            let ToolMode::Keys(keys) = tool_mode(permissions.grammar, mode) else { continue };
            let mut settings = json!({});
            for (path, value) in keys {
                *path.iter().fold(&mut settings, |settings, key| &mut settings[*key]) = json!(value);
            }
            let found = parse_mode(permissions.grammar, &settings).unwrap().mode.unwrap();
            prop_assert!(found == mode || (mode, found) == (DefaultMode::Plan, DefaultMode::Default), "{}", row.id);
        }
    }
}
