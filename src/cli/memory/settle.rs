//! `canonry memory accept` and `canonry memory reject`

use super::queue::{Opponent, Waiting};
use crate::apply::transfer::{Changes, FileChange, PrepareError, Transfer, sweep};
use crate::apply::{ApplyError, Session};
use crate::canon::stamp::Stamp;
use crate::cli::context::Context;
use crate::cli::dream;
use crate::cli::env::{Env, Out};
use crate::cli::error::CliError;
use crate::cli::status::Status;
use crate::cli::when;
use crate::git::commit::{Committed, committer, ready, unoccupied};
use crate::memory::lessons::{self, Addition};
use crate::memory::review::{Entry, Event, Kind, Staged, Standing, Word};
use crate::memory::{Dialect, skillforge};
use crate::syntax::{RepoPath, Span};
use crate::view::{self, Basis, Ignored};

/// The arguments of both.
#[derive(Debug, clap::Args)]
pub struct Settle {
    /// The candidate, by its name or the first characters of it; `canonry memory review` tells the names
    candidate: String,
    /// Why; it is kept with your name
    #[arg(short, long, value_name = "WHY")]
    reason: String,
    /// Leave what was written uncommitted
    #[arg(long)]
    no_commit: bool,
    /// The moment that counts as now, RFC 3339; without a zone it is UTC
    #[arg(long, value_name = "TIME")]
    now: Option<String>,
}

/// The arguments of `canonry memory accept`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "A lesson goes into LESSONS.md with its episodes, a skill into skills/ as a draft that you finish."
)]
pub struct AcceptArgs {
    #[command(flatten)]
    settle: Settle,
    /// The lesson in other words; of a skill, another name
    #[arg(long = "as", value_name = "TEXT")]
    words: Option<String>,
    /// Strike out the lessons that it is opposed to, and reject the candidates that are
    #[arg(long)]
    supersede: bool,
}

/// The arguments of `canonry memory reject`.
#[derive(Debug, clap::Args)]
#[command(after_help = "What was rejected is not found again, whatever is logged.")]
pub struct RejectArgs {
    #[command(flatten)]
    settle: Settle,
}

/// Runs `canonry memory accept`.
///
/// # Errors
/// See [`CliError`].
pub fn accept(args: &AcceptArgs, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    settle(&args.settle, env, out, &|desk, entry| match entry.staged.kind {
        Kind::Lesson => desk.accept_lesson(entry, args),
        Kind::Skill => desk.accept_skill(entry, args.words.as_deref()),
    })
}

/// Runs `canonry memory reject`.
///
/// # Errors
/// See [`CliError`].
pub fn reject(args: &RejectArgs, env: &Env, out: &mut Out<'_>) -> Result<Status, CliError> {
    settle(&args.settle, env, out, &|desk, entry| {
        if let Standing::Rejected(word) = &entry.standing {
            return Ok(Settled::already("rejected", word));
        }
        let events = vec![Event::Rejected(desk.word(&entry.staged, None))];
        Ok(Settled {
            events,
            message: format!("{} rejected: {}", kind(entry), entry.staged.text),
            ..Settled::default()
        })
    })
}

/// What is to be written.
#[derive(Default)]
struct Settled {
    events: Vec<Event>,
    lessons: Option<NewLessons>,
    skill: Option<(RepoPath, String)>,
    message: String,
}

impl Settled {
    /// Nothing is left to do, as after a run that was killed and finished.
    fn already(what: &str, word: &Word) -> Self {
        let message = format!("{} was {what} already, by {}: {}", word.candidate, word.by, word.reason);
        Self { message, ..Self::default() }
    }
}

enum NewLessons {
    Longer(Addition),
    Other(String),
}

/// All that a decision needs to know.
struct Desk<'a> {
    context: &'a Context<'a>,
    session: &'a Session,
    waiting: Waiting,
    by: String,
    reason: String,
    now: Stamp,
}

type Decide<'d> = &'d dyn Fn(&Desk<'_>, &Entry) -> Result<Settled, CliError>;

fn settle(args: &Settle, env: &Env, out: &mut Out<'_>, decide: Decide<'_>) -> Result<Status, CliError> {
    let now = when::now(args.now.as_deref())?;
    if args.reason.trim().is_empty() {
        return Err(CliError::new(Status::Usage, "`--reason` is empty").help("say why, for those who read it later"));
    }
    let context = Context::open(env, &Basis::WorkTree)?;
    context.require_canon()?;
    unoccupied(&context.repo)?;
    if !args.no_commit {
        ready(&context.repo)?;
    }
    let session = Session::begin(&context.git_dir())?;
    dream::finish_earlier(args.no_commit, &context, &session, out)?;
    let waiting = Waiting::read(&context)?;
    let desk = Desk {
        context: &context,
        session: &session,
        waiting,
        by: committer(&context.repo)?,
        reason: args.reason.trim().to_owned(),
        now,
    };
    let entry = desk.waiting.find(&args.candidate)?;
    sweep(&session, &context.view, &dream::folders(&context));
    let settled = decide(&desk, entry)?;
    let commit = desk.write(&settled, args.no_commit)?;
    out.result(&format!("{}\n", settled.message));
    if let Some((path, _)) = &settled.skill {
        out.result(&format!(
            "wrote     {path}\nIt is a draft: finish it, then `canonry check {path}` and `canonry sync`.\n"
        ));
    }
    if let Some(made) = commit {
        out.result(&format!("Committed as {}.\n", made.id.to_hex_with_len(10)));
    }
    Ok(Status::Done)
}

fn kind(entry: &Entry) -> &'static str {
    match entry.staged.kind {
        Kind::Lesson => "lesson",
        Kind::Skill => "skill",
    }
}

fn refused(message: impl Into<String>, help: impl Into<String>) -> CliError {
    CliError::new(Status::Refused, message).help(help)
}

impl Desk<'_> {
    fn word(&self, staged: &Staged, text: Option<String>) -> Word {
        let timestamp = self.now.to_string();
        Word { candidate: staged.candidate.clone(), timestamp, by: self.by.clone(), reason: self.reason.clone(), text }
    }

    fn accept_lesson(&self, entry: &Entry, args: &AcceptArgs) -> Result<Settled, CliError> {
        let staged = &entry.staged;
        let words = args.words.as_deref().map(str::trim).filter(|words| !words.is_empty());
        let text = words.unwrap_or(&staged.text);
        let existing = self.waiting.text(self.context)?;
        let candidates = [staged.candidate(text)];
        let fresh = lessons::fresh(existing, &candidates, Dialect::Repaired);
        if let (Standing::Accepted(word), true) = (&entry.standing, fresh.is_empty()) {
            return Ok(Settled::already("accepted", word));
        }
        let opponents = self.waiting.opponents(text, &staged.candidate, existing);
        if !opponents.is_empty() && !args.supersede {
            return Err(self.opposed(staged, &opponents, existing));
        }
        let mut events = vec![Event::Accepted(self.word(staged, words.map(str::to_owned)))];
        let mut struck: Vec<Span> = Vec::new();
        for opponent in opponents {
            match opponent {
                Opponent::Lesson(_, span) => struck.push(span),
                Opponent::Candidate(name, _) => {
                    let reason = format!("superseded by {}: {}", staged.candidate, self.reason);
                    events.push(Event::Rejected(Word { candidate: name, reason, ..self.word(staged, None) }));
                }
            }
        }
        let date = self.now.date();
        let lessons = match struck.is_empty() {
            true => NewLessons::Longer(lessons::append(existing, &candidates, fresh, &date)),
            false => {
                let without = lessons::superseded(existing, &struck, &date);
                let added = lessons::append(&without, &candidates, fresh, &date);
                NewLessons::Other(without + &added.text)
            }
        };
        let message = format!("lesson accepted: {text}");
        Ok(Settled { events, lessons: Some(lessons), message, ..Settled::default() })
    }

    fn opposed(&self, staged: &Staged, opponents: &[Opponent], lessons: &str) -> CliError {
        let all: Vec<String> = opponents.iter().map(|opponent| opponent.in_words(self.context, lessons)).collect();
        let name = &staged.candidate;
        refused(
            format!("`{name}` is opposed to {}", all.join("\n  and to ")),
            format!(
                "`canonry memory reject {name}` keeps what there is, `accept {name} --supersede` puts it in its place, `--as` says \
                 when each of them holds"
            ),
        )
    }

    fn accept_skill(&self, entry: &Entry, words: Option<&str>) -> Result<Settled, CliError> {
        let mut staged = entry.staged.clone();
        if let Standing::Accepted(word) = &entry.standing {
            return Ok(Settled::already("accepted", word));
        }
        let name =
            words.map(str::trim).map_or_else(|| skillforge::skill_of(&entry.staged).to_owned(), skillforge::name);
        staged.candidate = format!("{}{name}", skillforge::PREFIX);
        let path = self.context.layout.skills().join(name.as_str());
        // A run that was killed may have left the folder, and its draft under a temporary name.
        let is_taken = match self.context.view.kind(&path) {
            view::Kind::Nothing => false,
            view::Kind::File => true,
            view::Kind::Folder => {
                sweep(self.session, &self.context.view, std::slice::from_ref(&path));
                !self.context.view.list(&path, Ignored::Listed)?.files.is_empty()
            }
        };
        if is_taken {
            return Err(refused(format!("{path} is there already"), "choose another name with `--as NAME`"));
        }
        let document = path.join("SKILL.md");
        let events = vec![Event::Accepted(self.word(&entry.staged, words.map(str::to_owned)))];
        let draft = skillforge::draft(&staged, &staged.text);
        let message = format!("skill accepted: {name}");
        Ok(Settled { events, skill: Some((document, draft)), message, lessons: None })
    }

    fn write(&self, settled: &Settled, no_commit: bool) -> Result<Option<Committed>, CliError> {
        if settled.events.is_empty() {
            return Ok(None);
        }
        let layout = &self.context.layout;
        let lines: Result<String, _> = settled.events.iter().map(Event::line).collect();
        let lines = lines.map_err(|e| CliError::new(Status::Internal, e.to_string()))?;
        let mut files = Vec::new();
        let before = self.waiting.lessons.as_deref();
        match &settled.lessons {
            Some(NewLessons::Longer(added)) if !added.text.is_empty() => {
                files.push(FileChange::Append { path: layout.lessons(), before, text: added.text.clone() });
            }
            Some(NewLessons::Other(now)) => {
                files.push(FileChange::Replace { path: layout.lessons(), before, now: now.as_bytes() });
            }
            _ => {}
        }
        if let Some((path, draft)) = &settled.skill {
            files.push(FileChange::Replace { path: path.clone(), before: None, now: draft.as_bytes() });
        }
        let review = self.waiting.review.as_deref();
        files.push(FileChange::Append { path: layout.review(), before: review, text: lines });
        let mut changes = Changes { log: None, files, commit: None };
        if !no_commit {
            let message = format!("{}\n\n{}\n", settled.message, self.reason);
            changes.commit = Some(dream::note(&changes, layout, message));
        }
        let mut transfer = match Transfer::prepare(self.session, &self.context.view, changes) {
            Ok(transfer) => transfer,
            Err(PrepareError::Changed) => return Err(ApplyError::Interrupted.into()),
            Err(PrepareError::Apply(error)) => return Err(error.into()),
        };
        let finished = transfer.finish()?;
        let commit = transfer.note().map(|note| dream::commit_note(self.context, note)).transpose()?.flatten();
        transfer.close()?;
        match finished.overtaken.first() {
            None => Ok(commit),
            Some(path) => Err(CliError::new(
                Status::Contention,
                format!("{path} was changed while this ran, and was left as it is"),
            )
            .help("run this again")),
        }
    }
}
