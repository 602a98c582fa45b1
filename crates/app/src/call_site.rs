//! Where a tool call is made, and which policy applies there: that of the repository around it, of the session's project, or only
//! the built-in guards.

use crate::Environment;
use crate::plain_repository::PlainRepository;
use canonry_guard::{CallContext, CallPart, CallVerdict, Policy, ToolCall, Verdict, evaluate};
use serde_json::Value;
use std::path::{Component, Path, PathBuf};

/// Other repositories that are protected besides the one with the policy.
const MAX_OTHERS: usize = 4;

/// The place of a call.
pub struct CallSite {
    /// The repository whose policy applies. It may have no canon; then only the built-in guards apply.
    pub repository: PlainRepository,
    /// The current directory of the call.
    pub cwd: PathBuf,
    /// The directory that the call itself names, otherwise the same.
    own_cwd: PathBuf,
    /// Other repositories of the session: around the current directory, and the tool's workspace directories.
    others: Vec<PlainRepository>,
}

impl CallSite {
    /// Finds the place of a call from the event of a tool. The first repository with a canon counts: around the call's
    /// directory, the project directory that the tool names in the environment, the directory of the process, and each
    /// workspace directory.
    pub fn find(env: &Environment, event: &Value, call: Option<&ToolCall>) -> Self {
        let session = without_dots(&session_directory(env, event));
        let cwd = match call {
            Some(ToolCall::Shell { cwd: Some(cwd), .. }) => without_dots(&session.join(cwd)),
            _ => session.clone(),
        };
        let roots = workspace_directories(event).map(|root| env.cwd.join(root));
        let starts = [cwd.clone(), session.clone()];
        let starts = starts.into_iter().chain(env.project_dirs.iter().cloned()).chain([env.cwd.clone()]).chain(roots);
        let mut found: Vec<PlainRepository> = Vec::new();
        let mut visited: Vec<PathBuf> = Vec::new();
        for start in starts.filter(|start| start.is_absolute()).map(|start| without_dots(&start)) {
            if visited.contains(&start) {
                continue;
            }
            for repository in PlainRepository::around(&start, env) {
                if !found.iter().any(|known| known.top == repository.top) {
                    found.push(repository);
                }
            }
            visited.push(start);
        }
        let policy_at = found.iter().position(PlainRepository::has_canon).unwrap_or_default();
        let mut others = found;
        let repository = if others.is_empty() {
            PlainRepository::outside(&top_outside(env, &cwd), env)
        } else {
            others.remove(policy_at)
        };
        others.truncate(MAX_OTHERS);
        Self { repository, cwd: session, own_cwd: cwd, others }
    }

    /// The place of a call that a user makes in the current directory.
    pub fn here(env: &Environment) -> Self {
        Self::find(env, &Value::Null, None)
    }

    /// The verdict on a call. Each other repository is protected by the built-in guards and its own policy too.
    pub fn evaluate(&self, call: &ToolCall, policy: &Policy, env: &Environment) -> CallVerdict {
        let context = self.context(&self.repository, env);
        let mut verdict = evaluate(call, policy, &context);
        for other in &self.others {
            let judged = evaluate(call, &other.policy_for(call), &self.context(other, env));
            let denied = judged.parts.into_iter().filter_map(denied_part);
            let parts = std::mem::take(&mut verdict.parts).into_iter().chain(denied).collect();
            verdict = CallVerdict::from_parts(parts);
        }
        verdict
    }

    fn context(&self, repository: &PlainRepository, env: &Environment) -> CallContext {
        let mut context = repository.call_context(&self.cwd, env.home.as_deref());
        let tops = self.others.iter().chain([&self.repository]).map(|other| &other.top);
        context.roots.others =
            tops.filter(|top| **top != repository.top).map(|top| top.to_string_lossy().into_owned()).collect();
        context.branch = self.nearest().branch();
        let state = env.state.as_ref().map(|state| state.join("canonry"));
        let config = env.user_config.as_deref().and_then(Path::parent).map(Path::to_owned);
        context.own_folders =
            state.into_iter().chain(config).map(|folder| folder.to_string_lossy().into_owned()).collect();
        context
    }

    /// The repository around the current directory, whose branch git works on.
    fn nearest(&self) -> &PlainRepository {
        let around = self.others.iter().chain([&self.repository]).filter(|other| self.own_cwd.starts_with(&other.top));
        around.max_by_key(|other| other.top.components().count()).unwrap_or(&self.repository)
    }
}

/// A part with only the reasons that deny it; `None` if there are none.
fn denied_part(part: CallPart) -> Option<CallPart> {
    let reasons: Vec<_> = part.reasons.into_iter().filter(|reason| reason.verdict == Verdict::Deny).collect();
    (!reasons.is_empty()).then(|| CallPart::new(part.text, Verdict::Unlisted, reasons))
}

/// The directory of the session, as the event names it.
fn session_directory(env: &Environment, event: &Value) -> PathBuf {
    let named = event.get("cwd").and_then(Value::as_str).filter(|text| !text.is_empty());
    let directory = named.or_else(|| workspace_directories(event).next());
    directory.map_or_else(|| env.cwd.clone(), |directory| env.cwd.join(directory))
}

/// A path without `.` and `..`, whose ancestors are then the folders around it.
fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(clean.pop()),
            part => clean.push(part),
        }
    }
    clean
}

/// The directories that are open in the tool: `workspace_roots` of Cursor, `workspacePaths` of Antigravity.
fn workspace_directories(event: &Value) -> impl Iterator<Item = &str> {
    let lists = ["workspace_roots", "workspacePaths"].into_iter().filter_map(|key| event.get(key)?.as_array());
    lists.flatten().filter_map(Value::as_str).filter(|text| !text.is_empty())
}

/// The directory that counts as the project outside of any repository: the tool's project directory around the call, otherwise the
/// current directory. A home, a directory above one, and `/` are no projects.
fn top_outside(env: &Environment, cwd: &Path) -> PathBuf {
    let project = env.project_dirs.iter().find(|dir| cwd.starts_with(dir)).map_or(cwd, PathBuf::as_path);
    let is_home = env.home.as_ref().is_some_and(|home| home.starts_with(project));
    if is_home || !project.is_absolute() || project.components().count() <= 2 {
        return PathBuf::from("/");
    }
    project.to_owned()
}
