//! Calls that are too large to read: they are answered in time, and never allowed.

use super::{bash, begun, decision, piped};

/// The number of nested or repeated parts.
const SPANS: usize = 20_000;

#[test]
fn a_command_with_many_parts_is_answered_and_not_allowed() {
    let repo = begun();
    let nested = |open: &str, close: &str| format!("echo {}rm -rf /{}", open.repeat(SPANS), close.repeat(SPANS));
    let flat = |part: &str| format!("echo {}; rm -rf /", part.repeat(SPANS));
    for command in [
        nested("$(echo ", ")"),
        nested("\"$(", ""),
        nested("${a:-", "}"),
        nested("bash -c \"", "\""),
        format!("{}rm -rf /{}", "(".repeat(SPANS), ")".repeat(SPANS)),
        flat("\"$(true)\" "),
        flat("'a' "),
        flat("`true` "),
        format!("{}rm -rf /", "true | ".repeat(SPANS)),
    ] {
        // The hooks of the tools wait longer than this.
        let mut hook = repo.command("timeout");
        hook.arg("10").arg(assert_cmd::cargo::cargo_bin!("canonry")).args(["hook", "pre-tool", "--tool", "claude"]);
        let ran = piped(hook, bash(&command).as_bytes());
        let start = &command[..40];
        let (decision, reason) = decision(&ran).unwrap_or_else(|| panic!("{start}: {}{}", ran.stdout, ran.stderr));
        assert!(["ask", "deny"].contains(&decision.as_str()), "{start}: {decision}, {reason}");
    }
}
