//! See `marketplace_version_differs.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "marketplace-version-differs",
    summary: "marketplace and manifest disagree on the version of a plugin",
    severity: Defaults::both(Severity::Warning),
    docs: include_str!("marketplace_version_differs.md"),
    check: Check::ToolFile(check),
};

fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
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
