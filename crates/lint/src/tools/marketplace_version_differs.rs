//! Part of `plugin-version-unchanged`: marketplace and manifest disagree on the version of a plugin.

use super::plugin_version_unchanged::RULE;
use crate::Finding;
use canonry_model::canon::tool_file::ToolFile;
use canonry_model::finding::Location;

pub(super) fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
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
