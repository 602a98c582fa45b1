//! A repository's settings loosen a guard only if the user trusts them.

use super::{bash, begun, decided, decision, hook};
use crate::support::repo::Repo;
use serde_json::Value;

const ALLOWS: &str = "## Always allowed\n\n- `python3`\n\n## Approved domains\n\n- docs.rs\n";

fn hostile() -> Repo {
    let repo = begun();
    repo.write("agent/canonry.yaml", "hooks: {allow: true, hosts: allow, unreadable: allow}\n");
    repo.write("agent/protocols/permissions.md", ALLOWS);
    repo
}

fn own(repo: &Repo, text: &str) {
    repo.write("../home/.config/canonry/canonry.yaml", text);
}

#[test]
fn loosened_settings_need_trust() {
    let repo = hostile();
    let ask = Some("ask".to_owned());
    let calls = ["python3 x.py", "curl https://evil.example/x", "$X y"];
    let untrusted = [None, ask.clone(), ask.clone()];
    let trusted = [Some("allow".to_owned()), None, None];
    let now = || calls.map(|call| decided(&repo, call));
    assert_eq!(now(), untrusted);
    let shown = repo.shown(&["trust"]);
    assert_eq!(now(), trusted);
    // Any change ends it.
    repo.append("agent/protocols/permissions.md", "- `x`\n");
    assert_eq!(now(), [None, None, None], "the page changed");
    repo.write("agent/protocols/permissions.md", ALLOWS);
    assert_eq!(now(), trusted, "the page is as it was");
    repo.append("agent/canonry.yaml", "\n");
    assert_eq!(now(), untrusted, "the config changed");
    let listed = repo.canonry(&["trust", "--list"]).stdout;
    assert!(
        listed.contains(": agent/canonry.yaml\n") && listed.contains(": agent/protocols/permissions.md\n"),
        "{listed}"
    );
    repo.write("agent/canonry.yaml", "hooks: {allow: true, hosts: allow, unreadable: allow}\n");
    let removed =
        repo.shown(&["trust", "--remove"]) + &repo.shown(&["trust", "--remove"]) + &repo.shown(&["trust", "--list"]);
    assert_eq!(now(), untrusted);
    insta::assert_snapshot!(shown + &removed);
}

#[test]
fn another_repository_with_the_same_files_is_not_trusted() {
    let repo = hostile();
    let copy = hostile();
    assert_eq!(repo.canonry(&["trust"]).status, 0);
    std::fs::create_dir_all(copy.path("../home/.local/state/canonry")).unwrap();
    std::fs::copy(
        repo.path("../home/.local/state/canonry/trust.json"),
        copy.path("../home/.local/state/canonry/trust.json"),
    )
    .unwrap();
    assert_eq!(decided(&repo, "python3 x.py"), Some("allow".to_owned()));
    assert_eq!(decided(&copy, "python3 x.py"), None);
    // A work tree of the trusted repository is.
    repo.git(&["add", "."]);
    repo.git(&["commit", "-qm", "x"]);
    repo.git(&["worktree", "add", "-q", "../repo/linked"]);
    let input =
        serde_json::json!({"cwd": repo.path("linked"), "tool_name": "Bash", "tool_input": {"command": "python3 x.py"}});
    let ran = hook(&repo, &["pre-tool", "--tool", "claude"], &input.to_string());
    assert_eq!(decision(&ran).unwrap().0, "allow");
}

#[test]
fn a_local_config_in_the_repository_needs_trust_too() {
    let repo = begun();
    repo.write("canonry.local.yaml", "hooks: {allow: true}\n");
    repo.write("agent/protocols/permissions.md", ALLOWS);
    assert_eq!(decided(&repo, "python3 x.py"), None);
    assert_eq!(repo.canonry(&["trust"]).status, 0);
    assert_eq!(decided(&repo, "python3 x.py"), Some("allow".to_owned()));
}

#[test]
fn the_users_own_config_needs_no_trust_but_the_page_does() {
    let repo = begun();
    repo.write("agent/protocols/permissions.md", ALLOWS);
    own(&repo, "hooks: {hosts: allow, allow: true}\n");
    assert_eq!(decided(&repo, "curl https://evil.example/x"), None);
    // The repository says what is always allowed.
    assert_eq!(decided(&repo, "python3 x.py"), None);
    // It may not loosen what the user wants.
    own(&repo, "hooks: {unknown: ask, hosts: deny}\n");
    assert_eq!(decided(&repo, "make"), Some("ask".to_owned()));
    assert_eq!(decided(&repo, "python3 x.py"), Some("ask".to_owned()));
    assert_eq!(decided(&repo, "curl https://evil.example/x"), Some("deny".to_owned()));
    repo.write("agent/canonry.yaml", "hooks: {unknown: allow, hosts: ask}\n");
    assert_eq!(decided(&repo, "make"), Some("ask".to_owned()));
    assert_eq!(decided(&repo, "curl https://evil.example/x"), Some("deny".to_owned()));
    assert_eq!(repo.canonry(&["trust"]).status, 0);
    assert_eq!(decided(&repo, "make"), None);
    assert_eq!(decided(&repo, "python3 x.py"), None);
    assert_eq!(decided(&repo, "curl https://evil.example/x"), Some("ask".to_owned()));
}

#[test]
fn stricter_settings_need_no_trust() {
    let repo = begun();
    repo.write("agent/canonry.yaml", "hooks: {unknown: ask, unreadable: deny}\n");
    repo.write("agent/protocols/permissions.md", ALLOWS);
    assert_eq!(decided(&repo, "make"), Some("ask".to_owned()));
    assert_eq!(decided(&repo, "$X y"), Some("deny".to_owned()));
    // The team's page names exceptions from the team's own rule.
    assert_eq!(decided(&repo, "python3 x.py"), None);
}

#[test]
fn a_hook_says_once_what_is_not_trusted() {
    let repo = hostile();
    let call = || hook(&repo, &["pre-tool", "--tool", "claude"], &bash("ls")).stderr;
    let session = |tool: &str| {
        let ran = hook(&repo, &["session-start", "--tool", tool], "{}");
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap();
        answer["systemMessage"].as_str().map(str::to_owned)
    };
    let first = call();
    assert_eq!(first.lines().count(), 1, "{first}");
    assert!(
        first.contains("agent/canonry.yaml: `hooks.unreadable`, `hooks.hosts`, `hooks.allow` loosen the guards"),
        "{first}"
    );
    assert!(first.contains("run `canonry trust`"), "{first}");
    assert_eq!(call(), "");
    assert!(session("claude").is_some_and(|message| message.contains("run `canonry trust`")));
    assert_eq!(session("gemini"), None);
    repo.write("agent/canonry.yaml", "hooks: {allow: true}\n");
    assert!(call().contains("`hooks.allow` loosens the guards"));
    assert_eq!(call(), "");
    // `protocol explain` says it each time.
    for _ in 0..2 {
        assert!(
            repo.canonry(&["protocol", "explain", "ls"]).stdout.contains("note      agent/canonry.yaml: `hooks.allow`")
        );
    }
}

#[test]
fn agents_cannot_trust() {
    let repo = hostile();
    for command in ["canonry trust", "canonry -C /tmp trust --remove", "echo x >> ~/.local/state/canonry/trust.json"] {
        assert_eq!(decided(&repo, command), Some("deny".to_owned()), "{command}");
    }
    let edit = serde_json::json!({"tool_name": "Write", "tool_input": {"file_path": repo.path("../home/.config/canonry/canonry.yaml").to_str().unwrap().replace("/repo/..", "")}});
    let ran = hook(&repo, &["pre-tool", "--tool", "claude"], &edit.to_string());
    assert_eq!(decision(&ran).unwrap().0, "deny");
    // Not even where no hook sees it.
    for variable in ["CLAUDECODE", "GEMINI_CLI", "CURSOR_AGENT", "CODEX_THREAD_ID"] {
        let ran: crate::support::repo::Ran =
            repo.canonry_command().env(variable, "1").arg("trust").output().unwrap().into();
        assert_eq!(ran.status, 5, "{variable}");
        assert!(ran.stderr.contains(variable), "{}", ran.stderr);
    }
    // `init` trusts the entries of the page that it wrote, and nothing that loosens a guard.
    let listed = repo.canonry(&["trust", "--list"]).stdout;
    assert!(listed.lines().all(|line| line.contains("agent/protocols/permissions.md, always allowed: ")), "{listed}");
}

#[test]
fn there_must_be_something_to_trust() {
    assert_eq!(Repo::empty().canonry(&["trust"]).status, 65);
    assert_eq!(Repo::without_git().canonry(&["trust"]).status, 65);
    let repo = begun();
    repo.write("agent/canonry.yaml", "hooks: {alow: true}\n");
    assert_eq!(repo.canonry(&["trust"]).status, 65);
    repo.write("../home/.local/state/canonry/trust.json", "{");
    repo.write("agent/canonry.yaml", "hooks: {allow: true}\n");
    assert_eq!(repo.canonry(&["trust"]).status, 65);
    assert_eq!(decided(&repo, "rm -rf /"), Some("deny".to_owned()));
}
