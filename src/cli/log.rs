//! `canonry log`

use super::output::Out;
use super::status::Status;
use canonry_app::log::{self, LogEpisodeRequest, LoggedFields, parse_episode};
use canonry_app::{Environment, Error, ErrorKind, Workspace};
use std::io::{IsTerminal as _, Read as _};

/// The maximum size of an episode on stdin.
const MAX_INPUT: u64 = 16 << 20;

/// Append an episode to the memory log
#[derive(Debug, clap::Args)]
#[command(after_help = "Prints nothing on success.\n\nExample:\n  \
                  canonry log --skill deploy-check --action 'rolled back the release' \\\n    \
                  --result failure --reflection 'run the smoke test before traffic moves'")]
pub struct LogEpisodeArgs {
    /// Action taken, in one line; equal actions of a skill form a pattern
    #[arg(short, long, value_name = "TEXT", required_unless_present = "json")]
    action: Option<String>,
    /// Skill
    #[arg(short, long, value_name = "NAME")]
    skill: Option<String>,
    /// Result: success, failure, or other text
    #[arg(short, long, value_name = "TEXT")]
    result: Option<String>,
    /// Details, up to 500 characters
    #[arg(short, long, value_name = "TEXT")]
    detail: Option<String>,
    /// Pain, 1 to 10 [default: success 2, failure 7, else 5]
    #[arg(short, long, value_name = "N", visible_alias = "pain-score")]
    pain: Option<f64>,
    /// Importance, 1 to 10 [default: 5]
    #[arg(short, long, value_name = "N")]
    importance: Option<f64>,
    /// Lesson to learn if the action recurs
    #[arg(long, value_name = "TEXT")]
    reflection: Option<String>,
    /// Violated constraint of the skill's KNOWLEDGE.md
    #[arg(long, value_name = "TEXT")]
    violated: Option<String>,
    /// Task, up to 300 characters
    #[arg(long, value_name = "TEXT")]
    context: Option<String>,
    /// Id of the episode
    #[arg(long, value_name = "TEXT")]
    id: Option<String>,
    /// Time, as RFC 3339 [default: now]
    #[arg(long, value_name = "TIME", visible_alias = "now")]
    timestamp: Option<String>,
    /// Episode as JSON, or `-` for stdin; other options override its keys
    #[arg(long, value_name = "JSON", num_args = 0..=1, default_missing_value = "-")]
    json: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// See [`Error`].
pub fn run(args: &LogEpisodeArgs, env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let workspace = Workspace::open_canon(env)?;
    let episode = match args.json.as_deref() {
        None => serde_json::Map::new(),
        Some("-") => parse_episode(&read_stdin()?)?,
        Some(text) => parse_episode(text)?,
    };
    log::run(&workspace, &LogEpisodeRequest { episode, fields: args.fields(), ..LogEpisodeRequest::default() }, out)?;
    Ok(Status::Done)
}

impl LogEpisodeArgs {
    fn fields(&self) -> LoggedFields {
        LoggedFields {
            timestamp: self.timestamp.clone(),
            id: self.id.clone(),
            skill: self.skill.clone(),
            action: self.action.clone(),
            result: self.result.clone(),
            detail: self.detail.clone(),
            pain_score: self.pain,
            importance: self.importance,
            reflection: self.reflection.clone(),
            violated: self.violated.clone(),
            context: self.context.clone(),
        }
    }
}

fn read_stdin() -> Result<String, Error> {
    let unreadable = |message: String| Error::new(ErrorKind::Unreadable, message);
    if std::io::stdin().is_terminal() {
        return Err(Error::new(ErrorKind::Usage, "`--json` reads an episode from stdin, which is a terminal")
            .help("pipe a JSON object into it, or pass one: --json '{\"action\": …}'"));
    }
    let mut text = String::new();
    let read = std::io::stdin().lock().take(MAX_INPUT + 1).read_to_string(&mut text);
    read.map_err(|e| unreadable(format!("stdin: {e}")))?;
    if text.len() as u64 > MAX_INPUT {
        return Err(unreadable("stdin: the episode is larger than 16 MiB".to_owned()));
    }
    Ok(text)
}
