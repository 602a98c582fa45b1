//! A failing hook does not block the tool, unless the config says `fail: closed`.

use super::{bash, begun, hook};
use serde_json::Value;

#[test]
fn errors_do_not_block_the_tool() {
    let repo = begun();
    for input in ["", "{", "[]", "null", "\u{0}", "{\"tool_name\": 3}", "{}"] {
        for (tool, want) in [
            ("claude", ""),
            ("codex", ""),
            ("gemini", "{}\n"),
            ("cursor", "{\"permission\":\"allow\"}\n"),
            ("antigravity", "{\"decision\":\"allow\"}\n"),
        ] {
            let ran = hook(&repo, &["pre-tool", "--tool", tool], input);
            assert_eq!((ran.status, ran.stdout.as_str()), (0, want), "{tool} {input:?}");
            assert!(
                ran.stderr.starts_with("canonry hook: ") && ran.stderr.lines().count() == 1,
                "{tool} {input:?}: {}",
                ran.stderr
            );
        }
    }
    for event in ["post-tool", "failure", "session-start", "stop"] {
        let ran = hook(&repo, &[event, "--tool", "claude"], "{");
        assert_eq!((ran.status, ran.stdout.as_str()), (0, ""), "{event}");
    }
}

#[test]
fn fail_closed_denies_on_an_error() {
    let repo = begun();
    repo.write("agent/canonry.yaml", "hooks: {fail: closed}\n");
    let denied = |input: &str| {
        let ran = hook(&repo, &["pre-tool", "--tool", "claude"], input);
        assert_eq!(ran.status, 0);
        let answer: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
        answer["hookSpecificOutput"]["permissionDecision"].as_str().map(str::to_owned)
    };
    assert_eq!(denied("{").as_deref(), Some("deny"));
    assert_eq!(denied(&bash("ls")), None);
    std::fs::write(repo.path("agent/protocols/permissions.md"), b"\xff\xfe").unwrap();
    assert_eq!(denied(&bash("ls")).as_deref(), Some("deny"));
    // With `fail: open`, the guards still apply.
    repo.write("agent/canonry.yaml", "hooks: {fail: open}\n");
    assert_eq!(denied(&bash("ls")), None);
    assert_eq!(denied(&bash("rm -rf /")).as_deref(), Some("deny"));
    // A tool schema that does not compile is an error too.
    repo.write("agent/protocols/permissions.md", "");
    repo.write("agent/protocols/tool_schemas/deploy.schema.json", "[]\n");
    assert_eq!(denied(&bash("ls")), None);
    repo.write("agent/canonry.yaml", "hooks: {fail: closed}\n");
    assert_eq!(denied(&bash("ls")).as_deref(), Some("deny"));
    repo.write("agent/protocols/tool_schemas/deploy.schema.json", "{}\n");
    assert_eq!(denied(&bash("ls")), None);
    // An invalid config is reported, and the permissions still apply.
    repo.write("agent/canonry.yaml", "hooks: {fial: open}\n");
    repo.write("agent/protocols/permissions.md", "## Never allowed\n\n- `make`\n");
    assert_eq!(denied(&bash("make all")).as_deref(), Some("deny"));
}
