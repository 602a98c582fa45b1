//! Guards in a client: what is denied, asked and allowed, what the model learns of it, and what is logged.

use crate::client::{ALL, Client, for_clients};
use crate::sandbox::{Sandbox, Session};
use crate::server::{Call, Turn};
use canonry_model::config::{ContextEvent, tool_row};
use serde_json::json;

for_clients!(needs_clients_verdicts(verdicts): claude, codex, gemini, opencode, qwen, grok);
for_clients!(needs_clients_unguarded(unguarded): copilot);
for_clients!(needs_clients_hooks_of_claude(hooks_of_claude): copilot);
for_clients!(needs_clients_hooks_of_all(hooks_of_all): grok);
for_clients!(needs_clients_servers(servers): grok);
for_clients!(needs_clients_ends_the_run(ends_the_run): cline);
for_clients!(needs_clients_no_canonry(no_canonry): claude, codex, gemini, copilot, opencode, qwen, grok);
for_clients!(needs_clients_permissions(permissions): opencode);
for_clients!(needs_clients_slow_hook(slow_hook): claude, codex, gemini, opencode, grok);
for_clients!(needs_clients_fail_closed(fail_closed): codex, gemini, opencode, grok);
for_clients!(needs_clients_plugin(plugin): opencode);
for_clients!(needs_clients_team_hooks(team_hooks): claude, codex, gemini, opencode, qwen, grok, cline);

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
    let takes_context = tool_row(client.id).unwrap().hooks.as_ref().unwrap().context != ContextEvent::None;
    assert_eq!(first.count("git show nothing (failure)"), usize::from(takes_context), "{}", first.text());
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

/// Grok Build 1.0.41 also runs the hooks of Claude Code and Cursor. A call is denied and logged once, with one reminder.
fn hooks_of_all(client: &Client) {
    let sandbox = Sandbox::prepared(&["claude", "cursor", client.id], |_| {});
    let commands = ["git push --force origin topic", "git show nothing"];
    let session = sandbox.session(client, &shell(client, &commands));
    let [denied, failed] = session.results()[..] else { panic!("{:#?}\n{}", session.results(), session.ran.all()) };
    assert!(denied.contains("`git push --force` is never allowed"), "{denied}");
    assert!(failed.contains("nothing"), "{failed}");
    assert_eq!(session.last().count("Before you stop, log the lesson"), 1, "{}", session.last().text());
    let logged: Vec<_> = sandbox.episodes().into_iter().map(|row| row["result"].clone()).collect();
    assert_eq!(logged, ["denied", "failure"]);
}

/// Cline 3.0.65 cannot deny a call alone: the run ends. Other calls pass, and their failures are logged.
fn ends_the_run(client: &Client) {
    let sandbox = Sandbox::prepared(&[client.id], |_| {});
    // `init` leaves them off.
    let config = sandbox.repo.text("agent/canonry.yaml");
    sandbox.repo.write("agent/canonry.yaml", config.replace("files:\n", "files:\n  cline: {hooks: true}\n"));
    sandbox.canonry(&["sync"]).expect(0);
    let session = sandbox.session(client, &shell(client, &["git status --short --branch", "git show nothing"]));
    let [allowed, failed] = session.results()[..] else { panic!("{:#?}\n{}", session.results(), session.ran.all()) };
    assert!(allowed.contains("## ") && failed.contains("nothing"), "{allowed}\n{failed}");
    for (command, result) in [("git push --force origin topic", Some("denied")), ("git push origin topic", None)] {
        let commands = [command, "cp agent/AGENTS.md made.md"];
        let session = sandbox.session(client, &shell(client, &commands));
        assert!(session.results().is_empty(), "{:?}", session.results());
        assert!(!sandbox.repo.exists("made.md"), "{}", session.ran.all());
        let logged = sandbox.episodes().into_iter().find(|row| row["action"] == command);
        assert_eq!(logged.as_ref().map(|row| row["result"].as_str().unwrap()), result);
    }
    // Several commands of one call.
    let mut both = (client.shell)("git log --oneline");
    both.arguments["commands"].as_array_mut().unwrap().push(json!("cd /tmp; git push --force origin topic"));
    let session = sandbox.session(client, &[Turn::Call(both)]);
    assert!(session.results().is_empty(), "{:?}", session.results());
    let failures = sandbox.episodes().into_iter().filter(|row| row["result"] == "failure").count();
    assert_eq!(failures, 1);

    sandbox.repo.append("agent/canonry.yaml", "hooks: {fail: closed}\n");
    sandbox.canonry(&["sync"]).expect(0);
    sandbox.remove_canonry();
    let session = sandbox.session(client, &shell(client, &["cp agent/AGENTS.md made.md"]));
    assert!(session.results().is_empty() && !sandbox.repo.exists("made.md"), "{}", session.ran.all());
}

/// A tool of a server that is called through another tool, and arguments that the client does not pass to hooks as a whole.
fn servers(client: &Client) {
    let sandbox = Sandbox::prepared(&[client.id], |repo| {
        repo.write("tools/mcp-server.mjs", include_str!("mcp-server.mjs"));
        let server = r#"{"mcpServers": {"canary": {"command": "node", "args": ["tools/mcp-server.mjs"]}}}"#;
        repo.write(".mcp.json", server);
    });
    let page = sandbox.repo.text("agent/protocols/permissions.md");
    let denied = "## Never allowed\n\n- MCP: `canary/hidden`\n";
    sandbox.repo.write("agent/protocols/permissions.md", page.replacen("## Never allowed\n", denied, 1));
    let mut script: Vec<Turn> = ["shown", "hidden"].map(|tool| Turn::Call((client.server_tool)(tool))).into();
    let arguments = json!({"file_path": sandbox.repo.path("made.md"), "content": "x".repeat(140_000)});
    script.push(Turn::Call(Call { tool: "write".to_owned(), arguments }));
    let session = sandbox.session(client, &script);
    let [shown, hidden, long] = session.results()[..] else { panic!("{:#?}", session.results()) };
    assert!(shown.contains("called shown"), "{shown}");
    assert!(hidden.contains("is never allowed"), "{hidden}");
    assert!(long.contains("only the beginning of the call's arguments"), "{long}");
    assert!(!sandbox.repo.exists("made.md"));
}

/// A plugin knows the tools of servers, sees failures of all tools, protects itself, and gives a subagent no context.
fn plugin(client: &Client) {
    let sandbox = Sandbox::prepared(&[client.id], |repo| {
        repo.write("tools/mcp-server.mjs", include_str!("mcp-server.mjs"));
        let server = r#"{"mcpServers": {"canary": {"command": "node", "args": ["tools/mcp-server.mjs"]}}}"#;
        repo.write("agent/mcp.json", server);
    });
    switch_off(&sandbox, "permissions");
    let page = sandbox.repo.text("agent/protocols/permissions.md");
    let denied = "## Never allowed\n\n- MCP: `canary/hidden`\n";
    sandbox.repo.write("agent/protocols/permissions.md", page.replacen("## Never allowed\n", denied, 1));
    sandbox.canonry(&["sync"]).expect(0);
    let edit = |file: &str| {
        let file = sandbox.repo.path(file);
        let arguments = json!({"filePath": file, "oldString": "MARK-NOTHING", "newString": "x"});
        Turn::Call(Call { tool: "edit".to_owned(), arguments })
    };
    let mut script: Vec<Turn> = ["shown", "hidden"].map(|tool| Turn::Call((client.server_tool)(tool))).into();
    script.extend([edit("AGENTS.md"), edit(".opencode/plugins/canonry.js")]);
    script.extend((client.subagent)("general").into_iter().map(Turn::Call));
    let session = sandbox.session(client, &script);
    let [shown, hidden, failed, protected, watched] = session.results()[..] else { panic!("{:#?}", session.results()) };
    assert!(shown.contains("called shown"), "{shown}");
    assert!(hidden.contains("is never allowed"), "{hidden}");
    assert!(failed.contains("oldString"), "{failed}");
    assert!(protected.contains("only a person may do this"), "{protected}");
    assert!(watched.contains("Done."), "{watched}");
    // The context of the session is older than the failure.
    assert!(session.seen.iter().all(|seen| !seen.system.contains("(failure)")));
    let failures = sandbox.episodes().into_iter().filter(|row| row["result"] == "failure");
    let failures: Vec<serde_json::Value> = failures.collect();
    assert!(failures.len() == 1 && failures[0]["action"].as_str().unwrap().contains("AGENTS.md"), "{failures:#?}");
}

/// With `fail: closed`, a call without a verdict is denied.
fn fail_closed(client: &Client) {
    let sandbox = Sandbox::prepared(&[client.id], |_| {});
    sandbox.repo.append("agent/canonry.yaml", "hooks: {fail: closed}\n");
    sandbox.canonry(&["sync"]).expect(0);
    sandbox.remove_canonry();
    let session = sandbox.session(client, &shell(client, &["cp agent/AGENTS.md made.md"]));
    assert!(session.results()[0].contains("canonry did not run"), "{:?}", session.results());
    assert!(!sandbox.repo.exists("made.md"));
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

/// Switches off what `init` switched on.
fn switch_off(sandbox: &Sandbox, key: &str) {
    let config = sandbox.repo.text("agent/canonry.yaml");
    let on = format!("    {key}: true ");
    assert!(config.contains(&on), "{config}");
    sandbox.repo.write("agent/canonry.yaml", config.replace(&on, &format!("    {key}: false ")));
}

/// Without canonry's hook, a tool denies by what `permissions` writes.
fn permissions(client: &Client) {
    let sandbox = Sandbox::prepared(&[client.id], |_| {});
    switch_off(&sandbox, "hooks");
    sandbox.canonry(&["sync"]).says(&[".opencode/plugins/canonry.js"]);
    let session = sandbox.session(client, &shell(client, &["git push --force origin topic", "git log --oneline"]));
    assert_eq!(session.ran.status, 0, "{}", session.ran.all());
    let [denied, allowed] = session.results()[..] else { panic!("{:?}", session.results()) };
    assert!(!denied.contains("src refspec") && !denied.contains("never allowed"), "{denied}");
    assert!(allowed.contains("canon"), "{allowed}");
}

/// Hooks of the team run beside canonry's, at the top of the repository, for the tools and within the time that they name.
/// Status 2 denies a call, also after text on stdout.
fn team_hooks(client: &Client) {
    const GUARD: &str = "#!/bin/sh\nevent=$(cat)\necho \"$event\" >> seen.jsonl\n\
                         case $event in *force*) echo words; echo TEAM-REASON >&2; exit 2 ;; esac\n";
    const HOOKS: &str = "hooks:\n  pre-tool:\n    - command: ./scripts/guard.sh\n    - command: ./scripts/second.sh second.txt\n\
                         \x20 post-tool:\n    - command: cat > after.json\n";
    const WITH_OPTIONS: &str = "    - {command: echo bash >> bash.txt, matcher: Bash}\n\
                                \x20   - {command: echo edit >> edit.txt, matcher: Edit|Write}\n\
                                \x20   - {command: sleep 15; echo late >> late.txt, timeout: 1}\n";
    let has_options = tool_row(client.id).unwrap().hooks.as_ref().unwrap().form.has_options;
    let sandbox = Sandbox::prepared(&[client.id], |_| {});
    for (file, text) in [("scripts/guard.sh", GUARD), ("scripts/second.sh", "#!/bin/sh\necho second >> $1\n")] {
        sandbox.repo.write(file, text);
        sandbox.repo.chmod(file, 0o755);
    }
    sandbox.repo.write("agent/hooks.yaml", format!("{HOOKS}{WITH_OPTIONS}"));
    let config = sandbox.repo.text("agent/canonry.yaml");
    let (before, _) = config.split_once("files:\n").unwrap();
    let files = format!("files:\n  agents: {{context: map}}\n  {}: {{hooks: true, team_hooks: true}}\n", client.id);
    sandbox.repo.write("agent/canonry.yaml", format!("{before}{files}"));
    sandbox.canonry(&["sync"]).expect(i32::from(!has_options));

    let session = sandbox.session(client, &shell(client, &["git log --oneline", "git log --grep=force"]));
    let results = session.results();
    assert!(results[0].contains("canon"), "{results:?}\n{}", session.ran.all());
    // Cline shows no reason: the run ends.
    let denials = &results[1..];
    assert!(denials.iter().all(|text| text.contains("TEAM-REASON") || text.contains("words")), "{denials:?}");
    assert_eq!(denials.is_empty(), client.asked.is_empty(), "{denials:?}");
    let lines = |file: &str| sandbox.repo.text_if_any(file).lines().count();
    // Grok Build runs no further hook after a denial.
    assert!(lines("seen.jsonl") == 2 && lines("second.txt") >= 1, "{}", session.ran.all());
    assert_eq!([lines("bash.txt"), lines("edit.txt"), lines("late.txt")], [usize::from(has_options), 0, 0]);
    assert!(sandbox.repo.text("after.json").contains("git log --oneline"));
}
