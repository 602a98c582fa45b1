//! Exports a plan for an engine that a team already runs.

use super::load::LoadedPlan;
use crate::{Error, ErrorKind, Workspace, generated_file};
use canonry_model::canon::Layout;
use canonry_repo::apply::standalone_file::{self, PathContent};
use canonry_runs::plan::export::{ExportError, ExportHeader, export, header_of, is_same, is_unedited};
pub use canonry_runs::plan::export::{ExportOptions, ExportTarget};
use canonry_text::RepoPath;
use std::path::{Path, PathBuf};

/// Plan and format of an export.
#[derive(Clone, Debug)]
pub struct ExportPlanRequest {
    /// The plan's id; the only plan by default.
    pub plan: Option<String>,
    /// The engine.
    pub to: ExportTarget,
    /// Inputs of the export besides the plan. What is not set is taken from the file that is replaced.
    pub options: ExportOptions,
    /// The file to write, relative to the current folder; `None` to return the text only.
    pub output: Option<PathBuf>,
}

/// The export.
#[derive(Clone, Debug)]
pub struct ExportPlanOutcome {
    /// Its text.
    pub text: String,
    /// Whether the file had this text already; `None` if no file was written.
    pub unchanged: Option<bool>,
    /// Whether `check` finds the written file.
    pub is_checked: bool,
}

/// Exports the plan, and writes the file. A file is replaced only if it is an export that nobody edited.
///
/// # Errors
/// The plan is not found or has errors; [`ErrorKind::Usage`] if the engine needs another option; [`ErrorKind::Refused`] if the
/// engine cannot express the plan, or if the file is something else.
pub fn run(workspace: &Workspace, request: &ExportPlanRequest) -> Result<ExportPlanOutcome, Error> {
    let loaded = LoadedPlan::load(workspace, request.plan.as_deref())?;
    if !workspace.view.base().is_empty() && request.to != ExportTarget::Json {
        let message = "a plan in the canon of a nested folder can be exported as JSON only";
        return Err(Error::new(ErrorKind::Refused, message));
    }
    let target = request.output.as_ref().map(|path| workspace.env.cwd.join(path));
    let before = target.as_deref().map(existing).transpose()?.flatten();
    let earlier = before.as_deref().and_then(header_of).filter(|header| header.to == request.to);
    let mut options = merged(&request.options, earlier.map(|header| header.options).unwrap_or_default());
    if request.to == ExportTarget::GithubActions {
        options.version = Some(env!("CARGO_PKG_VERSION").to_owned());
    }
    let header = ExportHeader {
        plan: loaded.id.clone(),
        path: workspace.view.full(&loaded.plan.path).to_display(),
        to: request.to,
        options,
        digest: String::new(),
    };
    let text = export(&header, &loaded.document()?.steps).map_err(|error| explained(&error))?;
    let Some(target) = target else { return Ok(ExportPlanOutcome { text, unchanged: None, is_checked: false }) };
    let unchanged = before.as_deref().is_some_and(|before| is_same(before, &text));
    if !unchanged {
        generated_file::write(&target, text.as_bytes())?;
    }
    let is_checked = workspace.inside(&target).is_ok_and(|path| is_checked_place(&path, &workspace.layout));
    Ok(ExportPlanOutcome { text, unchanged: Some(unchanged), is_checked })
}

/// Whether `check` looks for exports in the folder of a file.
pub(crate) fn is_checked_place(path: &RepoPath, layout: &Layout) -> bool {
    path.parent().is_some_and(|folder| checked_folders(layout).contains(&folder))
}

/// The folders in which `check` looks for exports.
pub(crate) fn checked_folders(layout: &Layout) -> [RepoPath; 2] {
    [RepoPath::from(".github/workflows"), layout.exports()]
}

/// The export in a file that may be replaced; `None` if there is no file.
fn existing(path: &Path) -> Result<Option<String>, Error> {
    let refused =
        |what: &str, help: &str| Err(Error::new(ErrorKind::Refused, format!("{} {what}", path.display())).help(help));
    let bytes = match standalone_file::read_path(path)? {
        PathContent::Nothing => return Ok(None),
        PathContent::File { bytes, .. } if bytes.is_empty() => return Ok(None),
        PathContent::File { bytes, .. } => bytes,
        _ => return refused("is not a file", "choose another file"),
    };
    match String::from_utf8(bytes) {
        Ok(text) if is_unedited(&text) => Ok(Some(text)),
        Ok(text) if header_of(&text).is_some() => {
            refused("was edited since canonry wrote it", "move it away, or write to another file and compare them")
        }
        _ => refused("exists and was not written by canonry", "choose another file, or move that one away"),
    }
}

fn merged(options: &ExportOptions, earlier: ExportOptions) -> ExportOptions {
    let options = options.clone();
    ExportOptions {
        version: None,
        runs_on: options.runs_on.or(earlier.runs_on),
        image: options.image.or(earlier.image),
        repository: options.repository.or(earlier.repository),
        secrets: if options.secrets.is_empty() { earlier.secrets } else { options.secrets },
        timeout: options.timeout.or(earlier.timeout),
    }
}

fn explained(error: &ExportError) -> Error {
    let (kind, help) = match error {
        ExportError::TooManyJobs(_) => {
            (ErrorKind::Refused, "split the plan, or export it with `--to argo` or `--to json`")
        }
        ExportError::NoSteps => (ErrorKind::Refused, "add a step first"),
        ExportError::ArgoTag(_) => (ErrorKind::Refused, "rename it"),
        ExportError::Secret(_) => (ErrorKind::Usage, "name secrets such as ANTHROPIC_API_KEY"),
        ExportError::NoImage => {
            (ErrorKind::Usage, "add `--image IMAGE` with canonry, git and the workers' tools, and `--repository URL`")
        }
    };
    Error::new(kind, error.to_string()).help(help)
}
