//! Which files are workflows by where they lie.

use crate::canon::Layout;
use crate::syntax::RepoPath;

/// Whether a file is a workflow by its place: YAML in the canon's `workflows/`, but for what lies among the templates.
pub fn is_workflow(path: &RepoPath, layout: &Layout) -> bool {
    is_within(path, &layout.workflows())
}

/// The same for a folder that is at hand.
pub fn is_within(path: &RepoPath, workflows: &RepoPath) -> bool {
    is_yaml(path) && path.is_within(workflows) && !path.is_within(&workflows.join("templates"))
}

/// Whether a file elsewhere may be a workflow by its name or its folder; only its keys tell. What git's hosts run lies in
/// folders of that name as well.
pub fn may_be_workflow(path: &RepoPath) -> bool {
    let name = path.file_name();
    let named = [&b"workflow"[..], b"wf"].iter().any(|word| {
        let rest = name.strip_prefix(*word);
        rest.is_some_and(|rest| matches!(rest.first(), Some(b'-' | b'_' | b'.')))
    });
    let in_folder = path.parent().is_some_and(|folder| folder.file_name() == "workflows");
    is_yaml(path) && (named || in_folder)
}

fn is_yaml(path: &RepoPath) -> bool {
    let name = path.file_name();
    name.ends_with(b".yaml") || name.ends_with(b".yml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workflows_go_by_place() {
        for (path, place, name) in [
            ("agent/workflows/triage.yaml", true, true),
            ("agent/workflows/night/triage.yml", true, false),
            ("agent/workflows/plan.yaml", true, true),
            ("agent/workflows/templates/step.yaml", false, false),
            ("agent/workflows/README.md", false, false),
            ("cases/wf-triage.yaml", false, true),
            ("cases/workflow.yaml", false, true),
            ("cases/wfx.yaml", false, false),
            ("agent/schemas/workflow-schema.json", false, false),
        ] {
            let path = RepoPath::from(path);
            assert_eq!((is_workflow(&path, &Layout::default()), may_be_workflow(&path)), (place, name), "{path}");
        }
    }
}
