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

/// Types of sources that are objects, and the key of each that says where:
/// <https://code.claude.com/docs/en/plugins/marketplace-reference> (2026-11).
const SOURCES: [(&str, &str); 4] = [("github", "repo"), ("url", "url"), ("git-subdir", "url"), ("npm", "package")];

/// Nouns for a source that several entries of a marketplace name.
const SAME_SOURCE: (&str, &str) = ("plugin with this source", "plugins with this source");

fn check(file: &ToolFile, findings: &mut Vec<Finding>) {
    let Ok(source) = &file.document else { return };
    for PathReference { text, span, role, path, beside_manifest, .. } in &file.missing {
        if let (PathRole::Plugin(name), Some(object)) = (role, source_object(text)) {
            let message = format!("the source of plugin `{name}` is `{text}`, which is no path in the repository");
            let finding = RULE.at(Location::at(source, *span), message);
            let help = format!("write a source elsewhere as an object: `{object}`");
            findings.push(finding.help(help).caused_by(format!("{} {text}", file.path), SAME_SOURCE));
            continue;
        }
        let message = match role {
            PathRole::Component(key) => format!("`{text}` in `{key}` does not exist"),
            PathRole::Plugin(name) => format!("the source of plugin `{name}` does not exist: `{text}`"),
            PathRole::Hook | PathRole::Server(_) => continue,
        };
        let help = match (role, beside_manifest) {
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

/// The object that a text such as `github:team/notes` means. Nobody calls a folder so.
fn source_object(text: &str) -> Option<String> {
    let (kind, rest) = text.split_once(':').unwrap_or((text, "..."));
    let (kind, key) = SOURCES.iter().find(|(known, _)| *known == kind)?;
    Some(format!("{{\"source\": \"{kind}\", \"{key}\": \"{rest}\"}}"))
}
