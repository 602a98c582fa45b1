//! What is done at each event.

use super::found::{Found, find};
use crate::canon::stamp::Stamp;
use crate::canon::templates;
use crate::cli::context::Context;
use crate::cli::env::{Env, Out};
use crate::cli::log;
use crate::config::{Fail, LogWhat, Stop};
use crate::memory::briefing::{Sources, assemble};
use crate::memory::failing;
use crate::protocol::answer::{self, Event};
use crate::protocol::outcome::{Outcome, episode, session};
use crate::protocol::{Call, Tool, Verdict, judge};
use crate::syntax::RepoPath;
use crate::syntax::secrets::without_secrets;
use crate::view::Basis;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// What is asked.
pub struct Asked<'a> {
    /// By which tool.
    pub tool: Tool,
    /// At which event.
    pub event: Event,
    /// At what time, where it is given.
    pub now: Option<&'a str>,
    /// The surroundings.
    pub env: &'a Env,
}

/// The answer to an event.
pub fn answer(asked: &Asked<'_>, input: &Value, out: &mut Out<'_>) -> Option<Value> {
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
    match asked.event {
        Event::PreTool => before(asked, input, (&found, &cwd), out),
        Event::PostTool | Event::Failure => after(asked, input, (&found, &cwd), out),
        Event::SessionStart => begin(asked, &found),
        Event::Stop => stop(asked, input, &found),
    }
}

/// Says on stderr what could not be done, and to the tool what the config has for that.
pub fn cannot(asked: &Asked<'_>, found: Option<&Found>, why: &str, out: &mut Out<'_>) -> Option<Value> {
    out.remark(&format!("canonry hook: {why}\n"));
    let closed = found.is_some_and(|found| found.config.hooks.fail == Fail::Closed && found.has_canon());
    if closed && asked.event == Event::PreTool {
        return Some(answer::denied(asked.tool, &format!("the hook cannot do its work: {why}")));
    }
    nothing(asked)
}

/// What is said where nothing is to be said.
fn nothing(asked: &Asked<'_>) -> Option<Value> {
    answer::silence(asked.tool, asked.event)
}

/// The folder that the call is made in.
fn folder(env: &Env, input: &Value) -> PathBuf {
    let text = |key: &str| input.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let first = |key: &str| input.get(key)?.get(0)?.as_str();
    let given = text("cwd").or_else(|| first("workspace_roots")).or_else(|| first("workspacePaths"));
    given.map_or_else(|| env.cwd.clone(), |given| env.cwd.join(given))
}

fn before(asked: &Asked<'_>, input: &Value, (found, cwd): (&Found, &Path), out: &mut Out<'_>) -> Option<Value> {
    let Some(call) = Call::of_input(asked.tool, input) else {
        return cannot(asked, Some(found), "the event names no tool", out);
    };
    let policy = found.policy();
    let ruling = judge(&call, &policy, &found.surroundings(cwd));
    if ruling.verdict < Verdict::Ask
        && let Some(trouble) = policy.troubles.first()
    {
        return cannot(asked, Some(found), trouble, out);
    }
    policy.troubles.iter().for_each(|trouble| out.remark(&format!("canonry hook: {trouble}\n")));
    answer::ruling(asked.tool, &ruling, found.config.hooks.allow)
}

fn after(asked: &Asked<'_>, input: &Value, (found, cwd): (&Found, &Path), out: &mut Out<'_>) -> Option<Value> {
    let call = Call::of_input(asked.tool, input)?;
    let outcome = Outcome::of(asked.event, input);
    let is_worth_it = match &outcome {
        Outcome::Interrupted => false,
        Outcome::Failure(_) => true,
        Outcome::Success if found.config.hooks.log == LogWhat::All => true,
        Outcome::Success => judge(&call, &found.policy(), &found.surroundings(cwd)).verdict == Verdict::Ask,
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
    let env = Env { cwd: found.top.clone(), ..asked.env.clone() };
    let context = Context::open(&env, &Basis::WorkTree).map_err(|error| error.message)?;
    log::record(&context, row).map_err(|error| error.message)
}

fn begin(asked: &Asked<'_>, found: &Found) -> Option<Value> {
    let layout = &found.layout;
    let part = |path: RepoPath| {
        let text = found.text(&path).ok().flatten()?;
        Some((path.to_display(), without_secrets(&text)))
    };
    let own = |(_, text): &(String, String)| text.trim() != templates::WORKSPACE.trim();
    let failures = now(asked).map(|now| failing::recent(&log_end(found), now)).unwrap_or_default();
    let sources = Sources {
        map: part(layout.map()),
        lessons: part(layout.lessons()),
        workspace: part(layout.workspace()).filter(own),
        failures,
    };
    let reading = assemble(&sources, found.config.hooks.budget);
    if reading.text.is_empty() { nothing(asked) } else { answer::context(asked.tool, reading.text.trim_end()) }
}

fn stop(asked: &Asked<'_>, input: &Value, found: &Found) -> Option<Value> {
    let again = input.get("stop_hook_active") == Some(&Value::Bool(true))
        || input.get("loop_count").and_then(Value::as_u64).is_some_and(|count| count > 0);
    let Some(session) = session(input).filter(|_| !again && found.config.hooks.stop == Stop::Remind) else {
        return nothing(asked);
    };
    let count = failing::in_session(&log_end(found), session);
    if count == 0 {
        return nothing(asked);
    }
    let times = if count == 1 { "One call".to_owned() } else { format!("{count} calls") };
    let text = format!(
        "{times} failed in this session. Before you stop: what is to be learnt from it, log in a sentence with `canonry log \
         --action … --result failure --reflection …`, and bring {} up to date.",
        found.layout.workspace()
    );
    answer::reminder(asked.tool, &text)
}

fn now(asked: &Asked<'_>) -> Option<Stamp> {
    asked.now.map_or_else(|| Some(Stamp::of(jiff::Timestamp::now())), Stamp::parse)
}

fn log_end(found: &Found) -> Vec<u8> {
    log::end_of(&found.top.join(found.layout.log().to_display()))
}
