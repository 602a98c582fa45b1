//! What an agent is given to read when its session begins, and before it stops.

use super::asked::{Asked, cannot, nothing};
use super::found::Found;
use crate::app::Error;
use crate::app::recorded;
use crate::apply::reminded::{remind, reminded};
use crate::canon::Layout;
use crate::canon::timestamp::Timestamp;
use crate::cli::assemble::gather::{Wish, before_stop, gather, map};
use crate::cli::assemble::shelf::Shelf;
use crate::cli::log;
use crate::cli::output::Out;
use crate::config::{Config, StopReminder};
use crate::memory::context::{Part, assemble};
use crate::memory::failing;
use crate::protocol::HookTool;
use crate::protocol::outcome::{comes_again, session, was_ended};
use crate::protocol::response;
use crate::syntax::RepoPath;
use serde_json::Value;
use std::cell::RefCell;

/// Bytes at the end of the log from which the episodes are chosen that a session begins with: some two thousand rows. To
/// weigh more of them takes longer than a hook has.
const REACH: usize = 512 << 10;

/// The canon on the bare disk, and of the log its end. What cannot be read is noted and counts as empty: the rest is to
/// be read all the same.
struct OnDisk<'a> {
    found: &'a Found,
    troubles: RefCell<Vec<String>>,
}

impl Shelf for OnDisk<'_> {
    fn layout(&self) -> &Layout {
        &self.found.layout
    }

    fn config(&self) -> &Config {
        &self.found.config
    }

    fn document(&self, path: &RepoPath) -> Result<String, Error> {
        let bytes = self.found.read(path).unwrap_or_else(|why| {
            self.troubles.borrow_mut().push(why);
            None
        });
        Ok(recorded::plain(&bytes.unwrap_or_default()))
    }

    fn log(&self) -> Result<Vec<u8>, Error> {
        Ok(log_end(self.found))
    }

    fn reach(&self) -> usize {
        REACH
    }
}

/// The answer where a session begins.
pub fn begin(asked: &Asked<'_>, input: &Value, found: &Found, out: &Out<'_>) -> Option<Value> {
    // Antigravity has no such event: it is the first of those before each request to the model.
    if asked.tool == HookTool::Antigravity && input.get("invocationNum").and_then(Value::as_u64) != Some(0) {
        return nothing(asked);
    }
    let Some(now) = now(asked) else { return cannot(asked, Some(found), "`--now` is no time", out) };
    let text = read(found, out, |shelf| {
        let mut parts = gather(shelf, &Wish { task: "", now })?;
        parts.extend(map(shelf)?);
        Ok(parts)
    });
    match text {
        Ok(text) if text.is_empty() => nothing(asked),
        Ok(text) => Some(response::session_context(asked.tool, &text)),
        Err(error) => cannot(asked, Some(found), &error.message, out),
    }
}

/// The answer where an agent is about to stop. It is reminded once of each failure, and goes on but once for that.
pub fn stop(asked: &Asked<'_>, input: &Value, found: &Found, out: &Out<'_>) -> Option<Value> {
    let wanted = found.config.hooks.stop == StopReminder::Remind && !comes_again(input) && !was_ended(input);
    let Some(session) = session(input).filter(|_| wanted) else { return nothing(asked) };
    let Some(now) = now(asked) else { return cannot(asked, Some(found), "`--now` is no time", out) };
    let log = log_end(found);
    let failed = failing::in_session(&log, session);
    if failed.is_empty() {
        return nothing(asked);
    }
    let told = match reminded(&found.git_dir, session) {
        Ok(told) => told,
        Err(e) => return cannot(asked, Some(found), &unknown(&e), out),
    };
    // Antigravity does not say whether a stop comes again: its agent is held up once a session.
    if told.is_some_and(|told| asked.tool == HookTool::Antigravity || told >= failed.len()) {
        return nothing(asked);
    }
    let text = read(found, out, |shelf| before_stop(shelf, now, reminder(found, failed.len()), &failed));
    match text {
        Ok(text) if text.is_empty() => nothing(asked),
        Ok(text) => match remind(&found.git_dir, session, failed.len()) {
            Ok(()) => Some(response::stop_reminder(asked.tool, &text)),
            Err(e) => cannot(asked, Some(found), &unknown(&e), out),
        },
        Err(error) => cannot(asked, Some(found), &error.message, out),
    }
}

/// What fits of it; what could not be read is said on stderr.
fn read(
    found: &Found,
    out: &Out<'_>,
    gathered: impl FnOnce(&OnDisk<'_>) -> Result<Vec<Part>, Error>,
) -> Result<String, Error> {
    let shelf = OnDisk { found, troubles: RefCell::default() };
    let parts = gathered(&shelf)?;
    shelf.troubles.into_inner().iter().for_each(|trouble| out.remark(&format!("canonry hook: {trouble}\n")));
    Ok(assemble(parts, found.config.hooks.budget).text.trim_end().to_owned())
}

fn reminder(found: &Found, count: usize) -> String {
    let times = if count == 1 { "One call".to_owned() } else { format!("{count} calls") };
    format!(
        "{times} failed in this session. Before you stop: what is to be learnt from it, log in a sentence with `canonry log \
         --action … --result failure --reflection …`, and bring {} up to date.",
        found.layout.workspace()
    )
}

/// Nobody is held up where it cannot be told whether that has been done before.
fn unknown(error: &std::io::Error) -> String {
    format!("whether this session was reminded cannot be noted: {error}")
}

fn now(asked: &Asked<'_>) -> Option<Timestamp> {
    asked.now.map_or_else(|| Some(Timestamp::from(jiff::Timestamp::now())), Timestamp::parse)
}

fn log_end(found: &Found) -> Vec<u8> {
    log::end_of(&found.top.join(found.layout.log().to_display()))
}
