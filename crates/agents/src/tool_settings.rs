//! Settings that canonry manages in the tools' own files: switches, and lines for git.

use super::desired::{DesiredPart, DesiredToolFiles, PartContent};
use super::request::ToolFileRequest;
use canonry_model::config::Target;
use canonry_text::RepoPath;
use serde_json::json;

/// Adds the settings that make a tool read its skills.
pub(super) fn add_switches(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    if request.files.tool("gemini").skills {
        desired.add_key(".gemini/settings.json", &["skills", "enabled"], json!(true), &request.layout.config());
    }
    // Antigravity does not scan its mirror folder without this pointer.
    if request.files.has_pointer() && request.targets.contains(&Target::ANTIGRAVITY) {
        let folder = Target::ANTIGRAVITY.skills_root().to_string();
        desired.add_item(".agents/skills.json", &["entries"], json!({"path": folder}), &request.layout.skills());
    }
}

/// Adds lines that make git ignore the mirrors, or mark them as generated.
pub(super) fn add_git_lines(request: &ToolFileRequest<'_>, desired: &mut DesiredToolFiles) {
    let mirrors: Vec<RepoPath> = request.mirrors.iter().map(|target| target.skills_root()).collect();
    let git = request.files.git;
    let mut add = |file: &str, inner: String| {
        let content = PartContent::Block { inner, replaced_by: None };
        desired.parts.push(DesiredPart { file: RepoPath::from(file), canon: request.layout.config(), content });
    };
    if git.ignore {
        // The pattern matches the content of a mirror, not the mirror itself, so that users can exclude their own skills
        // from it with a line below the block.
        let ignored = mirrors.iter().map(|mirror| mirror.join("*")).chain([request.layout.local_lock()]);
        add(".gitignore", ignored.map(|path| format!("/{path}\n")).collect());
    }
    if git.attributes {
        let committed = mirrors.iter().filter(|_| !git.ignore).map(|mirror| mirror.join("**"));
        let generated = committed.chain([request.layout.lock()]);
        add(".gitattributes", generated.map(|path| format!("/{path} linguist-generated\n")).collect());
    }
}
