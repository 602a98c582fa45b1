//! The table of commands, and what holds of every command.

use super::matching::path::PathRoots;
use super::*;
use crate::canon::Layout;
use crate::config::{HookAnswer, HooksConfig};
use serde_json::json;

const TABLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/protocol/commands.tsv"));
const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/protocol/permissions.md"));
const PUSH: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/fixtures/scaffold/protocols/tool_schemas/git_push.schema.json"
));

pub(super) fn policy(settings: HooksConfig) -> Policy {
    let mut policy = Policy::new(Layout::default(), settings);
    policy.permissions(PAGE.to_owned());
    policy.tool("agent/protocols/tool_schemas/git_push.schema.json".into(), PUSH.to_vec());
    assert!(policy.troubles.is_empty(), "{:?}", policy.troubles);
    policy
}

pub(super) fn around() -> CallContext {
    let roots = PathRoots { top: "/srv/repo".to_owned(), real: None, home: Some("/home/u".to_owned()) };
    CallContext { roots, cwd: "/srv/repo".to_owned(), branch: Some("feature".to_owned()) }
}

fn shell(command: &str) -> ToolCall {
    ToolCall::Shell { command: command.to_owned(), cwd: None }
}

/// The verdict of each row, its command with `\n` for a line's end.
fn rows() -> Vec<(&'static str, String)> {
    let row = |line: &'static str| line.split_once('\t').unwrap();
    let unescaped =
        |command: &str| if command.contains("EOF") { command.replace("\\n", "\n") } else { command.to_owned() };
    TABLE.lines().map(row).map(|(verdict, command)| (verdict, unescaped(command))).collect()
}

#[test]
fn each_command_of_the_table_is_judged_so() {
    let (policy, around) = (policy(HooksConfig::default()), around());
    let mut wrong = Vec::new();
    for (want, command) in rows() {
        let ruling = evaluate(&shell(&command), &policy, &around);
        if ruling.verdict.as_str() != want {
            wrong.push(format!("{command}\n    is {}, not {want}: {:?}", ruling.verdict.as_str(), ruling.parts));
        }
        let told = ruling.verdict < Verdict::Ask || !ruling.why().is_empty();
        assert!(told, "no reason is told: {command}");
    }
    assert!(rows().len() >= 150);
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_config_says_what_is_answered() {
    let settings = |text: &str| -> HooksConfig { serde_yaml::from_str(text).unwrap() };
    for (text, command, want) in [
        ("unknown: ask", "make all", Verdict::Ask),
        ("unknown: deny", "make all", Verdict::Deny),
        ("unknown: deny", "git status && ls", Verdict::Allow),
        ("unknown: deny", "git push origin x", Verdict::Ask),
        ("unreadable: deny", "$X", Verdict::Deny),
        ("unreadable: allow", "echo 'x", Verdict::Unlisted),
        ("hosts: ask", "curl https://evil.example", Verdict::Ask),
        ("hosts: allow", "curl https://evil.example", Verdict::Unlisted),
    ] {
        assert_eq!(evaluate(&shell(command), &policy(settings(text)), &around()).verdict, want, "{text}: {command}");
    }
}

#[test]
fn a_reason_has_its_place() {
    let ruling = evaluate(&shell("true && git push -f origin feature"), &policy(HooksConfig::default()), &around());
    let told: Vec<String> = ruling.parts[1].reasons.iter().map(VerdictReason::told).collect();
    let want = [
        "`git push --force` is never allowed (never allowed, agent/protocols/permissions.md:18)",
        "`--force` is blocked (blocked_patterns, agent/protocols/tool_schemas/git_push.schema.json:13)",
        "`--force-with-lease` is blocked (blocked_patterns, agent/protocols/tool_schemas/git_push.schema.json:13)",
        "`-f` is blocked (blocked_patterns, agent/protocols/tool_schemas/git_push.schema.json:13)",
    ];
    assert_eq!(told[..4].iter().map(String::as_str).collect::<Vec<_>>(), want);
}

#[test]
fn calls_of_every_tool_are_judged() {
    let edit = |path: &str| json!({ "file_path": path });
    let patch = "*** Begin Patch\n*** Update File: agent/protocols/permissions.md\n@@\n-a\n+b\n*** End Patch\n";
    for (name, args, want) in [
        ("Bash", json!({"command": "rm -rf /"}), Verdict::Deny),
        ("run_shell_command", json!({"command": "git push origin x"}), Verdict::Ask),
        ("shell", json!({"command": ["bash", "-lc", "rm -rf /"]}), Verdict::Deny),
        ("shell", json!({"command": ["git", "commit", "-m", "rm -rf /"]}), Verdict::Allow),
        ("run_command", json!({"CommandLine": "cat .env", "Cwd": "/srv/repo"}), Verdict::Deny),
        ("Shell", json!({"command": "cat permissions.md > x", "cwd": "/srv/repo/agent"}), Verdict::Unlisted),
        ("Shell", json!({"command": "rm permissions.md", "cwd": "/srv/repo/agent/protocols"}), Verdict::Deny),
        ("Edit", edit("/srv/repo/agent/protocols/permissions.md"), Verdict::Deny),
        ("Edit", edit("/srv/repo/src/lib.rs"), Verdict::Unlisted),
        ("Write", edit("/srv/repo/.claude/settings.json"), Verdict::Deny),
        ("Write", edit("/srv/repo/.env"), Verdict::Deny),
        ("write_file", edit(".gemini/settings.json"), Verdict::Deny),
        ("replace_file_content", json!({"TargetFile": "/srv/repo/.agents/hooks.json"}), Verdict::Deny),
        ("apply_patch", json!({ "input": patch }), Verdict::Deny),
        (
            "apply_patch",
            json!({ "command": patch.replace("protocols/permissions.md", "AGENTS.md") }),
            Verdict::Unlisted,
        ),
        ("Read", edit("/srv/repo/.env.local"), Verdict::Deny),
        ("Read", edit("/srv/repo/agent/protocols/permissions.md"), Verdict::Unlisted),
        ("read_many_files", json!({"paths": ["a.md", "keys/x"]}), Verdict::Deny),
        ("view_file", json!({"AbsolutePath": "/srv/repo/.env"}), Verdict::Deny),
        ("WebFetch", json!({"url": "https://docs.rs/x", "prompt": "?"}), Verdict::Unlisted),
        ("WebFetch", json!({"url": "https://evil.example/x", "prompt": "?"}), Verdict::Deny),
        ("web_fetch", json!({"prompt": "sum up https://evil.example/x for me"}), Verdict::Deny),
        ("mcp__fs__write_file", json!({"path": "/srv/repo/agent/canonry.yaml"}), Verdict::Deny),
        ("mcp__git__git_push", json!({"remote": "origin", "branch": "x"}), Verdict::Ask),
        ("mcp__git__git_push", json!({"remote": "origin"}), Verdict::Deny),
        ("mcp__git__git_push", json!({"remote": "origin", "branch": "main"}), Verdict::Deny),
        ("Task", json!({"prompt": "rm -rf /"}), Verdict::Unlisted),
    ] {
        let ruling = evaluate(&ToolCall::from_name_and_args(name, &args), &policy(HooksConfig::default()), &around());
        assert_eq!(ruling.verdict, want, "{name} {args}: {ruling:?}");
    }
}

#[test]
fn a_page_of_its_own_is_no_need() {
    let policy = Policy::new(Layout::default(), HooksConfig { unknown: HookAnswer::Allow, ..HooksConfig::default() });
    for (command, want) in [
        ("rm -rf /", Verdict::Deny),
        ("cat .env", Verdict::Deny),
        ("curl https://x.example", Verdict::Unlisted),
        ("git push", Verdict::Unlisted),
    ] {
        assert_eq!(evaluate(&shell(command), &policy, &around()).verdict, want, "{command}");
    }
}

/// Whatever runs a command runs it: what is denied stays denied.
#[test]
fn what_is_denied_stays_denied_when_it_is_wrapped() {
    let (policy, around) = (policy(HooksConfig::default()), around());
    for (_, command) in rows().into_iter().filter(|(want, _)| *want == "deny") {
        for wrapped in wrappings(&command) {
            let ruling = evaluate(&shell(&wrapped), &policy, &around);
            assert_eq!(ruling.verdict, Verdict::Deny, "{wrapped}");
        }
    }
}

/// A simple command behind other programs too; any command line in a shell.
pub(super) fn wrappings(command: &str) -> Vec<String> {
    let quoted = command.replace('\'', "'\\''");
    let mut wrapped = vec![format!("sh -c '{quoted}'"), format!("bash -lc '{quoted}'"), format!("true && {command}")];
    wrapped.push(format!("eval '{quoted}'"));
    if !command.contains("EOF") {
        wrapped.extend([format!("( {command}\n)"), format!("if true; then {command}\nfi")]);
        // The `)` of a case's pattern ends a substitution for the parser, so that a person is asked.
        wrapped.extend((!command.starts_with("case")).then(|| format!("echo \"$({command}\n)\"")));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '/' | '.' | '_' | ':' | '+');
    let builtin = [
        "true", "cd", "eval", "exec", "trap", "alias", "set", "source", ".", "time", "if", "for", "while", "case", "f",
    ];
    let first = command.split(' ').next().unwrap_or_default();
    if command.chars().all(plain) && !builtin.contains(&first) {
        wrapped.extend(
            ["env A=1", "A=1", "sudo", "nohup", "timeout 5", "command", "nice -n 3", "xargs"]
                .map(|by| format!("{by} {command}")),
        );
    }
    wrapped
}
