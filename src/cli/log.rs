//! `canonry log`

use super::output::Out;
use super::status::Status;
use crate::app::Environment;
use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::apply::log_file::append;
use crate::canon::episode::Episode;
use crate::canon::schema::SchemaFile;
use crate::canon::schema::{SchemaKind, Schemas};
use crate::canon::timestamp::Timestamp;
use crate::memory::failing;
use crate::mirror::MirrorRoot;
use crate::rules::violations::describe;
use crate::syntax::{json, secrets};
use crate::view::{Basis, load};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::fs::File;
use std::io::{IsTerminal as _, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Characters of `detail` that are kept.
const DETAIL: usize = 500;
/// Characters of `context` that are kept.
const CONTEXT: usize = 300;
/// The pain of a failure that a hook saw.
const HOOK_FAILURE: u8 = 8;
/// Bytes of an episode on stdin that are read at most.
const INPUT: u64 = 16 << 20;

/// Append an episode to the memory log
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Prints nothing on success. Any number of processes can log at the same time, even during a dream.\n\
                  Example: canonry log --skill deploy-check --action 'rolled back the release' --result failure \\\n           \
                  --reflection 'the smoke test must run before traffic moves'"
)]
pub struct Args {
    /// What was done, in one line; episodes of a skill form a pattern if their actions start alike
    #[arg(short, long, value_name = "TEXT", required_unless_present = "json")]
    action: Option<String>,
    /// Skill that was used
    #[arg(short, long, value_name = "NAME")]
    skill: Option<String>,
    /// Result: success, failure, or any other text
    #[arg(short, long, value_name = "TEXT")]
    result: Option<String>,
    /// What happened in detail; cut after 500 characters
    #[arg(short, long, value_name = "TEXT")]
    detail: Option<String>,
    /// Pain, 1 to 10 [default: 2 for a success, 7 for a failure, 5 otherwise]
    #[arg(short, long, value_name = "N", visible_alias = "pain-score")]
    pain: Option<f64>,
    /// Importance, 1 to 10 [default: 5]
    #[arg(short, long, value_name = "N")]
    importance: Option<f64>,
    /// What to learn from it; a recurring pattern becomes a lesson with this text
    #[arg(long, value_name = "TEXT")]
    reflection: Option<String>,
    /// Violated constraint, quoted from the skill's KNOWLEDGE.md; it becomes a lesson for all skills
    #[arg(long, value_name = "TEXT")]
    violated: Option<String>,
    /// Task that it was part of; cut after 300 characters
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// Id of the episode
    #[arg(long, value_name = "TEXT")]
    id: Option<String>,
    /// Time of the episode, RFC 3339 [default: now]
    #[arg(long, value_name = "TIME", visible_alias = "now")]
    timestamp: Option<String>,
    /// Episode as a JSON object, or `-` to read it from stdin; the other options override its keys
    #[arg(long, value_name = "JSON", num_args = 0..=1, default_missing_value = "-")]
    json: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &Args, env: &Environment, _out: &Out<'_>) -> Result<Status, Error> {
    let context = Workspace::open(env, &Basis::WorkTree)?;
    context.require_canon()?;
    record(&context, given(args)?)?;
    Ok(Status::Done)
}

/// Appends a row to the log: without secrets, no longer than its limits, with what it does not say, and held against the
/// schemas.
///
/// # Errors
/// A row that no dream could read, a log that is a link, or that cannot be written.
pub(crate) fn record(context: &Workspace, mut episode: Map<String, Value>) -> Result<(), Error> {
    let log = context.layout.log();
    let at = context.view.on_disk(&log).unwrap_or_default();
    redact(&mut episode);
    limit(&mut episode);
    defaults(&mut episode, &at);
    let line = serde_json::to_string(&Value::Object(ordered(episode))).map_err(|e| unusable(e.to_string()))?;
    valid(context, &line)?;
    let folder = log.parent().unwrap_or_default();
    if context.view.root(&folder) != MirrorRoot::Folder || context.view.link_text(&log).is_some() {
        return Err(Error::new(ErrorKind::Unreadable, format!("{log}: the log, or a folder above it, is a link"))
            .help("put the real file or folder in its place"));
    }
    append(context.repo()?.git_dir(), &at, line.as_bytes())?;
    Ok(())
}

fn unusable(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unreadable, message)
}

/// What the arguments say; they take precedence over `--json`.
fn given(args: &Args) -> Result<Map<String, Value>, Error> {
    let mut given = args.json.as_deref().map_or_else(|| Ok(Map::new()), object)?;
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            given.insert(key.to_owned(), value);
        }
    };
    let text = |value: &Option<String>| value.clone().map(Value::from);
    put("timestamp", args.timestamp.as_deref().map(stamp).transpose()?);
    put("id", text(&args.id));
    put("skill", text(&args.skill));
    put("action", text(&args.action));
    put("result", text(&args.result));
    put("detail", text(&args.detail));
    put("pain_score", args.pain.map(number));
    put("importance", args.importance.map(number));
    put("reflection", text(&args.reflection));
    put("violated", text(&args.violated));
    put("context", text(&args.context));
    Ok(given)
}

/// The keys in the order in which people read them, those that are unknown last.
fn ordered(mut given: Map<String, Value>) -> Map<String, Value> {
    let mut ordered = Map::new();
    for key in ["timestamp", "id", "skill", "action", "result", "detail", "pain_score", "importance", "reflection"] {
        ordered.extend(given.shift_remove_entry(key));
    }
    ordered.extend(given);
    ordered
}

/// Takes secrets out of every text.
fn redact(episode: &mut Map<String, Value>) {
    for (_, value) in episode.iter_mut() {
        redact_value(value);
    }
}

fn redact_value(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(redacted) = secrets::redact(text) {
                *text = redacted;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact_value),
        Value::Object(map) => redact(map),
        _ => {}
    }
}

/// `8` rather than `8.0`, as people and other programs write it.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 1e15 { json!(value as i64) } else { json!(value) }
}

fn stamp(text: &str) -> Result<Value, Error> {
    let told = || Error::new(ErrorKind::Usage, format!("`--timestamp {text}`: this is no time"));
    Timestamp::parse(text)
        .map(|_| Value::from(text))
        .ok_or_else(|| told().help("write it as RFC 3339 does, such as 2026-05-01T03:00:00Z"))
}

fn object(given: &str) -> Result<Map<String, Value>, Error> {
    let mut text = given.to_owned();
    if given == "-" {
        if std::io::stdin().is_terminal() {
            return Err(Error::new(ErrorKind::Usage, "`--json` reads an episode from stdin, which is a terminal")
                .help("pipe one JSON object into it, or name it: --json '{\"action\": …}'"));
        }
        text.clear();
        let read = std::io::stdin().lock().take(INPUT + 1).read_to_string(&mut text);
        read.map_err(|e| unusable(format!("stdin: {e}")))?;
        if text.len() as u64 > INPUT {
            return Err(unusable("stdin: an episode has at most 16 MiB"));
        }
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(unusable("`--json`: an episode is one JSON object")),
        Err(e) => Err(unusable(format!("`--json`: this is not one JSON object: {e}"))),
    }
}

fn limit(episode: &mut Map<String, Value>) {
    for (key, limit) in [("detail", DETAIL), ("context", CONTEXT)] {
        if let Some(Value::String(text)) = episode.get_mut(key)
            && let Some((end, _)) = text.char_indices().nth(limit)
        {
            text.truncate(end);
        }
    }
}

/// What a row does not say. A failure hurts most where its skill keeps failing.
fn defaults(episode: &mut Map<String, Value>, log: &Path) {
    let now = || Value::from(Timestamp::from(jiff::Timestamp::now()).to_string());
    let at = episode.entry("timestamp").or_insert_with(now).as_str().and_then(Timestamp::parse);
    let failed = episode.get("result").and_then(Value::as_str) == Some("failure");
    let pain = match episode.get("result").and_then(Value::as_str) {
        Some("success") => 2,
        Some("failure") => 7,
        _ => 5,
    };
    let hook_or_none = episode.get("pain_score").is_none_or(|pain| *pain == json!(HOOK_FAILURE));
    if let (true, true, Some(at)) = (failed, hook_or_none, at)
        && keeps_failing(episode, at, log)
    {
        episode.insert("pain_score".to_owned(), json!(10));
        episode.insert("flag".to_owned(), "rewrite".into());
    }
    episode.entry("pain_score").or_insert_with(|| json!(pain));
    episode.entry("importance").or_insert_with(|| json!(5));
}

/// Whether this failure of a skill is at least the third of late.
fn keeps_failing(episode: &Map<String, Value>, at: Timestamp, log: &Path) -> bool {
    let Some(skill) = episode.get("skill").and_then(Value::as_str) else { return false };
    let before = failing::recent_of(&end_of(log), skill, at);
    before + 1 >= failing::FAILURES
}

/// The last rows of a log.
pub(crate) fn end_of(log: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let Ok(mut file) = File::open(log) else { return bytes };
    let length = file.metadata().map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 });
    // A byte more than is looked through says whether the first row is whole.
    let most = failing::TAIL as u64 + 1;
    let _ = file.seek(SeekFrom::Start(length.saturating_sub(most)));
    let _ = file.take(length.min(most)).read_to_end(&mut bytes);
    let cut = bytes.len() - failing::end(&bytes, failing::TAIL).len();
    bytes.drain(..cut);
    bytes
}

/// What a dream could not read, or the built-in schema or the team's refuse, is not logged.
fn valid(context: &Workspace, line: &str) -> Result<(), Error> {
    let refused = |why: String| {
        unusable(format!("the episode was not logged: {why}")).help("`canonry log --help` says what belongs in it")
    };
    let document = json::parse(line, 0).map_err(|e| refused(e.message))?;
    let violations = schemas(context).validate(SchemaKind::Episode, &document.root);
    if let Some(violation) = violations.first() {
        let by = violation.team.as_ref().map(|path| format!(" ({path})")).unwrap_or_default();
        return Err(refused(format!("{}{by}", describe(violation))));
    }
    Episode::parse(line.as_bytes()).map(|_| ()).map_err(|bad| refused(bad.to_string()))
}

/// The team's schema alone is read: not every file of the canon.
fn schemas(context: &Workspace) -> Schemas {
    let mut schemas = Schemas::default();
    let path = context.layout.schemas().join("episode-schema.json");
    let file: Option<SchemaFile> = load::schema_file(&context.view, &path);
    if let Some(validator) = file.and_then(|file| file.schema.ok()) {
        schemas.add_team(SchemaKind::Episode, path, validator);
    }
    schemas
}
