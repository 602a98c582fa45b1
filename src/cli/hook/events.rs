//! What is done at each event.

use super::asked::{Asked, cannot, nothing};
use super::found::{Found, find};
use super::reading::{begin, stop};
use crate::app::Environment;
use crate::app::Workspace;
use crate::cli::log;
use crate::cli::output::Out;
use crate::config::HookLogScope;
use crate::protocol::outcome::{CallOutcome, episode};
use crate::protocol::response::{self, HookEvent};
use crate::protocol::{HookTool, ToolCall, Verdict, evaluate};
use crate::view::Basis;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// The answer to an event.
pub fn answer(asked: &Asked<'_>, input: &Value, out: &Out<'_>) -> Option<Value> {
    let cwd = folder(asked.env, input);
    let found = match find(&cwd, asked.env.user_config.as_deref()) {
        Ok(Some(found)) if found.has_canon() => found,
        Ok(Some(found)) => {
            let why = format!("there is no canon: {} has no folder `{}`", found.top.display(), found.layout.root());
            return cannot(asked, None, &why, out);
        }
        Ok(None) => return cannot(asked, None, &format!("{} is not in a git repository", cwd.display()), out),
        Err(e) => return cannot(asked, None, &format!("{}: {e}", cwd.display()), out),
    };
    if is_told_twice(asked, input, &found) {
        return nothing(asked);
    }
    match asked.event {
        HookEvent::PreTool => before(asked, input, (&found, &cwd), out),
        HookEvent::PostTool | HookEvent::Failure => after(asked, input, (&found, &cwd), out),
        HookEvent::SessionStart => begin(asked, input, &found, out),
        HookEvent::Stop => stop(asked, input, &found, out),
    }
}

/// Cursor runs Claude Code's hooks beside its own: where it has ours, only they log and remind. A call is judged by both,
/// which comes to the same.
fn is_told_twice(asked: &Asked<'_>, input: &Value, found: &Found) -> bool {
    let by_cursor = asked.tool == HookTool::Claude && input.get("cursor_version").is_some();
    by_cursor && asked.event != HookEvent::PreTool && found.config.files.cursor.hooks
}

/// The folder that the call is made in.
fn folder(env: &Environment, input: &Value) -> PathBuf {
    let text = |key: &str| input.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let first = |key: &str| input.get(key)?.get(0)?.as_str();
    let given = text("cwd").or_else(|| first("workspace_roots")).or_else(|| first("workspacePaths"));
    given.map_or_else(|| env.cwd.clone(), |given| env.cwd.join(given))
}

fn before(asked: &Asked<'_>, input: &Value, (found, cwd): (&Found, &Path), out: &Out<'_>) -> Option<Value> {
    let Some(call) = ToolCall::from_hook_input(asked.tool, input) else {
        return cannot(asked, Some(found), "the event names no tool", out);
    };
    let policy = found.policy();
    let ruling = evaluate(&call, &policy, &found.surroundings(cwd));
    if ruling.verdict < Verdict::Ask
        && let Some(trouble) = policy.troubles.first()
    {
        return cannot(asked, Some(found), trouble, out);
    }
    policy.troubles.iter().for_each(|trouble| out.remark(&format!("canonry hook: {trouble}\n")));
    response::verdict_response(asked.tool, &ruling, found.config.hooks.allow)
}

fn after(asked: &Asked<'_>, input: &Value, (found, cwd): (&Found, &Path), out: &Out<'_>) -> Option<Value> {
    let call = ToolCall::from_hook_input(asked.tool, input)?;
    let outcome = CallOutcome::from_hook_input(asked.event, input);
    let is_worth_it = match &outcome {
        CallOutcome::Interrupted => false,
        CallOutcome::Failure(_) => true,
        CallOutcome::Success if found.config.hooks.log == HookLogScope::All => true,
        CallOutcome::Success => evaluate(&call, &found.policy(), &found.surroundings(cwd)).verdict == Verdict::Ask,
    };
    if is_worth_it && let Err(why) = write_down(asked, found, episode(asked.tool, &call, &outcome, input)) {
        return cannot(asked, Some(found), &why, out);
    }
    nothing(asked)
}

/// As `canonry log` does.
fn write_down(asked: &Asked<'_>, found: &Found, mut row: Map<String, Value>) -> Result<(), String> {
    if let Some(now) = asked.now {
        row.insert("timestamp".to_owned(), now.into());
    }
    let env = Environment { cwd: found.top.clone(), ..asked.env.clone() };
    let context = Workspace::open(&env, &Basis::WorkTree).map_err(|error| error.message)?;
    log::record(&context, row).map_err(|error| error.message)
}
