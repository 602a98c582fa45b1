//! See `script_not_executable.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::tool_file::{PathReference, PathRole, ToolFile};
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "script-not-executable",
    summary: "script that a hook or an MCP server starts is not executable",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("script_not_executable.md"),
    check: Check::ToolFile(check),
};

/// A shell executes a script without a shebang, too, but not one without the right to be executed.
fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    for PathReference { span, role, path, .. } in &file.not_executable {
        let who = match role {
            PathRole::Hook => "the hook".to_owned(),
            PathRole::Server(name) => format!("the MCP server `{name}`"),
            PathRole::Component(_) | PathRole::Plugin(_) => continue,
        };
        let message = format!("{who} starts `{path}`, which is not executable");
        let word = path.shell_word();
        let help = format!(
            "run `git update-index --chmod=+x {word}` and `chmod +x {word}`, or start it through its interpreter"
        );
        let finding = RULE.at(Location::at(source, *span), message).help(help);
        let finding = finding.related(Location::file(path), "the script");
        findings.push(finding.caused_by(path.to_string(), ("file that starts it", "files that start it")));
    }
}
