//! Verdicts on a table of commands, and properties of all commands.

use super::matching::path::PathRoots;
use super::*;
use canonry_model::canon::Layout;
use canonry_model::config::HooksConfig;
use serde_json::json;

const TABLE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/protocol/commands.tsv"));
/// Ways around the guards, and harmless commands that look similar.
const GUARDS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/protocol/guards.tsv"));
/// Calls of tools: the verdict, the name of the tool, and its arguments.
const CALLS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/protocol/calls.tsv"));
const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/protocol/permissions.md"));
const PUSH: &[u8] =
    include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../app/scaffold/protocols/tool_schemas/git_push.schema.json"));

pub(super) fn policy(settings: HooksConfig) -> Policy {
    let mut policy = Policy::new(Layout::default(), settings);
    policy.add_permissions(PAGE.to_owned());
    policy.add_tool_schema("agent/protocols/tool_schemas/git_push.schema.json".into(), PUSH.to_vec());
    assert!(policy.load_errors.is_empty(), "{:?}", policy.load_errors);
    policy
}

pub(super) fn around() -> CallContext {
    let roots = PathRoots { top: "/srv/repo".to_owned(), home: Some("/home/u".to_owned()), ..PathRoots::default() };
    let own_folders = vec!["/home/u/.local/state/canonry".to_owned(), "/home/u/.config/canonry".to_owned()];
    CallContext { roots, cwd: "/srv/repo".to_owned(), branch: Some("feature".to_owned()), own_folders }
}

fn shell(command: &str) -> ToolCall {
    ToolCall::Shell { command: command.to_owned(), cwd: None }
}

/// Lists the rows of the table: the verdict, and the command with `\n` for line breaks.
fn rows() -> Vec<(&'static str, String)> {
    rows_of(TABLE)
}

fn rows_of(table: &'static str) -> Vec<(&'static str, String)> {
    let row = |line: &'static str| line.split_once('\t').unwrap();
    let unescaped =
        |command: &str| if command.contains("EOF") { command.replace("\\n", "\n") } else { command.to_owned() };
    table.lines().map(row).map(|(verdict, command)| (verdict, unescaped(command))).collect()
}

#[test]
fn each_command_has_the_expected_verdict() {
    let policy = policy(HooksConfig::default());
    let around = around();
    let mut wrong = Vec::new();
    for (want, command) in rows().into_iter().chain(rows_of(GUARDS)) {
        let verdict = evaluate(&shell(&command), &policy, &around);
        if verdict.verdict.as_str() != want {
            wrong.push(format!("{command}\n    is {}, not {want}: {:?}", verdict.verdict.as_str(), verdict.parts));
        }
        let is_explained = verdict.verdict < Verdict::Ask || !verdict.explanation().is_empty();
        assert!(is_explained, "no explanation: {command}");
    }
    assert!(rows().len() >= 150);
    assert!(wrong.is_empty(), "{} rows:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_tool_schema_that_does_not_compile_is_a_load_error() {
    let load = |text: &str| {
        let mut policy = Policy::new(Layout::default(), HooksConfig::default());
        policy.add_tool_schema("agent/protocols/tool_schemas/deploy.schema.json".into(), text.as_bytes().to_vec());
        policy
    };
    for text in [
        "[]",
        "3",
        "\"deploy\"",
        "null",
        r#"{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "objct"}"#,
        r#"{"type": "object", "properties": {"to": {"pattern": "("}}}"#,
        r#"{"type": "object", "properties": {"to": {"$ref": "https://example.com/to.json"}}}"#,
    ] {
        let policy = load(text);
        assert_eq!((policy.load_errors.len(), policy.tools.len()), (1, 0), "{text}: {:?}", policy.load_errors);
        assert!(policy.load_errors[0].starts_with("agent/protocols/tool_schemas/deploy.schema.json: "), "{text}");
    }
    let call = ToolCall::Other { name: "deploy".to_owned(), args: json!({"to": 3}) };
    for (text, want) in [
        ("false", Verdict::Deny),
        (r#"{"type": "object", "properties": {"to": {"type": "string"}}}"#, Verdict::Deny),
        (r#"{"type": "object", "properties": {"to": {"type": "number"}}}"#, Verdict::Unlisted),
    ] {
        let policy = load(text);
        assert!(policy.load_errors.is_empty(), "{text}: {:?}", policy.load_errors);
        assert_eq!(evaluate(&call, &policy, &around()).verdict, want, "{text}");
    }
}

#[test]
fn the_config_sets_the_default_answers() {
    let settings = |text: &str| -> HooksConfig { serde_yaml::from_str(text).unwrap() };
    for (text, command, want) in [
        ("unknown: ask", "make all", Verdict::Ask),
        ("unknown: deny", "make all", Verdict::Deny),
        ("unknown: deny", "git status && ls", Verdict::Allow),
        ("unknown: deny", "git push origin x", Verdict::Ask),
        ("unreadable: deny", "$X", Verdict::Deny),
        ("unreadable: allow", "echo 'x", Verdict::Unlisted),
        ("hosts: deny", "curl https://evil.example", Verdict::Deny),
        ("hosts: allow", "curl https://evil.example", Verdict::Unlisted),
    ] {
        assert_eq!(evaluate(&shell(command), &policy(settings(text)), &around()).verdict, want, "{text}: {command}");
    }
}

#[test]
fn reasons_name_their_location() {
    let verdict = evaluate(&shell("true && git push -f origin main"), &policy(HooksConfig::default()), &around());
    let reasons: Vec<String> = verdict.parts[1].reasons.iter().map(ToString::to_string).collect();
    let want = [
        "`git push --force` on the branches develop, main, master, production, release/*, staging, trunk is never allowed (never allowed, agent/protocols/permissions.md:18)",
        "`--force` is blocked (blocked_patterns, agent/protocols/tool_schemas/git_push.schema.json:13)",
        "`--force-with-lease` is blocked (blocked_patterns, agent/protocols/tool_schemas/git_push.schema.json:13)",
        "`-f` is blocked (blocked_patterns, agent/protocols/tool_schemas/git_push.schema.json:13)",
    ];
    assert_eq!(reasons[2..6].iter().map(String::as_str).collect::<Vec<_>>(), want);
}

#[test]
fn calls_of_every_tool_have_the_expected_verdict() {
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
        ("apply_patch", json!({ "patchText": patch }), Verdict::Deny),
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
        ("WebFetch", json!({"url": "https://evil.example/x", "prompt": "?"}), Verdict::Ask),
        ("web_fetch", json!({"prompt": "sum up https://evil.example/x for me"}), Verdict::Ask),
        ("mcp__fs__write_file", json!({"path": "/srv/repo/agent/canonry.yaml"}), Verdict::Deny),
        ("mcp__fs__write_file", json!({"path": "/srv/repo/opencode.json"}), Verdict::Deny),
        ("edit", json!({"filePath": "/srv/repo/.opencode/plugins/canonry.js"}), Verdict::Deny),
        ("write", json!({"filePath": "/home/u/.config/opencode/plugin/x.js"}), Verdict::Deny),
        ("write", json!({"file_path": "/srv/repo/.grok/hooks/canonry.json"}), Verdict::Deny),
        ("editor", json!({"path": "/srv/repo/.clinerules/hooks/PreToolUse"}), Verdict::Deny),
        ("fs_write", json!({"path": "/srv/repo/.kiro/hooks/canonry.json", "command": "create"}), Verdict::Deny),
        ("execute_bash", json!({"command": "git push --force origin x"}), Verdict::Deny),
        ("read", json!({"filePath": "/srv/repo/.env"}), Verdict::Deny),
        ("mcp__git__git_push", json!({"remote": "origin", "branch": "x"}), Verdict::Ask),
        ("mcp__git__git_push", json!({"remote": "origin"}), Verdict::Deny),
        ("mcp__git__git_push", json!({"remote": "origin", "branch": "main"}), Verdict::Deny),
        ("Task", json!({"prompt": "rm -rf /"}), Verdict::Unlisted),
    ] {
        let verdict = evaluate(&ToolCall::from_name_and_args(name, &args), &policy(HooksConfig::default()), &around());
        assert_eq!(verdict.verdict, want, "{name} {args}: {verdict:?}");
    }
}

#[test]
fn each_call_has_the_expected_verdict() {
    let policy = policy(HooksConfig::default());
    let around = around();
    let mut wrong = Vec::new();
    for row in CALLS.lines() {
        let [want, name, args] = row.splitn(3, '\t').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let args = serde_json::from_str(args).unwrap();
        let verdict = evaluate(&ToolCall::from_name_and_args(name, &args), &policy, &around);
        if verdict.verdict.as_str() != want {
            wrong.push(format!("{name} {args}\n    is {}, not {want}: {:?}", verdict.verdict.as_str(), verdict.parts));
        }
        let is_explained = verdict.verdict < Verdict::Ask || !verdict.explanation().is_empty();
        assert!(is_explained, "no explanation: {row}");
    }
    assert!(wrong.is_empty(), "{} of {} calls:\n{}", wrong.len(), CALLS.lines().count(), wrong.join("\n"));
}

#[test]
fn guards_apply_without_permissions() {
    let policy = Policy::new(Layout::default(), HooksConfig { unknown: Verdict::Allow, ..HooksConfig::default() });
    for (command, want) in [
        ("rm -rf /", Verdict::Deny),
        ("cat .env", Verdict::Deny),
        ("curl https://x.example", Verdict::Unlisted),
        ("git push", Verdict::Unlisted),
    ] {
        assert_eq!(evaluate(&shell(command), &policy, &around()).verdict, want, "{command}");
    }
}

/// A denied command stays denied if another command runs it.
#[test]
fn a_denied_command_stays_denied_when_wrapped() {
    let policy = policy(HooksConfig::default());
    let around = around();
    for (_, command) in rows().into_iter().filter(|(want, _)| *want == "deny") {
        for wrapped in wrappings(&command) {
            let verdict = evaluate(&shell(&wrapped), &policy, &around);
            assert_eq!(verdict.verdict, Verdict::Deny, "{wrapped}");
        }
    }
}

/// Wraps a simple command in other programs, or any command line in a shell.
pub(super) fn wrappings(command: &str) -> Vec<String> {
    let quoted = command.replace('\'', "'\\''");
    let mut wrapped = vec![format!("sh -c '{quoted}'"), format!("bash -lc '{quoted}'"), format!("true && {command}")];
    wrapped.push(format!("eval '{quoted}'"));
    if !command.contains("EOF") {
        wrapped.extend([format!("( {command}\n)"), format!("if true; then {command}\nfi")]);
        // The parser ends a substitution at the `)` of a case pattern, so that a person is asked.
        wrapped.extend((!command.starts_with("case")).then(|| format!("echo \"$({command}\n)\"")));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '/' | '.' | '_' | ':' | '+');
    let builtin = [
        "true", "cd", "eval", "exec", "trap", "alias", "set", "source", ".", "time", "if", "for", "while", "case", "f",
    ];
    let first = command.split(' ').next().expect("split is never empty");
    if command.chars().all(plain) && !builtin.contains(&first) {
        wrapped.extend(
            ["env A=1", "A=1", "sudo", "nohup", "timeout 5", "command", "nice -n 3", "xargs"]
                .map(|by| format!("{by} {command}")),
        );
    }
    wrapped
}

const FORGE: &str = r#"{
  "name": "github",
  "operations": {
    "open_pr": {
      "required_args": {
        "title": {"type": "string", "max_length": 20, "pattern": "^[a-z]+: "},
        "head": {"type": "string"},
        "base": {"type": "string", "default": "main"}
      }
    },
    "merge_pr": {
      "required_args": {"pr_number": {"type": "integer"}, "merge_method": {"enum": ["squash", "rebase"]}},
      "side_effects": ["starts a release"],
      "requires_approval": true
    },
    "force_push": {"blocked_targets": ["main"], "requires_approval": true},
    "star": {"mcp": "star_repository", "requires_approval": true}
  }
}"#;

#[test]
fn operations_apply_to_the_names_of_each_tool() {
    let mut policy = Policy::new(Layout::default(), HooksConfig::default());
    policy.add_tool_schema("agent/protocols/github.schema.json".into(), FORGE.as_bytes().to_vec());
    assert!(policy.load_errors.is_empty(), "{:?}", policy.load_errors);
    let merge = json!({"pr_number": 3, "merge_method": "squash"});
    let open = |title: &str| json!({"title": title, "head": "x"});
    for (name, args, want) in [
        ("mcp__github__merge_pr", merge.clone(), Verdict::Ask),
        ("mcp_github_merge_pr", merge.clone(), Verdict::Ask),
        ("MCP:merge_pr", merge.clone(), Verdict::Ask),
        ("mcp__gitlab__merge_pr", merge, Verdict::Unlisted),
        ("mcp__github__merge_pull_request", json!({"pullNumber": 3}), Verdict::Ask),
        ("mcp__github__merge_pull_request", json!({"mergeMethod": "octopus"}), Verdict::Deny),
        ("mcp__github__merge_pr", json!({"pr_number": "three", "merge_method": "squash"}), Verdict::Deny),
        ("mcp__github__merge_pr", json!({"pr_number": 3}), Verdict::Deny),
        ("mcp__github__merge_pr", json!({"pr_number": 3, "merge_method": "octopus"}), Verdict::Deny),
        ("mcp__github__open_pr", open("fix: typo"), Verdict::Unlisted),
        ("mcp__github__open_pr", open("Typo"), Verdict::Deny),
        ("mcp__github__open_pr", open("fix: a title that is too long"), Verdict::Deny),
        ("mcp__github__open_pr", json!({"title": "fix: x"}), Verdict::Deny),
        ("mcp__github__star_repository", json!({}), Verdict::Ask),
        ("mcp__github__get_pull_request", json!({}), Verdict::Unlisted),
    ] {
        let verdict = evaluate(&ToolCall::from_name_and_args(name, &args), &policy, &around());
        assert_eq!(verdict.verdict, want, "{name} {args}: {verdict:?}");
    }
    for (command, want) in [
        ("gh pr merge 3 --squash", Verdict::Ask),
        ("gh pr merge 3 --merge-method octopus", Verdict::Deny),
        ("gh pr view 3", Verdict::Unlisted),
        ("git push -f origin main", Verdict::Deny),
        ("git push origin x", Verdict::Unlisted),
    ] {
        assert_eq!(evaluate(&shell(command), &policy, &around()).verdict, want, "{command}");
    }
}

#[test]
fn prose_applies_to_every_kind_of_call() {
    let mut policy = Policy::new(Layout::default(), HooksConfig::default());
    policy.add_permissions(
        "## Requires approval\n\n- merge pull requests\n- install new dependencies\n- modify CI\n- deploy to production\n\
         - delete files outside of tmp/\n- run database migrations\n\n\
         ## Never allowed\n\n- force push to release/*\n- `git rebase` of a shared branch\n- `make prod` after lunch\n\
         - send requests to hosts that are not listed\n\n## Approved domains\n\n- docs.rs\n\n\
         ## Always allowed\n\n- run tests\n"
            .to_owned(),
    );
    for (command, want) in [
        ("gh pr merge 3", Verdict::Ask),
        ("gh -R o/r pr merge 3", Verdict::Ask),
        ("npm i left-pad", Verdict::Ask),
        ("npm ci", Verdict::Unlisted),
        ("pip install -r requirements.txt", Verdict::Unlisted),
        ("sudo -u x pip install flask", Verdict::Ask),
        ("vercel deploy --prod", Verdict::Ask),
        ("kubectl --context staging apply -f x.yaml", Verdict::Unlisted),
        ("kubectl apply -f x.yaml", Verdict::Ask),
        ("rm src/a.rs", Verdict::Ask),
        ("rm tmp/a", Verdict::Unlisted),
        ("rm tmp/a src/b", Verdict::Ask),
        ("rm tmp/$X", Verdict::Ask),
        ("alembic upgrade head", Verdict::Ask),
        ("echo x >> .github/workflows/ci.yml", Verdict::Ask),
        ("cat .github/workflows/ci.yml", Verdict::Unlisted),
        ("git push -f origin release/1", Verdict::Deny),
        ("git rebase main", Verdict::Unlisted),
        ("make prod", Verdict::Ask),
        ("curl https://evil.example", Verdict::Deny),
        ("cargo test --lib", Verdict::Allow),
        ("npm test > out.txt", Verdict::Unlisted),
    ] {
        let verdict = evaluate(&shell(command), &policy, &around());
        assert_eq!(verdict.verdict, want, "{command}: {verdict:?}");
    }
    let shared = CallContext { branch: Some("main".to_owned()), ..around() };
    assert_eq!(evaluate(&shell("git rebase x"), &policy, &shared).verdict, Verdict::Deny);
    let unknown = CallContext { branch: None, ..around() };
    assert_eq!(evaluate(&shell("git rebase x"), &policy, &unknown).verdict, Verdict::Ask);
    for (name, args, want) in [
        ("mcp__forge__merge_pull_request", json!({"n": 1}), Verdict::Ask),
        ("Write", json!({"file_path": "/srv/repo/.github/workflows/x.yml"}), Verdict::Ask),
        ("Write", json!({"file_path": "/srv/repo/src/x.rs"}), Verdict::Unlisted),
    ] {
        let verdict = evaluate(&ToolCall::from_name_and_args(name, &args), &policy, &around());
        assert_eq!(verdict.verdict, want, "{name}: {verdict:?}");
    }
}

/// A pattern that no reader understands would bind nothing, in silence.
#[test]
fn whatever_prints_the_environment_reads_secrets() {
    let mut policy = Policy::new(Layout::default(), HooksConfig::default());
    policy.add_permissions("# Permissions\n\n## Never allowed\n\n- Read, print or copy secrets.\n".to_owned());
    let verdict = |command: &str| evaluate(&shell(command), &policy, &around()).verdict;
    for command in ["env", "env | sort", "set", "export", "export -p", "declare -p", "typeset", "printenv"] {
        assert_eq!(verdict(command), Verdict::Deny, "{command}");
    }
    for command in ["env A=1 ls", "set -e", "set -- a b", "export A=1", "declare -A a", "declare -p a"] {
        assert!(verdict(command) < Verdict::Ask, "{command}");
    }
}

#[test]
fn every_pattern_of_an_action_starts_with_a_program() {
    for action in canonry_model::canon::permissions::actions::Action::all() {
        for pattern in &action.commands {
            let first = pattern.split(' ').next().expect("split is never empty");
            assert!(
                first.chars().all(|c| c.is_ascii_alphanumeric() || "-_./|".contains(c)),
                "{}: {pattern}",
                action.id
            );
        }
    }
}
