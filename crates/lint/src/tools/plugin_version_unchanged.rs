//! See `plugin_version_unchanged.md`.

use super::marketplace_version_differs;
use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "plugin-version-unchanged",
    summary: "plugin changed, but its version did not, or marketplace and manifest disagree on it",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("plugin_version_unchanged.md"),
    check: Check::Each(&[Check::ToolFile(check), Check::ToolFile(marketplace_version_differs::check)]),
};

fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let (Ok(source), Some(change)) = (&file.document, &file.unreleased) else { return };
    let Some(first) = change.files.first() else { return };
    let files = match change.files.len() - 1 {
        0 => format!("`{first}` changed"),
        1 => format!("`{first}` and another file changed"),
        more => format!("`{first}` and {more} other files changed"),
    };
    let message = format!("{files}, but the version of the plugin is still {}", change.version);
    findings.push(
        RULE.at(Location::at(source, change.span), message)
            .help("increase the version, or remove it where the tool then uses the commit: whoever has this version keeps the old files")
            .caused_by("commit", ("plugin", "plugins")),
    );
}
