//! Recognises plans by their content. Many other formats have `steps`, and many files are called `plan`.

use canonry_text::node::Node;
use canonry_text::yaml;

/// Keys of a step that no other format with `steps` has at the same time as `id`.
const STEP_KEYS: [&str; 4] = ["owner", "criteria", "deps", "status"];
/// The keys of a plan besides `steps`.
const PLAN_KEYS: [&str; 6] = ["id", "title", "goal", "description", "version", "metadata"];

/// Whether a document has the steps of a plan: a step with an id and one of [`STEP_KEYS`], and none with a prompt, which
/// steps of workflows have.
pub fn has_plan_steps(root: &Node) -> bool {
    let steps = root.get("steps").and_then(Node::as_sequence).unwrap_or_default();
    let has = |step: &Node, key: &str| step.get(key).is_some();
    let is_plan_step = |step: &Node| has(step, "id") && STEP_KEYS.iter().any(|key| has(step, key));
    root.get("workflow").is_none() && !steps.iter().any(|step| has(step, "prompt")) && steps.iter().any(is_plan_step)
}

/// Whether a file with the name of a plan is clearly something else: a list, a value, or a mapping without `steps` whose
/// keys are not those of a plan. A file with a syntax error may be a plan.
pub fn is_other_data(text: &str) -> bool {
    // The documents of a stream, as in Kubernetes.
    let text = text.trim_start_matches('\u{feff}');
    let Ok(document) = yaml::parse(text, 0).or_else(|problem| frontmatter(text).ok_or(problem)) else {
        return false;
    };
    match document.root.as_mapping() {
        Some(mapping) => {
            let has_other_key = || mapping.entries.iter().any(|entry| !PLAN_KEYS.contains(&entry.key.as_str()));
            mapping.get("steps").is_none() && has_other_key()
        }
        None => document.root.as_sequence().is_some(),
    }
}

/// The mapping between two lines `---` at the start of a text: a page of Markdown, whatever its extension says.
fn frontmatter(text: &str) -> Option<yaml::ParsedDocument> {
    let (head, _) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
    yaml::parse(head, 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides_whether_a_file_is_a_plan() {
        for (text, want) in [
            ("steps: [{id: 1, owner: Coder}]", true),
            ("{\"steps\": [{\"id\": \"a\", \"deps\": []}]}", true),
            // Cloud Build, Azure Pipelines, a composite action, a schema, a list.
            ("steps: [{name: gcr.io/x, id: build, args: [a], waitFor: ['-']}]", false),
            ("steps: [{script: make}]", false),
            ("runs: {using: composite, steps: [{id: a, run: make}]}", false),
            ("type: object\nproperties: {steps: {type: array}}", false),
            ("- id: a\n  owner: b\n", false),
            ("name: x\nsteps: [{id: a, owner: b, prompt: Do it.}]", false),
        ] {
            assert_eq!(has_plan_steps(&yaml::parse(text, 0).unwrap().root), want, "{text}");
        }
    }

    #[test]
    fn other_files_are_called_plan() {
        for (text, want) in [
            ("{\"format_version\": \"1.2\", \"resource_changes\": []}", true),
            ("apiVersion: upgrade.cattle.io/v1\nkind: Plan\nmetadata: {name: x}\n", true),
            ("- a\n", true),
            ("goal: x\n", false),
            ("steps: x\n", false),
            ("steps: [\n", false),
            ("", false),
        ] {
            assert_eq!(is_other_data(text), want, "{text}");
        }
    }
}
