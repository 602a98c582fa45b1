//! Guards in a client: what is denied, asked and allowed, what the model learns of it, and what is logged.

use crate::client::{ALL, Client, for_clients};
use crate::sandbox::{Sandbox, Session};
use crate::server::Turn;
use crate::support::repo::Ran;

for_clients!(needs_clients_verdicts(verdicts): claude, codex, gemini, qwen);
for_clients!(needs_clients_unguarded(unguarded): copilot, opencode);
for_clients!(needs_clients_hooks_of_claude(hooks_of_claude): copilot);
for_clients!(needs_clients_no_canonry(no_canonry): claude, codex, gemini, copilot, opencode, qwen);
for_clients!(needs_clients_permissions(permissions): opencode);
for_clients!(needs_clients_slow_hook(slow_hook): claude, codex, gemini);

fn shell(client: &Client, commands: &[&str]) -> Vec<Turn> {
    commands.iter().map(|command| Turn::Call((client.shell)(command))).collect()
}

/// One session with a denied, an asked, an allowed and a failing call.
fn verdicts(client: &Client) {
    let sandbox = Sandbox::prepared(&[client.id], |_| {});
    let commands =
        ["git push --force origin topic", "git push origin topic", "git status --short --branch", "git show nothing"];
    let session = sandbox.session(client, &shell(client, &commands));
    assert_eq!(session.ran.status, 0, "{}", session.ran.all());
    let [denied, asked, allowed, failed] = session.results()[..] else {
        panic!("{:#?}\n{}", session.results(), session.ran.all());
    };
    assert!(denied.contains("`git push --force` is never allowed"), "{denied}");
    assert!(asked.contains(client.asked), "{asked}");
    // What hooks log leaves the work tree clean.
    assert!(allowed.contains("## ") && !allowed.contains("AGENT_LEARNINGS.jsonl"), "{allowed}");
    assert!(failed.contains("nothing"), "{failed}");

    let episodes = sandbox.episodes();
    let logged = |command: &str| {
        let row = episodes.iter().find(|row| row["action"] == command);
        row.map(|row| row["result"].as_str().unwrap().to_owned())
    };
    assert_eq!(logged(commands[0]).as_deref(), Some("denied"), "{episodes:#?}");
    assert_eq!(logged(commands[2]), None, "{episodes:#?}");
    assert_eq!(logged(commands[3]).as_deref(), Some("failure"), "{episodes:#?}");

    // The stop reminder, once. Claude Code quotes it twice, and Qwen Code extracts memories from its history.
    let reminders = |session: &Session| -> Vec<usize> {
        let counts = session.seen.iter().map(|seen| seen.count("Before you stop, log the lesson"));
        counts.filter(|count| *count > 0).collect()
    };
    let counts = reminders(&session);
    assert!(counts.windows(2).all(|pair| pair[0] == pair[1]) && !counts.is_empty(), "{counts:?}");

    let next = sandbox.session(client, &[]);
    assert!(reminders(&next).is_empty(), "{}", next.ran.all());
    let first = &next.seen[0];
    assert_eq!(first.count("git show nothing (failure)"), 1, "{}", first.text());
}

/// The tools for which canonry writes no hooks: nothing is denied or logged, and a session starts without canonry's
/// context.
fn unguarded(client: &Client) {
    let sandbox = Sandbox::prepared(&[client.id], |_| {});
    let session = sandbox.session(client, &shell(client, &["git push --force origin topic", "git show nothing"]));
    let [pushed, failed] = session.results()[..] else { panic!("{:?}\n{}", session.results(), session.ran.all()) };
    assert!(pushed.contains("topic") && !pushed.contains("never allowed"), "{pushed}");
    assert!(failed.contains("nothing"), "{failed}");
    assert_eq!(sandbox.episodes(), [] as [serde_json::Value; 0]);
}

/// Copilot CLI 1.0.102 runs the hooks of Claude Code's settings.
fn hooks_of_claude(client: &Client) {
    let sandbox = Sandbox::prepared(&["claude", client.id], |_| {});
    let commands =
        ["git push --force origin topic", "git push origin topic", "git status --short --branch", "git show nothing"];
    let session = sandbox.session(client, &shell(client, &commands));
    let [denied, asked, allowed, failed] = session.results()[..] else {
        panic!("{:#?}\n{}", session.results(), session.ran.all());
    };
    assert!(denied.contains("`git push --force` is never allowed"), "{denied}");
    assert!(asked.contains("unable to ask user for confirmation") && asked.contains("requires approval"), "{asked}");
    // What hooks log leaves the work tree clean.
    assert!(allowed.contains("## ") && !allowed.contains("AGENT_LEARNINGS.jsonl"), "{allowed}");
    assert!(failed.contains("nothing"), "{failed}");
    // It sends no event for a failed call.
    let episodes = sandbox.episodes();
    assert!(episodes.len() == 1 && episodes[0]["result"] == "denied", "{episodes:#?}");
}

/// A colleague without canonry can work in a repository that is prepared for all tools.
fn no_canonry(client: &Client) {
    let sandbox = Sandbox::prepared(&ALL, |_| {});
    sandbox.remove_canonry();
    let session = sandbox.session(client, &shell(client, &["cp agent/AGENTS.md made.md"]));
    // The file, because Qwen Code 0.24.4 sometimes loses the output of a command on a busy machine.
    assert!(sandbox.repo.exists("made.md"), "{}\n{:?}", session.ran.all(), session.results());
    assert_eq!(session.ran.status, 0);
}

/// A hook that takes longer than its timeout lets the call through.
fn slow_hook(client: &Client) {
    let sandbox = Sandbox::prepared(&[client.id], |_| {});
    sandbox.replace_canonry("case \"$*\" in *pre-tool*) sleep 15 ;; esac\nexec \"$CANONRY\" \"$@\"");
    let session = sandbox.session(client, &shell(client, &["git log --oneline"]));
    assert!(session.results()[0].contains("canon"), "{}\n{:?}", session.ran.all(), session.results());
}

/// Switches files of a tool on, and syncs.
fn switch_on(sandbox: &Sandbox, client: &Client, key: &str) -> Ran {
    let config = sandbox.repo.text("agent/canonry.yaml");
    let files = format!("files:\n  {}: {{{key}: true}}\n", client.id);
    sandbox.repo.write("agent/canonry.yaml", config.replace("files:\n", &files));
    sandbox.canonry(&["sync"])
}

/// Tools without hooks deny by what `permissions` writes.
fn permissions(client: &Client) {
    let sandbox = Sandbox::prepared(&[client.id], |_| {});
    // Not everything on the page can be said in such permissions.
    switch_on(&sandbox, client, "permissions").says(&["opencode.json"]);
    let session = sandbox.session(client, &shell(client, &["git push --force origin topic", "git log --oneline"]));
    assert_eq!(session.ran.status, 0, "{}", session.ran.all());
    let [denied, allowed] = session.results()[..] else { panic!("{:?}", session.results()) };
    assert!(!denied.contains("src refspec"), "{denied}");
    assert!(allowed.contains("canon"), "{allowed}");
}
