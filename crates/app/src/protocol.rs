//! `protocol explain`: the decision that a hook would make about a tool call, and the entries behind it.

use crate::call_site::CallSite;
use crate::plain_repository::PlainRepository;
use crate::skills::remote::origin::Origins;
use crate::{Environment, Error, ErrorKind};
pub use canonry_guard::{CallVerdict, ToolCall};
pub use canonry_model::config::HookTool;
use canonry_repo::view::DiskSource;
use canonry_text::RepoPath;
use serde_json::Value;
use std::collections::BTreeSet;

/// The decision about a call.
#[derive(Debug)]
pub struct CallExplanation {
    /// The call.
    pub call: ToolCall,
    /// The decision and its reasons.
    pub verdict: CallVerdict,
    /// Whether there is a canon; otherwise only the built-in guards decide.
    pub has_policy: bool,
    /// Files behind the decision that come from another canon: the path, and where it comes from.
    pub origins: Vec<(String, String)>,
    /// Settings that do not count.
    pub notes: Vec<String>,
    /// Files of the protocols that cannot be read, and why. The decision ignores them.
    pub problems: Vec<String>,
}

/// Parses a tool call as a tool passes it to its hook: `{"tool_name": …, "tool_input": …}`.
///
/// # Errors
/// It is not JSON, or names no tool.
pub fn parse_call(tool: HookTool, json: &str) -> Result<ToolCall, Error> {
    let invalid = |message: String| Error::new(ErrorKind::Unreadable, format!("`--tool-call`: {message}"));
    let value: Value = serde_json::from_str(json).map_err(|e| invalid(format!("invalid JSON: {e}")))?;
    ToolCall::from_hook_input(tool, &value).ok_or_else(|| {
        invalid("it names no tool".to_owned())
            .help("write {\"tool_name\": \"Edit\", \"tool_input\": {\"file_path\": …}}")
    })
}

/// Explains the decision about a call.
///
/// # Errors
/// An invalid config.
pub fn explain(environment: &Environment, call: ToolCall) -> Result<CallExplanation, Error> {
    let mut site = CallSite::find(environment, &Value::Null, Some(&call));
    if let Some(error) = site.repository.config_error.take() {
        return Err(error);
    }
    let policy = site.repository.policy_for(&call);
    let verdict = site.evaluate(&call, &policy, environment);
    let has_policy = site.repository.has_canon();
    let origins = origins(&site.repository, &verdict);
    let problems = policy.problems();
    let notes = policy.untrusted.into_iter().map(|file| file.message).collect();
    Ok(CallExplanation { call, verdict, has_policy, origins, notes, problems })
}

fn origins(repository: &PlainRepository, verdict: &CallVerdict) -> Vec<(String, String)> {
    let known = Origins::read(&DiskSource::new(&repository.top), &repository.layout);
    let reasons = verdict.parts.iter().flat_map(|part| &part.reasons);
    let paths: BTreeSet<&str> = reasons.filter_map(|reason| Some(reason.location.as_ref()?.path.as_str())).collect();
    let described = paths.into_iter().map(|path| (path, known.describe(&RepoPath::from(path))));
    described.filter_map(|(path, origin)| Some((path.to_owned(), origin?))).collect()
}

/// The repository of the current directory, with a canon and a valid config.
pub(super) fn find_repository(environment: &Environment) -> Result<PlainRepository, Error> {
    let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
    let cwd = environment.cwd.display();
    let mut repository = PlainRepository::find(&environment.cwd, environment)
        .ok_or_else(|| unreadable(format!("`{cwd}` is not in a git repository")))?;
    if let Some(error) = repository.config_error.take() {
        return Err(error);
    }
    if !repository.has_canon() {
        let message = format!("no canon: `{}` is no canon's directory", repository.layout.root());
        return Err(unreadable(message)
            .help("run `canonry init`, or set `root:` in canonry.yaml if the canon is in another directory"));
    }
    Ok(repository)
}
