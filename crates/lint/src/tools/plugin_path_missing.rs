//! See `plugin_path_missing.md`.

use crate::{Check, Defaults, Finding, Rule};
use canonry_model::canon::tool_file::{PathReference, PathRole, ToolFile};
use canonry_model::finding::{Location, Severity};
use canonry_text::RepoPath;

pub(super) static RULE: Rule = Rule {
    id: "plugin-path-missing",
    summary: "plugin or marketplace names a path that does not exist",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("plugin_path_missing.md"),
    check: Check::ToolFile(check),
};

const START: &str = "paths start at the folder of the plugin, not of the manifest";

/// Types of sources that are objects. Nobody calls a folder so.
const SOURCE_TYPES: [&str; 5] = ["github", "url", "git", "git-subdir", "npm"];

fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    for PathReference { text, span, role, path, beside_manifest, .. } in &file.missing {
        let message = match role {
            PathRole::Component(key) => format!("`{text}` in `{key}` does not exist"),
            PathRole::Plugin(name) => format!("the source of plugin `{name}` does not exist: `{text}`"),
            PathRole::Hook | PathRole::Server(_) => continue,
        };
        let help = match (role, beside_manifest) {
            (PathRole::Plugin(_), _) if SOURCE_TYPES.contains(&text.as_str()) => format!(
                "a text is a path in the repository; a source elsewhere is an object: `{{\"source\": \"{text}\", ...}}` with its other keys"
            ),
            // Claude Code rejects a folder of subagents, wherever it is.
            (PathRole::Component(key), Some(found)) if key == "agents" && !text.ends_with(".md") => {
                format!("{START}; it is at `{found}`: move it to `{path}`")
            }
            (_, Some(found)) => {
                let corrected = found.below(&file.base).map_or_else(|| found.clone(), RepoPath::new);
                format!("{START}; it is at `{found}`: move it to `{path}`, or write `./{corrected}`")
            }
            _ => format!("the path leads to `{path}` in the repository; correct it, or remove the entry"),
        };
        findings.push(RULE.at(Location::at(source, *span), message).help(help));
    }
}
