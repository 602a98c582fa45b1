//! The entries of all canonical files that a tool would execute.

use super::executable::Executable;
use super::mcp;
use super::request::ToolFileSources;
use canonry_model::canon::Layout;
use canonry_model::canon::permissions::{DefaultMode, Verdict, decisions, default_mode};
use canonry_model::canon::team_hooks;
use canonry_text::{RepoPath, Source};
use serde_json::Value;
use std::collections::BTreeSet;

/// All entries of the canonical files that a person must trust. A file that cannot be read has none: no tool gets anything of it.
pub fn executables(layout: &Layout, sources: &ToolFileSources) -> BTreeSet<Executable> {
    let text = |path: RepoPath| Some((sources.get(&path)?.ok()?.to_owned(), path));
    let mut found = BTreeSet::new();
    if let Some((text, path)) = text(layout.hooks()) {
        let hooks = team_hooks::parse(&Source::new(path, text)).unwrap_or_default();
        found.extend(hooks.into_iter().map(Executable::Hook));
    }
    if let Some((text, _)) = text(layout.mcp()) {
        let servers = mcp::definitions(&text).into_iter();
        found.extend(
            servers.map(|(name, all)| Executable::Server { name, definitions: Value::Object(all).to_string() }),
        );
    }
    if let Some((text, _)) = text(layout.permissions()) {
        let allowed = decisions(&text).into_iter().filter(|(decision, _)| *decision == Verdict::Allow);
        found.extend(allowed.map(|(_, subject)| Executable::Allowed(subject)));
        let mode = default_mode(&text).and_then(|setting| setting.mode.ok());
        found.extend(mode.filter(|mode| asks_less(*mode)).map(Executable::Mode));
    }
    found
}

/// Whether a tool asks less in this mode than without one.
fn asks_less(mode: DefaultMode) -> bool {
    matches!(mode, DefaultMode::AcceptEdits | DefaultMode::BypassPermissions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_is_shown_with_what_it_executes() {
        let layout = Layout::default();
        let mut sources = ToolFileSources::default();
        let mut add = |path: RepoPath, text: &str| sources.add(path, Ok(text.as_bytes().to_vec()));
        add(
            layout.hooks(),
            "hooks:\n  stop:\n    - command: ./a.sh\n  pre-tool:\n    - {command: b, matcher: Bash, timeout: 5}\n",
        );
        add(
            layout.mcp(),
            r#"{"mcpServers": {"db": {"command": "npx", "args": ["-y", "db"], "env": {"A": "1"}}, "w": {"url": "https://w"}},
               "codex": {"mcpServers": {"w": {"command": "w"}, "db": null}}}"#,
        );
        add(
            layout.permissions(),
            "---\ndefaultMode: acceptEdits\n---\n## Always allowed\n\n- `curl`\n\n## Never allowed\n\n- `rm`\n\n\
             ## Approved domains\n\n- docs.rs\n",
        );
        let shown: Vec<String> = executables(&layout, &sources).iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "hook at pre-tool (Bash): `b`",
                "hook at stop: `./a.sh`",
                "MCP server `db`: `A=1 npx -y db`",
                "MCP server `w`: `https://w`, `w`",
                "always allowed: `curl`",
                "always allowed: reading from `docs.rs`",
                "agents start in the mode `acceptEdits`",
            ]
        );
    }

    #[test]
    fn the_identity_depends_on_the_effect_alone() {
        let identities = |text: &str| {
            let layout = Layout::default();
            let mut sources = ToolFileSources::default();
            sources.add(layout.mcp(), Ok(text.as_bytes().to_vec()));
            executables(&layout, &sources).iter().map(Executable::identity).collect::<Vec<_>>()
        };
        let plain = identities(r#"{"mcpServers": {"db": {"command": "x", "args": ["a b"]}}}"#);
        assert_eq!(plain, identities("{ \"mcpServers\": {\"db\": {\"args\": [\"a b\"],\n \"command\": \"x\"}}}"));
        assert_ne!(plain, identities(r#"{"mcpServers": {"db": {"command": "x", "args": ["a", "b"]}}}"#));
        assert_ne!(
            plain,
            identities(r#"{"mcpServers": {"db": {"command": "x", "args": ["a b"], "env": {"A": "1"}}}}"#)
        );
    }
}
