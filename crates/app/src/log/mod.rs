//! Appends an episode to the log.

mod pending;

pub use pending::take_pending;

use crate::memory_files::{read_log_tail, refuse_linked_log};
use crate::{Error, ErrorKind, Progress, Workspace};
use canonry_lint::violations::describe;
use canonry_memory::failures::{REWRITE_THRESHOLD, recent_failures_of};
use canonry_model::canon::episode::{Episode, is_failure};
use canonry_model::canon::schema::{SchemaKind, Schemas};
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::apply::log_file::append;
use canonry_repo::git::worktrees::checkout_of;
use canonry_repo::view::load;
use canonry_text::{json, secrets};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// Characters of `detail` in the log.
const MAX_DETAIL: usize = 500;
/// Characters of `context` in the log.
const MAX_CONTEXT: usize = 300;
/// Characters of either that are searched for secrets.
const MAX_SEARCHED: usize = 16_384;
/// The pain score of a failure that a hook logged.
const HOOK_FAILURE_PAIN: u8 = 8;
/// The order of the known keys in a row.
const KEY_ORDER: [&str; 9] =
    ["timestamp", "id", "skill", "action", "result", "detail", "pain_score", "importance", "reflection"];

/// An episode to append.
#[derive(Clone, Debug, Default)]
pub struct LogEpisodeRequest {
    /// The episode as a JSON object. It may have keys that canonry does not know.
    pub episode: Map<String, Value>,
    /// Fields that override keys of `episode`.
    pub fields: LoggedFields,
    /// Where the row goes.
    pub to: LogDestination,
    /// Maximum wait for the log's lock; without limit if `None`.
    pub wait: Option<Duration>,
}

/// Where a row goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogDestination {
    /// The log.
    #[default]
    Log,
    /// The pending log, so that the work tree stays as it is.
    PendingLog,
}

/// The known fields of an episode; `None` leaves a field unset.
#[derive(Clone, Debug, Default)]
pub struct LoggedFields {
    /// When it happened, RFC 3339. The current time if the episode has none.
    pub timestamp: Option<String>,
    /// The id.
    pub id: Option<String>,
    /// The skill that was used.
    pub skill: Option<String>,
    /// The action, in one line.
    pub action: Option<String>,
    /// `success`, `failure`, or any other text.
    pub result: Option<String>,
    /// Detailed description of the event. Cut after 500 characters.
    pub detail: Option<String>,
    /// 1 to 10. By default 2 for a success, 7 for a failure, 5 otherwise; 10 for a skill that keeps failing.
    pub pain_score: Option<f64>,
    /// 1 to 10. 5 by default.
    pub importance: Option<f64>,
    /// Lesson to learn from it.
    pub reflection: Option<String>,
    /// The violated constraint, quoted from the skill's `KNOWLEDGE.md`.
    pub violated: Option<String>,
    /// The task it was part of. Cut after 300 characters.
    pub context: Option<String>,
}

/// The appended row.
#[derive(Clone, Debug)]
pub struct LoggedEpisode {
    /// The row as written, without its line ending.
    pub row: String,
}

/// Appends an episode: with secrets redacted, long fields cut, defaults filled in, and validated against the schemas.
///
/// In the work tree of an attempt, it goes to the pending log, because in the log it would be part of the step's change. If the
/// pending log cannot be written, for example in a sandbox, the run collects the row from the log of the tree.
///
/// # Errors
/// [`ErrorKind::Usage`] for an invalid timestamp; [`ErrorKind::Unreadable`] if the episode is invalid or the log is a link;
/// [`ErrorKind::Internal`] if the log cannot be written.
pub fn run(
    workspace: &Workspace,
    request: &LogEpisodeRequest,
    _progress: &dyn Progress,
) -> Result<LoggedEpisode, Error> {
    let is_attempt = workspace.repo().is_ok_and(|repo| checkout_of(repo.git_dir()).is_some());
    if request.to == LogDestination::PendingLog || is_attempt {
        let logged = append_pending(workspace, request);
        if logged.is_ok() || !is_attempt {
            return logged;
        }
    }
    append_to(workspace, request)
}

fn append_to(workspace: &Workspace, request: &LogEpisodeRequest) -> Result<LoggedEpisode, Error> {
    workspace.top()?;
    let path = workspace.view.on_disk(&workspace.layout.log()).expect("the top is on disk");
    let row = build_row(workspace, request)?;
    refuse_linked_log(workspace)?;
    append(workspace.repo()?.git_dir(), &path, row.as_bytes(), request.wait)?;
    Ok(LoggedEpisode { row })
}

fn append_pending(workspace: &Workspace, request: &LogEpisodeRequest) -> Result<LoggedEpisode, Error> {
    let none = || Error::new(ErrorKind::Unreadable, "these files are in no work tree of a git repository");
    let pending = workspace.pending_log().ok_or_else(none)?;
    let row = build_row(workspace, request)?;
    pending.append(row.as_bytes(), request.wait)?;
    Ok(LoggedEpisode { row })
}

fn build_row(workspace: &Workspace, request: &LogEpisodeRequest) -> Result<String, Error> {
    let mut episode = request.episode.clone();
    request.fields.apply(&mut episode)?;
    if request.fields.action.as_deref().is_some_and(|action| action.trim().is_empty()) {
        return Err(Error::new(ErrorKind::Usage, "`--action` is empty").help("say in one line what was done"));
    }
    shorten_before_redaction(&mut episode);
    secrets::redact_object(&mut episode);
    cut_long_fields(&mut episode);
    fill_defaults(&mut episode, workspace);
    let row = serde_json::to_string(&Value::Object(in_order(episode)))
        .map_err(|e| Error::new(ErrorKind::Unreadable, e.to_string()))?;
    validate(workspace, &row)?;
    Ok(row)
}

/// Parses an episode given as JSON.
///
/// # Errors
/// [`ErrorKind::Unreadable`] if the text is not one JSON object.
pub fn parse_episode(text: &str) -> Result<Map<String, Value>, Error> {
    let reason = match serde_json::from_str(text) {
        Ok(Value::Object(episode)) => return Ok(episode),
        Ok(_) => "expected one JSON object".to_owned(),
        Err(e) => format!("expected one JSON object: {e}"),
    };
    Err(Error::new(ErrorKind::Unreadable, format!("`--json`: {reason}")))
}

impl LoggedFields {
    fn apply(&self, episode: &mut Map<String, Value>) -> Result<(), Error> {
        if let Some(text) = &self.timestamp
            && Timestamp::parse(text).is_none()
        {
            return Err(Error::new(ErrorKind::Usage, format!("`--timestamp {text}`: invalid time"))
                .help("use RFC 3339, for example 2026-05-01T03:00:00Z"));
        }
        let text = |value: &Option<String>| value.clone().map(Value::from);
        let fields = [
            ("timestamp", text(&self.timestamp)),
            ("id", text(&self.id)),
            ("skill", text(&self.skill)),
            ("action", text(&self.action)),
            ("result", text(&self.result)),
            ("detail", text(&self.detail)),
            ("pain_score", self.pain_score.map(number)),
            ("importance", self.importance.map(number)),
            ("reflection", text(&self.reflection)),
            ("violated", text(&self.violated)),
            ("context", text(&self.context)),
        ];
        for (key, value) in fields {
            if let Some(value) = value {
                episode.insert(key.to_owned(), value);
            }
        }
        Ok(())
    }
}

/// `8` rather than `8.0`, as people and other programs write it.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 { json!(value as i64) } else { json!(value) }
}

/// Puts the known keys in their usual order, before the unknown ones.
fn in_order(mut episode: Map<String, Value>) -> Map<String, Value> {
    let mut ordered = Map::new();
    for key in KEY_ORDER {
        ordered.extend(episode.shift_remove_entry(key));
    }
    ordered.extend(episode);
    ordered
}

/// Shortens long output before it is searched for secrets, so that a hook stays fast. Only a few hundred characters are kept
/// later. The cut is far behind these, and between words, so that no part of a secret stays.
fn shorten_before_redaction(episode: &mut Map<String, Value>) {
    for key in ["detail", "context"] {
        if let Some(Value::String(text)) = episode.get_mut(key)
            && let Some((end, _)) = text.char_indices().nth(MAX_SEARCHED)
        {
            let end = text[..end].rfind(char::is_whitespace).unwrap_or(end);
            text.truncate(end);
        }
    }
}

fn cut_long_fields(episode: &mut Map<String, Value>) {
    for (key, limit) in [("detail", MAX_DETAIL), ("context", MAX_CONTEXT)] {
        if let Some(Value::String(text)) = episode.get_mut(key)
            && let Some((end, _)) = text.char_indices().nth(limit)
        {
            text.truncate(end);
        }
    }
}

/// Fills in the fields that the episode does not have. A failure of a skill that keeps failing gets the highest pain score and
/// a flag.
fn fill_defaults(episode: &mut Map<String, Value>, workspace: &Workspace) {
    let now = || Value::from(workspace.env.clock.now().to_string());
    let at = episode.entry("timestamp").or_insert_with(now).as_str().and_then(Timestamp::parse);
    // One word for all failures, which the rest of canonry looks for.
    let failed = episode.get("result").and_then(Value::as_str).is_some_and(is_failure);
    if failed {
        episode.insert("result".to_owned(), "failure".into());
    }
    let result = episode.get("result").and_then(Value::as_str);
    let pain = match result {
        Some("success") => 2,
        Some("failure") => 7,
        _ => 5,
    };
    let has_default_pain = episode.get("pain_score").is_none_or(|pain| *pain == json!(HOOK_FAILURE_PAIN));
    if let (true, true, Some(at)) = (failed, has_default_pain, at)
        && keeps_failing(episode, at, workspace)
    {
        episode.insert("pain_score".to_owned(), json!(10));
        episode.insert("flag".to_owned(), "rewrite".into());
    }
    episode.entry("pain_score").or_insert_with(|| json!(pain));
    episode.entry("importance").or_insert_with(|| json!(5));
}

/// Whether the skill has failed often enough recently, including this failure.
fn keeps_failing(episode: &Map<String, Value>, at: Timestamp, workspace: &Workspace) -> bool {
    let Some(skill) = episode.get("skill").and_then(Value::as_str) else { return false };
    let log = read_log_tail(&workspace.view, &workspace.layout.log(), workspace.pending_log().as_ref());
    recent_failures_of(&log, skill, at) + 1 >= REWRITE_THRESHOLD
}

/// Refuses a row that a dream could not read, or that the built-in schema or the team's does not allow.
fn validate(workspace: &Workspace, row: &str) -> Result<(), Error> {
    let refused = |reason: String| {
        Error::new(ErrorKind::Unreadable, format!("the episode was not logged: {reason}"))
            .help("run `canonry log --help` for the fields of an episode")
    };
    let document = json::parse(row, 0).map_err(|e| refused(e.message))?;
    let violations = episode_schemas(workspace).validate(SchemaKind::Episode, &document.root);
    if let Some(violation) = violations.first() {
        let schema = violation.team.as_ref().map(|path| format!(" ({path})")).unwrap_or_default();
        return Err(refused(format!("{}{schema}", describe(violation))));
    }
    Episode::parse(row.as_bytes()).map(|_| ()).map_err(|error| refused(error.to_string()))
}

/// The built-in schemas and the team's episode schema, unless that is invalid, which `check` reports. Other schemas are not read:
/// hooks log often.
fn episode_schemas(workspace: &Workspace) -> Schemas {
    let mut schemas = Schemas::default();
    let path = workspace.layout.schemas().join("episode-schema.json");
    if let Some(validator) = load::schema_file(&workspace.view, &path).and_then(|file| file.schema.ok()) {
        schemas.add_team(SchemaKind::Episode, path, validator);
    }
    schemas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_of_long_output_is_searched_for_secrets() {
        for (unit, is_worded) in [("password=hunter2 and more ", true), ("x9Kd83hFq02LmZpW7vTy", false)] {
            let detail = unit.repeat(400_000);
            let mut episode = Map::from_iter([("detail".to_owned(), Value::from(detail.as_str()))]);
            shorten_before_redaction(&mut episode);
            let short = episode["detail"].as_str().unwrap();
            assert!(short.len() <= MAX_SEARCHED && short.len() > MAX_SEARCHED - unit.len(), "{}", short.len());
            // No word is cut in two.
            assert_eq!(detail[short.len()..].starts_with(' '), is_worded);
        }
        let mut episode = Map::from_iter([("detail".to_owned(), Value::from("short"))]);
        shorten_before_redaction(&mut episode);
        assert_eq!(episode["detail"], "short");
    }
}
