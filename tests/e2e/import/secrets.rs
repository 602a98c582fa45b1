//! No secret reaches the canon or the output, whatever it looks like.

use crate::import::{assert_done, changes, json};
use crate::support::repo::{Repo, document};
use serde_json::{Value, json};

/// Built at run time, so that no scanner reports this file.
fn web_token() -> String {
    ["eyJhbGciOiJIUzI1NiJ9", "eyJyb2xlIjoiYWRtaW4iLCJpZCI6N30", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe"].join(".")
}

fn github_token() -> String {
    format!("ghp_{}", "q7Zp2LxV9mKdR4tWc8NbYf3HsJ6gTaQe5uXo")
}

const HOOK: &str = "T0AB12CD3/B0EF45GH6/q7Zp2LxV9mKdR4tWc8NbYf3H";

fn servers() -> Value {
    let slack = format!("https://hooks.slack.com/services/{HOOK}");
    json!({"mcpServers": {
        "pg": {"command": "npx", "args": ["-y", "pg", "postgres://u:hunter2@h/db"]},
        "mongo": {"command": "m", "env": {"MONGO": "mongodb+srv://u:hunter2@h/db", "MODE": "fast"}},
        "chat": {"command": "c", "env": {"NOTIFY_URL": slack}, "args": ["--header", "Authorization: Bearer hunter2"]},
        "jwt": {"type": "http", "url": format!("https://x.example/mcp?session={}", web_token())},
        "userinfo": {"type": "sse", "url": "https://u:hunter2@y.example/mcp"},
        "header": {"type": "http", "url": "https://z.example", "headers": {"X-Session": web_token(), "Cookie": "hunter2"}},
        "one": {"command": "o", "env": {"API_KEY": "hunter2"}},
        "two": {"command": "t", "env": {"API_KEY": "hunter3"}}
    }})
}

fn assert_none(text: &str) {
    for secret in ["hunter2", "hunter3", "q7Zp2LxV9mKdR4tWc8NbYf3H"] {
        assert!(!text.contains(secret), "{secret} is in {text}");
    }
}

#[test]
fn secrets_of_servers_become_variables() {
    let repo = Repo::empty();
    repo.write(".mcp.json", servers().to_string());
    let dry = repo.canonry(&["import", "--dry-run"]).expect(0);
    assert_none(&format!("{}{}", dry.stdout, dry.stderr));
    let document = json(&repo, &[], 0);
    assert_none(&document.to_string());
    let text = repo.text("agent/mcp.json");
    assert_none(&text);
    let written: Value = serde_json::from_str(&text).unwrap();
    for (pointer, want) in [
        ("/pg/args/2", "postgres://u:${PG_PASSWORD}@h/db"),
        ("/mongo/env/MONGO", "${MONGO}"),
        ("/mongo/env/MODE", "fast"),
        ("/chat/env/NOTIFY_URL", "${NOTIFY_URL}"),
        ("/chat/args/1", "Authorization: Bearer ${CHAT_AUTHORIZATION}"),
        ("/jwt/url", "https://x.example/mcp?session=${JWT_TOKEN}"),
        ("/userinfo/url", "https://u:${USERINFO_PASSWORD}@y.example/mcp"),
        ("/header/headers/X-Session", "${HEADER_X_SESSION}"),
        ("/header/headers/Cookie", "${HEADER_COOKIE}"),
        ("/one/env/API_KEY", "${API_KEY}"),
        ("/two/env/API_KEY", "${TWO_API_KEY}"),
    ] {
        assert_eq!(written.pointer(&format!("/mcpServers{pointer}")), Some(&json!(want)), "{pointer}: {text}");
    }
    let changes = changes(&document, "agent/mcp.json");
    for name in ["PG_PASSWORD", "MONGO", "NOTIFY_URL", "JWT_TOKEN", "TWO_API_KEY"] {
        assert!(changes.contains(&format!("set {name} in the environment")), "{name}: {changes}");
    }
    assert_done(&repo, &[]);
}

#[test]
fn secrets_in_texts_become_variables() {
    let repo = Repo::empty();
    let token = github_token();
    let web = web_token();
    repo.write("AGENTS.md", format!("# The project\n\nUse {token}.\n"));
    repo.write(".claude/commands/c.md", format!("Call it with {web}.\n"));
    repo.write(".claude/skills/deploy/SKILL.md", document("deploy"));
    repo.write(".claude/skills/deploy/run.sh", format!("#!/bin/sh\nTOKEN={token}\n"));
    repo.chmod(".claude/skills/deploy/run.sh", 0o755);
    repo.write(
        ".claude/settings.json",
        json!({"permissions": {"allow": [format!("Bash(curl -H {token} | sh)")]}}).to_string(),
    );
    let document = json(&repo, &[], 0);
    assert_none(&document.to_string());
    for file in ["agent/AGENTS.md", "agent/commands/c.md", "agent/skills/deploy/run.sh"] {
        assert_none(&repo.text(file));
    }
    assert_eq!(repo.text("agent/AGENTS.md"), "# The project\n\nUse ${GITHUB_PERSONAL_ACCESS_TOKEN}.\n");
    assert!(changes(&document, "agent/skills/deploy").contains("run.sh"));
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(repo.path("agent/skills/deploy/run.sh")).unwrap().permissions().mode();
    assert_eq!(mode & 0o111, 0o111);
    assert_done(&repo, &[]);
}

/// After an import, sync shows how the tool's own file differs from the canon, but never a secret of it.
#[test]
fn what_sync_shows_has_no_secrets() {
    let repo = Repo::empty();
    // As `claude mcp add` writes them.
    let key = "x7Kq29vPz-aTok";
    let plain = "plain words here";
    let bearer = "hunter2hunter2hunter2";
    repo.write(
        ".mcp.json",
        format!(
            r#"{{
  "mcpServers": {{
    "docs": {{
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "docs-server", "--api-key", "{key}"],
      "env": {{"DOCS_API_KEY": "{key}", "TEAM": "{plain}"}}
    }},
    "api": {{
      "type": "http",
      "url": "https://mcp.example.com/api?token={key}",
      "headers": {{"Authorization": "Bearer {bearer}", "X-Team": "{plain}"}}
    }}
  }}
}}
"#
        ),
    );
    repo.write("CLAUDE.md", "# Ours\n");
    repo.canonry(&["import"]).expect(0);
    let config = repo.text("agent/canonry.yaml");
    assert!(config.contains("mcp: true"), "{config}");
    let imported = repo.text("agent/mcp.json");
    assert!(!imported.contains(key) && !imported.contains(bearer), "{imported}");
    let mut shown = String::new();
    for args in [
        &["sync"][..],
        &["sync", "--check"],
        &["sync", "--diff"],
        &["sync", "--dry-run"],
        &["sync", "--force", "--dry-run", "--diff"],
        &["sync", "--check", "--format", "json"],
        &["sync", "--format", "json"],
        &["check"],
        &["check", "--format", "json"],
        &["status"],
        &["doctor"],
        &["import", "--dry-run", "--diff"],
    ] {
        let ran = repo.canonry(args);
        for secret in [key, bearer] {
            assert!(!ran.all().contains(secret), "{args:?}: {}", ran.all());
        }
        shown.push_str(&ran.all());
    }
    // Every value that a program or a server gets, unless it is a variable.
    assert!(!shown.lines().any(|line| line.contains(plain) && line.starts_with(['-', ' '])), "{shown}");
    assert!(shown.contains("[secret]") && shown.contains("-      \"env\": {\"DOCS_API_KEY\": \"[secret]\""), "{shown}");
}
