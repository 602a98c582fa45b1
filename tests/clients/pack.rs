//! `canonry pack`, validated and loaded by the clients that have plugins.

use crate::canon::mark;
use crate::client::{Client, claude, codex};
use crate::sandbox::Sandbox;
use crate::server::Turn;

/// A packed canon, and its folder.
fn packed() -> (Sandbox, String) {
    let sandbox = Sandbox::prepared(&["claude", "codex"], mark);
    sandbox.repo.append("agent/canonry.yaml", "pack: {description: Canaries., author: {name: U}}\n");
    sandbox.canonry(&["pack"]).expect(0);
    let folder = sandbox.repo.path("plugins/repo").display().to_string();
    (sandbox, folder)
}

/// In a repository without a canon, the plugin's skill is there once, and no excluded tool of a server.
fn assert_loaded(client: &Client, other: &Sandbox, argv: &[&str]) {
    let calls = ["shown", "hidden"].map(|tool| Turn::Call((client.server_tool)(tool)));
    let argv: Vec<&str> = argv.iter().copied().chain(["Do the work."]).collect();
    let session = other.run(client, &calls, &argv);
    let first = &session.seen[0];
    assert_eq!(first.count("MARK-SKILL"), 1, "{}", session.ran.all());
    assert_eq!(first.count("MARK-TOOL-HIDDEN"), 0);
    assert!(!session.results().iter().any(|result| result.contains("called hidden")), "{:?}", session.results());
}

#[test]
#[ignore = "needs the clients: see CONTRIBUTING.md"]
fn needs_clients_claude_validates_and_loads_the_plugin() {
    let (sandbox, folder) = packed();
    let mut command = sandbox.command("claude");
    command.args(["plugin", "validate", &folder]);
    let ran = sandbox.wait(command).expect(0);
    // What its public directory wants besides, such as an icon, follows.
    let manifests = ran.stdout.split("Plugin directory checks").next().unwrap();
    assert!(!manifests.contains('⚠') && !manifests.contains('✘'), "{}", ran.all());
    let argv = ["claude", "--plugin-dir", &folder, "-p"];
    assert_loaded(&claude::CLIENT, &Sandbox::empty(), &argv);
}

#[test]
#[ignore = "needs the clients: see CONTRIBUTING.md"]
fn needs_clients_codex_installs_and_loads_the_plugin() {
    let (_canon, folder) = packed();
    let other = Sandbox::empty();
    other.write_home(".codex/config.toml", "");
    let install = format!("codex plugin marketplace add '{folder}' && codex plugin add repo@repo");
    // The settings of the session add to what these write.
    let argv = ["sh", "-c", &format!("{install} && exec codex exec --skip-git-repo-check \"$1\""), "sh"];
    assert_loaded(&codex::CLIENT, &other, &argv);
}
