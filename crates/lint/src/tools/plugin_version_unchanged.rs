//! See `plugin_version_unchanged.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "plugin-version-unchanged",
    summary: "plugin changed, but its version did not, or marketplace and manifest disagree on it",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("plugin_version_unchanged.md"),
    check: Check::Each(&[Check::ToolFile(check), Check::ToolFile(check_marketplace)]),
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

/// Marketplace and manifest disagree on the version of a plugin.
fn check_marketplace(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    for entry in &file.entry_versions {
        let message = format!(
            "the version of `{}` is {} here, but {} in its manifest, which Claude Code uses",
            entry.name, entry.version, entry.manifest_version
        );
        let help = format!("remove `version` here, or write {} in both files", entry.manifest_version);
        findings.push(
            RULE.at(Location::at(source, entry.span), message)
                .help(help)
                .related(Location::file(&entry.manifest), "the manifest")
                .caused_by(file.path.to_string(), ("plugin", "plugins")),
        );
    }
}
