//! See `tool_script_missing.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::tool_file::{PathReference, PathRole, ToolFile};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "tool-script-missing",
    summary: "hook or MCP server runs a script that does not exist",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("tool_script_missing.md"),
    check: Check::ToolFile(check),
};

fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    for PathReference { span, role, path, .. } in &file.missing {
        let who = match role {
            PathRole::Hook => "the hook".to_owned(),
            PathRole::Server(name) => format!("the MCP server `{name}`"),
            PathRole::Component(_) | PathRole::Plugin(_) => continue,
        };
        let message = format!("{who} runs `{path}`, which does not exist");
        findings.push(RULE.at(Location::at(source, *span), message).help("add the script, or correct the path"));
    }
}
