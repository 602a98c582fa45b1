//! The context that an agent reads at the start of a session, and the reminder before it stops.

use super::root_instructions::loads_root_instructions;
use super::{EventHandler, unreadable};
use crate::consolidation::run_log::read_nights;
use crate::context::{
    ContextReader, Gathered, LogRange, UnreadableFiles, gather, gather_in_progress, gather_map, gather_stop_reminder,
};
use crate::memory_files::{read_document, read_log_tail};
use crate::plain_repository::PlainRepository;
use crate::{Error, ErrorKind};
use canonry_guard::outcome::{session, stops_again, was_interrupted};
use canonry_guard::response::{self, HookResponse};
use canonry_memory::context::assemble;
use canonry_memory::failures::failures_in_session;
use canonry_memory::review::{ReviewQueue, waiting_message};
use canonry_model::canon::timestamp::Timestamp;
use canonry_model::config::{HookFormat, StopReminder};
use canonry_repo::apply::reminders::{record_reminder, reminded_failures};
use canonry_repo::exec::group::belongs_to_worker;
use canonry_repo::git::worktrees::checkout_of;
use canonry_repo::view::{DiskSource, View};
use serde_json::Value;
use std::sync::Arc;

/// Length of the end of the log, in bytes, from which the episodes of a session's context are selected: about 2,000 rows.
/// Ranking more of them takes longer than a hook has.
const LOG_TAIL: usize = 512 << 10;

impl EventHandler<'_> {
    /// Start of a session: answers with the context that the agent reads first.
    pub(super) fn start_session(&mut self) -> Result<HookResponse, Error> {
        // Antigravity has no such event. Its first request to the model is used instead.
        let tool = self.request.tool;
        if tool.hooks.format == HookFormat::Antigravity
            && self.input.get("invocationNum").and_then(Value::as_u64) != Some(0)
        {
            return Ok(self.request.no_opinion());
        }
        let now = self.now()?;
        let top = self.repository().top.clone();
        let home = self.environment.home.as_deref();
        let text = self.assemble(|reader| {
            let task = gather_in_progress(reader);
            let title = task.as_ref().map_or("", |task| &task.title);
            let mut gathered = gather(reader, title, now)?;
            match task {
                Ok(task) => gathered.sections.extend(task.sections),
                Err(error) => gathered.warnings.push(error.message),
            }
            if !loads_root_instructions(reader.view, reader.layout, tool.row, &top, home) {
                gathered.extend(gather_map(reader)?);
            }
            Ok(gathered)
        })?;
        let policy = self.repository().policy();
        let mut news = self.remind_of_trust(&policy);
        let git_dir = self.repository().git_dir.clone();
        if let Some(git_dir) = git_dir {
            let problems = read_nights(&git_dir, now).map(|nights| nights.problems());
            news.extend(problems.unwrap_or_else(|error| vec![error.message]));
        }
        news.extend(waiting_candidates(self.repository()));
        if text.is_empty() && news.is_empty() {
            return Ok(self.request.no_opinion());
        }
        Ok(response::session_context(tool, &text, &news.join("\n")))
    }

    /// Before an agent stops: reminds it to log what it learned from failed calls. Reminds at most once per failure, and
    /// never twice in a row. A worker is never reminded: its answer to the reminder would replace its report.
    pub(super) fn stop(&mut self) -> Result<HookResponse, Error> {
        let tool = self.request.tool;
        let is_wanted = self.repository().config.hooks.stop == StopReminder::Remind
            && !stops_again(self.input)
            && !was_interrupted(self.input);
        let Some(session) = session(self.input).filter(|_| is_wanted) else { return Ok(self.request.no_opinion()) };
        let now = self.now()?;
        let log = log_tail(self.repository());
        let failed = failures_in_session(&log, session);
        // Reminders are recorded in the git directory.
        let Some(git_dir) = self.repository().git_dir.clone() else { return Ok(self.request.no_opinion()) };
        if failed.is_empty() || checkout_of(&git_dir).is_some() || belongs_to_worker() {
            return Ok(self.request.no_opinion());
        }
        // Without a record of past reminders, a reminder could hold an agent up forever.
        let unrecorded = |e: std::io::Error| {
            Error::new(ErrorKind::Internal, format!("cannot record that this session was reminded: {e}"))
        };
        let previous = reminded_failures(&git_dir, session).map_err(unrecorded)?;
        // Antigravity does not say whether an agent stops again, so it is reminded once per session.
        if previous.is_some_and(|count| tool.hooks.format == HookFormat::Antigravity || count >= failed.len()) {
            return Ok(self.request.no_opinion());
        }
        let reminder = reminder(self.repository(), failed.len());
        let text = self.assemble(|reader| gather_stop_reminder(reader, now, reminder, &failed))?;
        if text.is_empty() {
            return Ok(self.request.no_opinion());
        }
        record_reminder(&git_dir, session, failed.len()).map_err(unrecorded)?;
        Ok(response::stop_reminder(tool, &text))
    }

    /// The context within the budget. Unreadable files become notices, so that the agent still gets the rest.
    fn assemble(
        &mut self,
        gather: impl FnOnce(&ContextReader<'_>) -> Result<Gathered, Error>,
    ) -> Result<String, Error> {
        let budget = self.repository().config.hooks.budget;
        if budget == 0 {
            return Ok(String::new());
        }
        let view = View::new(Arc::new(DiskSource::new(&self.repository().top)));
        let reader = ContextReader {
            view: &view,
            layout: &self.repository().layout,
            memory: &self.repository().config.memory,
            log: LogRange::Tail(LOG_TAIL),
            pending: self.repository().pending_log(),
            unreadable: UnreadableFiles::Warn,
            budget,
            env: self.environment,
            outdated: Vec::new(),
        };
        let Gathered { sections, warnings } = gather(&reader)?;
        self.notices.extend(warnings);
        Ok(assemble(sections, budget).text.trim_end().to_owned())
    }

    fn now(&self) -> Result<Timestamp, Error> {
        match &self.request.now {
            None => Ok(self.environment.clock.now()),
            Some(text) => {
                Timestamp::parse(text).ok_or_else(|| unreadable(format!("`--now {text}` is not an RFC 3339 time")))
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

/// The longest review queue whose candidates are counted when a session starts, in bytes: about 4,000 candidates.
const COUNTED_QUEUE: usize = 1 << 20;

/// Number of candidates that wait for a decision, if any. A queue that cannot be read is a finding of `check`.
fn waiting_candidates(repository: &PlainRepository) -> Option<String> {
    let view = View::new(Arc::new(DiskSource::new(&repository.top)));
    let queue = read_document(&view, &repository.layout.review()).ok()?;
    if queue.len() > COUNTED_QUEUE {
        return Some("The review queue is long: run `canonry memory review`.".to_owned());
    }
    let waiting = ReviewQueue::parse(&queue).pending().count();
    (waiting > 0).then(|| waiting_message(waiting))
}

/// The end of the log and of the pending log, to which the hooks of a repository append. In the work tree of an attempt, the log is
/// that of the run's checkout, to which the pending rows move.
pub(super) fn log_tail(repository: &PlainRepository) -> Vec<u8> {
    let checkout = repository.git_dir.as_deref().and_then(checkout_of);
    let view = View::new(Arc::new(DiskSource::new(checkout.as_deref().unwrap_or(&repository.top))));
    read_log_tail(&view, &repository.layout.log(), repository.pending_log().as_ref())
}
