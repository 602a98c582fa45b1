//! A canon in which each part has a mark, to be counted in what a model reads.

use crate::support::repo::Repo;
use serde_json::json;

/// The parts of the canon, and where their marks are.
pub const MARKS: [(&str, &str); 9] = [
    ("root instructions", "MARK-ROOT"),
    ("rule", "MARK-RULE"),
    ("rule for some files", "MARK-SCOPED"),
    ("skill", "MARK-SKILL"),
    ("command", "MARK-COMMAND"),
    ("subagent", "MARK-SUBAGENT"),
    ("text of a subagent", "MARK-PROMPT"),
    ("tool of a server", "MARK-TOOL-SHOWN"),
    ("excluded tool of a server", "MARK-TOOL-HIDDEN"),
];

/// Writes the marked parts. `canonry init` adds the rest, and connects the tools to all of it.
pub fn mark(repo: &Repo) {
    repo.write("agent/AGENTS.md", "# Working here\n\nMARK-ROOT\n");
    repo.write("agent/rules/always.md", "MARK-RULE\n");
    repo.write("agent/rules/scoped.md", "---\ndescription: For YAML\nglobs: [\"**/*.yaml\"]\n---\n\nMARK-SCOPED\n");
    repo.write(
        "agent/skills/canary/SKILL.md",
        "---\nname: canary\ndescription: MARK-SKILL. Use when a canary is asked for.\n---\n\n# Canary\n",
    );
    repo.write("agent/commands/chirp.md", "---\ndescription: MARK-COMMAND\n---\n\nEXPANDED $ARGUMENTS\n");
    repo.write(
        "agent/agents/watcher.md",
        "---\nname: watcher\ndescription: MARK-SUBAGENT. Watches.\ntools: Read\n---\n\nMARK-PROMPT\n",
    );
    repo.write("tools/mcp-server.mjs", include_str!("mcp-server.mjs"));
    let server = json!({"command": "node", "args": ["tools/mcp-server.mjs"], "excludeTools": ["hidden"]});
    // Without a person to ask, these two call nothing else.
    let mut allowed = json!({"mcpServers": {"canary": server}});
    allowed["mcpServers"]["canary"]["alwaysAllow"] = json!(["shown"]);
    let servers = json!({"mcpServers": {"canary": server}, "claude": allowed, "codex": allowed});
    repo.write("agent/mcp.json", servers.to_string());
}
