//! Finds and loads workflows. One with errors is never run.

use crate::{Error, ErrorKind, Workspace};
use canonry_lint::{self as rules, Profile};
use canonry_model::canon::Blob;
use canonry_model::canon::workflow::{Workflow, WorkflowContent, WorkflowDefinition};
use canonry_model::finding::Severity;
use canonry_repo::view::IgnoreMode;
use canonry_repo::view::load::{self, DOCUMENT_LIMIT};
use canonry_text::closest_match;
use canonry_text::node::{Node, NodeValue};
use canonry_text::{RepoPath, yaml};
use std::collections::BTreeMap;

/// A workflow that can be run.
#[derive(Debug)]
pub(super) struct LoadedWorkflow {
    /// The file's name without its extension.
    pub name: String,
    pub path: RepoPath,
    pub bytes: Vec<u8>,
    workflow: Workflow,
}

impl LoadedWorkflow {
    /// Loads the workflow with a name, or the only one, or the `default_workflow` of `config.yaml` beside the workflows.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] if there are several without a default and no name is given; [`ErrorKind::Unreadable`] if it is missing or has
    /// errors.
    pub fn load(workspace: &Workspace, name: Option<&str>) -> Result<Self, Error> {
        workspace.require_canon()?;
        let (name, path) = find(workspace, name)?;
        let unreadable = || Error::new(ErrorKind::Unreadable, format!("{path} is not readable"));
        let Blob::Bytes(bytes) = workspace.view.read(&path, DOCUMENT_LIMIT) else { return Err(unreadable()) };
        Self::parse(workspace, name, path, bytes)
    }

    /// Parses a definition, for example the snapshot of a run.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if it has errors.
    pub fn parse(workspace: &Workspace, name: String, path: RepoPath, bytes: Vec<u8>) -> Result<Self, Error> {
        let loaded = Self::parse_checked(workspace, name, path, bytes)?;
        loaded.require_valid(workspace)?;
        Ok(loaded)
    }

    /// Parses a definition whose content was checked before. The rules take most of the time of a look at a run: they compile
    /// the built-in schema.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if the team's schemas cannot be read.
    pub fn parse_checked(workspace: &Workspace, name: String, path: RepoPath, bytes: Vec<u8>) -> Result<Self, Error> {
        let schemas = load::schemas(&workspace.view, &workspace.layout)?;
        // The files that a snapshot names are beside the workflow.
        let beside = workspace.layout.workflows().join(format!("{name}.yaml").as_str());
        let workflow = Workflow::parse(beside, Blob::Bytes(bytes.clone()), &schemas)
            .with_files(&workspace.layout, &|path| workspace.view.read(path, DOCUMENT_LIMIT));
        Ok(Self { name, path, bytes, workflow })
    }

    fn require_valid(&self, workspace: &Workspace) -> Result<(), Error> {
        let full = workspace.view.full(&self.path);
        let mut errors = rules::check(&self.workflow);
        errors.retain(|finding| workspace.severity(finding, Profile::default()) == Severity::Error);
        errors.sort_by_key(|finding| finding.location.span);
        if let Some(first) = errors.first() {
            let at = first.location.position;
            let more = if errors.len() > 1 { format!(" (and {} more)", errors.len() - 1) } else { String::new() };
            let message = format!("{full}:{}:{}: {}{more}", at.line, at.column, first.message);
            return Err(Error::new(ErrorKind::Unreadable, message).help(format!("run `canonry check {full}`")));
        }
        match self.workflow.document.as_ref().map(|document| &document.content) {
            Ok(WorkflowContent::Definition(_)) => Ok(()),
            _ => Err(Error::new(ErrorKind::Unreadable, format!("{full} is not a workflow"))
                .help(format!("run `canonry check {full}`"))),
        }
    }

    /// The definition.
    ///
    /// # Errors
    /// The file is not a workflow, which [`Self::load`] has reported already.
    pub fn definition(&self) -> Result<&WorkflowDefinition, Error> {
        let document = self.workflow.document.as_ref().ok();
        document
            .and_then(|document| document.definition())
            .ok_or_else(|| Error::new(ErrorKind::Unreadable, format!("{} is not a workflow", self.path)))
    }

    /// The root of the document.
    pub fn root(&self) -> Option<&Node> {
        Some(&self.workflow.document.as_ref().ok()?.yaml.as_ref().ok()?.root)
    }

    /// The id that names the definition's content, as git would.
    ///
    /// # Errors
    /// See [`content_id`].
    pub fn id(&self) -> Result<String, Error> {
        content_id(&self.bytes)
    }

    /// The values of the parameters: those given, those of `config.yaml` beside the workflow, and the defaults.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] if a parameter has no value, or a given one is unknown.
    pub fn parameters(
        &self,
        workspace: &Workspace,
        given: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, Error> {
        let declared = &self.definition()?.parameters;
        let mut values = config_values(workspace, &self.path, &self.name);
        let usage = |message: String| Error::new(ErrorKind::Usage, message);
        for (name, value) in given {
            if !declared.iter().any(|parameter| parameter.name.text == *name) && !values.contains_key(name) {
                let names: Vec<&str> = declared.iter().map(|parameter| parameter.name.text.as_str()).collect();
                let help = if names.is_empty() {
                    "it has no parameters; the task is given as an argument".to_owned()
                } else {
                    format!("its parameters are {}", names.join(", "))
                };
                return Err(usage(format!("the workflow `{}` has no parameter `{name}`", self.name)).help(help));
            }
            values.insert(name.clone(), value.clone());
        }
        for parameter in declared {
            let name = &parameter.name.text;
            match &parameter.default {
                _ if values.contains_key(name) => {}
                Some(default) => {
                    values.insert(name.clone(), default.text.clone());
                }
                None => {
                    let message = format!("the parameter `{name}` of the workflow `{}` has no value", self.name);
                    return Err(usage(message).help(format!("add `--param {name}=VALUE`")));
                }
            }
        }
        Ok(values)
    }
}

/// The id of a content.
///
/// # Errors
/// [`ErrorKind::Internal`] for a content that was made to collide with another one.
pub(super) fn content_id(bytes: &[u8]) -> Result<String, Error> {
    let id = gix::objs::compute_hash(gix::hash::Kind::Sha1, gix::objs::Kind::Blob, bytes);
    id.map(|id| id.to_string()).map_err(|e| Error::new(ErrorKind::Internal, e.to_string()))
}

/// The names and paths of all workflows.
pub(crate) fn names(workspace: &Workspace) -> Result<BTreeMap<String, RepoPath>, Error> {
    let mut found = BTreeMap::new();
    for entry in workspace.view.list(&workspace.layout.workflows(), IgnoreMode::Include)?.entries() {
        let name = entry.path.file_name_lossy();
        let Some(stem) = [".yaml", ".yml"].iter().find_map(|extension| name.strip_suffix(extension)) else { continue };
        if stem != "config" && entry.path.parent().is_some_and(|folder| folder == workspace.layout.workflows()) {
            found.entry(stem.to_owned()).or_insert(entry.path);
        }
    }
    Ok(found)
}

fn find(workspace: &Workspace, name: Option<&str>) -> Result<(String, RepoPath), Error> {
    let all = names(workspace)?;
    let names: Vec<&str> = all.keys().map(String::as_str).collect();
    let folder = workspace.view.full(&workspace.layout.workflows());
    let default = workspace.layout.workflows().join("config.yaml");
    let default = config_values(workspace, &default, "").remove("default_workflow");
    let name = match (name.or(default.as_deref().filter(|_| names.len() > 1)), names.as_slice()) {
        (_, []) => {
            let message = format!("there is no workflow in {folder}");
            return Err(Error::new(ErrorKind::Unreadable, message).help(format!("add one as {folder}/<name>.yaml")));
        }
        (Some(name), _) => name.rsplit('/').next().unwrap_or(name),
        (None, [name]) => name,
        (None, names) => {
            let message = format!("there are {} workflows: name one", names.len());
            let help = format!("the workflows are {}; `default_workflow` in {folder}/config.yaml", names.join(", "));
            return Err(Error::new(ErrorKind::Usage, message).help(format!("{help} names one for all commands")));
        }
    };
    let bare = [".yaml", ".yml"].iter().find_map(|extension| name.strip_suffix(extension)).unwrap_or(name);
    if let Some(path) = all.get(bare) {
        return Ok((bare.to_owned(), path.clone()));
    }
    let help = match closest_match(bare, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the workflows are {}", names.join(", ")),
    };
    Err(Error::new(ErrorKind::Unreadable, format!("there is no workflow `{bare}`")).help(help))
}

/// The values in `config.yaml` beside the workflow: its scalars, then those below the workflow's name.
fn config_values(workspace: &Workspace, workflow: &RepoPath, name: &str) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    let Some(folder) = workflow.parent() else { return values };
    for file in ["config.yaml", "config.yml"] {
        let Blob::Bytes(bytes) = workspace.view.read(&folder.join(file), DOCUMENT_LIMIT) else { continue };
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let Ok(document) = yaml::parse(&text, 0) else { continue };
        add_scalars(&document.root, &mut values);
        if let Some(own) = document.root.get(name) {
            add_scalars(own, &mut values);
        }
        break;
    }
    values
}

fn add_scalars(node: &Node, values: &mut BTreeMap<String, String>) {
    let Some(mapping) = node.as_mapping() else { return };
    for entry in &mapping.entries {
        if let NodeValue::Scalar(scalar) = &entry.value.value {
            values.insert(entry.key.clone(), scalar.text.clone());
        }
    }
}
