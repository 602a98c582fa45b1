//! The files that a workflow names (templates, a policy, schemas, plans), and the parameters beside it.

use super::WorkflowDefinition;
use super::model::StepOutput;
use crate::canon::blob::BlobError;
use crate::canon::{Blob, Layout};
use canonry_text::node::{Node, SpannedText};
use canonry_text::{RepoPath, Source, yaml};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Purpose of a named file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReferenceKind {
    /// The template of a prompt.
    Template,
    /// The policy for every step.
    Policy,
    /// The JSON schema of an output.
    Schema,
    /// A plan that a step executes.
    Plan,
}

/// A file that a workflow names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowReference {
    pub kind: ReferenceKind,
    /// The path as written or, for a plan, possibly its id.
    pub path: SpannedText,
}

/// The files around a workflow, as they are in the repository.
#[derive(Clone, Debug, Default)]
pub struct WorkflowFiles {
    /// The text of the templates and schemas by their path as written.
    texts: BTreeMap<String, Arc<Source>>,
    /// The named files that do not exist, for a workflow of the canon. Others may be examples without their files.
    pub missing: Vec<WorkflowReference>,
    /// The values of the `config.yaml` beside the workflow: those at its top, and those below the name of the workflow.
    pub parameters: BTreeSet<String>,
    /// Whether there is a `config.yaml` that cannot be read, so that any name may be a parameter.
    pub has_unreadable_config: bool,
}

/// The file names of a template if the name alone decides. With a folder, any extension will do.
const TEMPLATE_EXTENSIONS: [&str; 9] = ["md", "markdown", "txt", "prompt", "tmpl", "tpl", "j2", "jinja", "mustache"];

/// Whether a prompt is the path of a template and not the prompt itself: one word with an extension, such as
/// `templates/draft.md`.
pub fn is_template_path(prompt: &str) -> bool {
    let path = prompt.trim();
    if path.is_empty() || path.contains(char::is_whitespace) || path.contains("{{") || path.contains("://") {
        return false;
    }
    let (folder, name) = path.rsplit_once('/').map_or((None, path), |(folder, name)| (Some(folder), name));
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    let is_extension = (1..=8).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_alphanumeric());
    let is_known = TEMPLATE_EXTENSIONS.contains(&extension.to_ascii_lowercase().as_str());
    !stem.is_empty() && is_extension && (folder.is_some() || is_known)
}

/// Where a file that a workflow names is looked for, in this order: beside the workflow, in the canon, in the repository.
/// A plan may also be named by its id.
pub fn reference_paths(kind: ReferenceKind, name: &str, workflow: &RepoPath, layout: &Layout) -> Vec<RepoPath> {
    let name = name.trim();
    let mut paths = Vec::new();
    if name.starts_with('/') || name.starts_with('~') {
        return paths;
    }
    let top = [workflow.clone(), layout.root().join("file"), RepoPath::from("file")];
    paths.extend(top.iter().filter_map(|beside| beside.resolve_beside(name.as_bytes())));
    if kind == ReferenceKind::Plan {
        for root in layout.plan_roots() {
            let folder = root.join(name);
            paths.extend(Layout::plan_files(&folder));
            paths.extend([".yaml", ".yml", ".json"].map(|extension| root.join(format!("{name}{extension}"))));
        }
    }
    paths.retain(|path| !path.is_empty());
    paths
}

impl WorkflowDefinition {
    /// The files that the workflow names, in file order. Paths with variables are left out.
    pub fn references(&self) -> Vec<WorkflowReference> {
        let mut found = Vec::new();
        let mut add = |kind: ReferenceKind, path: Option<&SpannedText>| {
            let path = path.filter(|path| !path.text.contains("{{"));
            found.extend(path.map(|path| WorkflowReference { kind, path: path.clone() }));
        };
        let template = |prompt: &'_ Option<SpannedText>| prompt.clone().filter(|text| is_template_path(&text.text));
        let schema = |output: &'_ Option<StepOutput>| output.as_ref().and_then(|output| output.schema_file.clone());
        add(ReferenceKind::Policy, self.policy.as_ref());
        for step in &self.steps {
            add(ReferenceKind::Template, template(&step.prompt).as_ref());
            add(ReferenceKind::Plan, step.plan.as_ref());
            add(ReferenceKind::Schema, schema(&step.output).as_ref());
            for child in &step.fan_out.children {
                add(ReferenceKind::Template, template(&child.prompt).as_ref());
                add(ReferenceKind::Schema, schema(&child.output).as_ref());
            }
        }
        found
    }
}

impl WorkflowFiles {
    /// Reads the files around a workflow.
    pub fn load(
        definition: &WorkflowDefinition,
        workflow: &RepoPath,
        layout: &Layout,
        read: &dyn Fn(&RepoPath) -> Blob,
    ) -> Self {
        let mut files = Self::default();
        let is_in_canon = workflow.is_within(&layout.workflows());
        for reference in definition.references() {
            let paths = reference_paths(reference.kind, &reference.path.text, workflow, layout);
            let mut found = paths.into_iter().map(|path| (read(&path), path)).filter(|(blob, _)| exists(blob));
            match found.next() {
                Some((blob, path)) => {
                    let source = blob.into_source(&path).ok();
                    files.texts.extend(source.map(|source| (reference.path.text.clone(), source)));
                }
                None if is_in_canon => files.missing.push(reference),
                None => {}
            }
        }
        files.read_config(workflow, read);
        files
    }

    fn read_config(&mut self, workflow: &RepoPath, read: &dyn Fn(&RepoPath) -> Blob) {
        let found = ["config.yaml", "config.yml"].iter().find_map(|name| {
            let path = workflow.resolve_beside(name.as_bytes())?;
            let blob = read(&path);
            (path != *workflow && exists(&blob)).then_some((path, blob))
        });
        let Some((path, blob)) = found else { return };
        let source = blob.into_source(&path).ok();
        let Some(document) = source.and_then(|source| yaml::parse(source.text(), 0).ok()) else {
            self.has_unreadable_config = true;
            return;
        };
        let name = workflow.file_name_lossy();
        let section = document.root.get(name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem));
        for mapping in [Some(&document.root), section].into_iter().flatten().filter_map(Node::as_mapping) {
            let scalars = mapping.entries.iter().filter(|entry| entry.value.as_scalar().is_some());
            self.parameters.extend(scalars.map(|entry| entry.key.clone()));
        }
        self.has_unreadable_config = document.root.as_mapping().is_none() && !document.root.is_null();
    }

    /// The text of a template, by its path as written.
    pub fn text(&self, path: &str) -> Option<&Arc<Source>> {
        self.texts.get(path)
    }

    /// Whether the schema at a path, as written, declares a field, which may be dotted. `None` if that cannot be known.
    pub fn schema_declares(&self, path: &str, field: &str) -> Option<bool> {
        let text = self.text(path)?.text();
        let mut schema: Json =
            serde_json::from_str(text).ok().or_else(|| Some(yaml::parse(text, 0).ok()?.root.to_json()))?;
        for part in field.split('.') {
            // Without `properties`, the fields come from elsewhere: a `$ref`, `allOf` or none at all.
            let properties = schema.get_mut("properties").and_then(Json::as_object_mut)?;
            match properties.remove(part) {
                Some(below) => schema = below,
                None => return Some(false),
            }
        }
        Some(true)
    }
}

/// Whether a file exists, even if it cannot be read.
fn exists(blob: &Blob) -> bool {
    match blob {
        Blob::Bytes(_) => true,
        Blob::Missing(error) => matches!(error, BlobError::TooLarge { .. }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canon::schema::Schemas;
    use crate::canon::workflow::Workflow;

    #[test]
    fn one_word_with_an_extension_is_a_path() {
        for path in ["templates/draft.md", "draft.md", "../prompts/a.txt", "prompts/a.xyz", " a.md "] {
            assert!(is_template_path(path), "{path}");
        }
        for prompt in [
            "",
            "Draft.",
            "review",
            "/review",
            "Read docs/a.md",
            "https://example.com/a.md",
            "templates/{{lang}}.md",
            "v1.2",
            "e.g.",
            ".md",
            "templates/draft",
        ] {
            assert!(!is_template_path(prompt), "{prompt}");
        }
    }

    #[test]
    fn files_are_looked_for_in_three_places() {
        let paths = |kind, name| -> Vec<String> {
            let workflow = RepoPath::from("agent/workflows/w.yaml");
            let found = reference_paths(kind, name, &workflow, &Layout::default());
            found.iter().map(RepoPath::to_display).collect()
        };
        assert_eq!(paths(ReferenceKind::Template, "t/a.md"), ["agent/workflows/t/a.md", "agent/t/a.md", "t/a.md"]);
        assert_eq!(paths(ReferenceKind::Template, "../a.md"), ["agent/a.md", "a.md"]);
        assert_eq!(paths(ReferenceKind::Policy, "/a.md"), [""; 0]);
        let plans = paths(ReferenceKind::Plan, "login");
        assert!(plans.contains(&"agent/plans/login/plan.yaml".to_owned()), "{plans:?}");
        assert!(plans.contains(&"agent/plans/login.yaml".to_owned()), "{plans:?}");
    }

    fn files(text: &str, repository: &[(&str, &str)]) -> WorkflowFiles {
        let path = RepoPath::from("agent/workflows/w.yaml");
        let workflow = Workflow::parse(path.clone(), Blob::Bytes(text.into()), &Schemas::default());
        let read = |path: &RepoPath| {
            let found = repository.iter().find(|(name, _)| RepoPath::from(*name) == *path);
            found.map_or(Blob::Missing(BlobError::Absent), |(_, text)| Blob::Bytes((*text).into()))
        };
        let document = workflow.document.unwrap();
        WorkflowFiles::load(document.definition().unwrap(), &path, &Layout::default(), &read)
    }

    #[test]
    fn named_files_are_found_or_missing() {
        let text = "workflow: w\npolicy: policy.md\nphases:\n  a: {owner: A, prompt: t/a.md, output: {schema: s.json}}\n  b: {owner: A, plan: login}\n  c: {owner: A, prompt: Do it.}\n";
        let found = files(text, &[("agent/t/a.md", "text"), ("agent/plans/login/plan.yaml", "steps: []")]);
        let missing: Vec<&str> = found.missing.iter().map(|reference| reference.path.text.as_str()).collect();
        assert_eq!(missing, ["policy.md", "s.json"]);
        assert_eq!(found.text("t/a.md").map(|source| source.text()), Some("text"));
    }

    #[test]
    fn a_config_beside_the_workflow_has_parameters() {
        let text = "workflow: w\nphases: {a: {owner: A, prompt: p}}\n";
        let keys = |config: &str| {
            let found = files(text, &[("agent/workflows/config.yaml", config)]);
            (found.parameters.into_iter().collect::<Vec<_>>().join(" "), found.has_unreadable_config)
        };
        assert_eq!(keys("lang: de\npaths: {a: b}\nw: {team: x}\n"), ("lang team".to_owned(), false));
        assert_eq!(keys(""), (String::new(), false));
        assert_eq!(keys("- a"), (String::new(), true));
        assert_eq!(keys("a: ["), (String::new(), true));
    }

    #[test]
    fn schemas_declare_fields() {
        let text = "workflow: w\nphases: {a: {owner: A, output: {schema: s.json}}}\n";
        let schema = r##"{"properties": {"bug": {"properties": {"trace": {}}}, "open": {"$ref": "#/x"}}}"##;
        let found = files(text, &[("s.json", schema)]);
        for (field, want) in [
            ("bug", Some(true)),
            ("bug.trace", Some(true)),
            ("bug.summary", Some(false)),
            ("passed", Some(false)),
            ("open", Some(true)),
            ("open.x", None),
        ] {
            assert_eq!(found.schema_declares("s.json", field), want, "{field}");
        }
        assert_eq!(found.schema_declares("other.json", "a"), None);
    }
}
