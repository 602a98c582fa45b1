//! The context that an agent reads at the start of a session, and the reminder before it stops.

use super::{Answer, EventHandler, Failure};
use crate::app::Error;
use crate::app::plain_repository::PlainRepository;
use crate::app::recorded;
use crate::apply::reminders::{record_reminder, reminded_failures};
use crate::canon::Layout;
use crate::canon::timestamp::Timestamp;
use crate::cli::assemble::gather::{Wish, before_stop, gather, map};
use crate::cli::assemble::shelf::Shelf;
use crate::config::{Config, StopReminder};
use crate::memory::context::{Part, assemble};
use crate::memory::failing;
use crate::protocol::HookTool;
use crate::protocol::outcome::{comes_again, session, was_ended};
use crate::protocol::response;
use crate::syntax::RepoPath;
use serde_json::Value;
use std::cell::RefCell;

/// Length of the end of the log, in bytes, from which the episodes of a session's context are selected: about 2,000 rows.
/// Ranking more of them takes longer than a hook has.
const LOG_TAIL: usize = 512 << 10;

/// The canon on the plain disk, with only the end of its log. An unreadable file counts as empty and is noted, so that the
/// agent still gets the rest.
struct PlainCanon<'a> {
    repository: &'a PlainRepository,
    problems: RefCell<Vec<String>>,
}

impl Shelf for PlainCanon<'_> {
    fn layout(&self) -> &Layout {
        &self.repository.layout
    }

    fn config(&self) -> &Config {
        &self.repository.config
    }

    fn document(&self, path: &RepoPath) -> Result<String, Error> {
        let bytes = self.repository.read(path).unwrap_or_else(|error| {
            self.problems.borrow_mut().push(error.to_string());
            None
        });
        Ok(recorded::plain(&bytes.unwrap_or_default()))
    }

    fn log(&self) -> Result<Vec<u8>, Error> {
        Ok(log_tail(self.repository))
    }

    fn reach(&self) -> usize {
        LOG_TAIL
    }
}

impl EventHandler<'_> {
    /// Start of a session: answers with the context that the agent reads first.
    pub(super) fn start_session(&mut self) -> Answer {
        // Antigravity has no such event. Its first request to the model stands for it.
        let tool = self.request.tool;
        if tool == HookTool::Antigravity && self.input.get("invocationNum").and_then(Value::as_u64) != Some(0) {
            return Ok(self.request.no_opinion());
        }
        let now = self.now()?;
        let text = self.assemble(|canon| {
            let mut parts = gather(canon, &Wish { task: "", now })?;
            parts.extend(map(canon)?);
            Ok(parts)
        })?;
        Ok(if text.is_empty() { self.request.no_opinion() } else { Some(response::session_context(tool, &text)) })
    }

    /// Before an agent stops: reminds it to log what it learned from failed calls. Reminds at most once per failure, and
    /// never twice in a row.
    pub(super) fn stop(&mut self) -> Answer {
        let tool = self.request.tool;
        let is_wanted = self.repository.config.hooks.stop == StopReminder::Remind
            && !comes_again(self.input)
            && !was_ended(self.input);
        let Some(session) = session(self.input).filter(|_| is_wanted) else { return Ok(self.request.no_opinion()) };
        let now = self.now()?;
        let log = log_tail(&self.repository);
        let failed = failing::in_session(&log, session);
        if failed.is_empty() {
            return Ok(self.request.no_opinion());
        }
        // Without a record of past reminders, a reminder could hold an agent up forever.
        let unrecorded = |e: std::io::Error| Failure::new(format!("cannot record that this session was reminded: {e}"));
        let previous = reminded_failures(&self.repository.git_dir, session).map_err(unrecorded)?;
        // Antigravity does not say whether an agent stops again, so it is reminded once per session.
        if previous.is_some_and(|count| tool == HookTool::Antigravity || count >= failed.len()) {
            return Ok(self.request.no_opinion());
        }
        let reminder = reminder(&self.repository, failed.len());
        let text = self.assemble(|canon| before_stop(canon, now, reminder, &failed))?;
        if text.is_empty() {
            return Ok(self.request.no_opinion());
        }
        record_reminder(&self.repository.git_dir, session, failed.len()).map_err(unrecorded)?;
        Ok(Some(response::stop_reminder(tool, &text)))
    }

    /// The parts that fit into the budget, as text.
    fn assemble(&mut self, parts: impl FnOnce(&PlainCanon<'_>) -> Result<Vec<Part>, Error>) -> Result<String, Failure> {
        let canon = PlainCanon { repository: &self.repository, problems: RefCell::default() };
        let parts = parts(&canon)?;
        self.notices.extend(canon.problems.into_inner());
        Ok(assemble(parts, self.repository.config.hooks.budget).text.trim_end().to_owned())
    }

    fn now(&self) -> Result<Timestamp, Failure> {
        match &self.request.now {
            None => Ok(self.environment.clock.now()),
            Some(text) => {
                Timestamp::parse(text).ok_or_else(|| Failure::new(format!("`--now {text}` is not an RFC 3339 time")))
            }
        }
    }
}

fn reminder(repository: &PlainRepository, count: usize) -> String {
    let calls = if count == 1 { "One call".to_owned() } else { format!("{count} calls") };
    format!(
        "{calls} failed in this session. Before you stop, log the lesson in one sentence with `canonry log --action … \
         --result failure --reflection …`, and update {}.",
        repository.layout.workspace()
    )
}

fn log_tail(repository: &PlainRepository) -> Vec<u8> {
    crate::cli::log::end_of(&repository.path_on_disk(&repository.layout.log()))
}
