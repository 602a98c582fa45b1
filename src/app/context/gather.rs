//! The sections of a context. `canonry context` reads them from the work tree; hooks read them from the plain disk and only
//! the end of the log, because they have a few milliseconds.

use crate::app::memory_files::{read_document, read_log_tail, read_or_empty};
use crate::app::user_memory::UserMemory;
use crate::app::{Environment, Error};
use crate::canon::permissions::prohibitions;
use crate::canon::timestamp::Timestamp;
use crate::canon::{Layout, memory_file};
use crate::config::MemoryConfig;
use crate::memory::MemoryPolicy;
use crate::memory::context::{
    ContextSection, SectionBody, SectionKind, Snippet, lessons_too_long_notice, skills_to_rewrite,
};
use crate::memory::failures::{TAIL_BYTES, log_tail, recent_failures};
use crate::memory::outdated_lessons::OutdatedLesson;
use crate::memory::pages::due_decisions;
use crate::memory::recall::{HitKind, RecallHit, RecallQuery, RecallResult, RecallSources, recall};
use crate::memory::working_memory::is_used;
use crate::syntax::RepoPath;
use crate::syntax::secrets::{self, without_secrets};
use crate::syntax::untrusted::as_data;
use crate::view::View;
use crate::view::load::LOG_LIMIT;

/// Lessons that are considered; the budget usually allows fewer.
const MAX_LESSONS: usize = 400;
/// Episodes that are considered.
const MAX_EPISODES: usize = 10;
/// What follows a lesson of the user among those of the team.
const OWN: &str = " (the user's own, not the team's)";
/// Decisions, and sections of the domain knowledge, that are considered.
const MAX_ENTRIES: usize = 20;

/// Reads the files of a context.
pub struct ContextReader<'a> {
    /// The files.
    pub view: &'a View,
    /// The paths of the canon.
    pub layout: &'a Layout,
    /// The configuration of the memory.
    pub memory: &'a MemoryConfig,
    /// How much of the log to read.
    pub log: LogRange,
    /// What to do about unreadable files.
    pub unreadable: UnreadableFiles,
    /// Where the user's own memory is.
    pub env: &'a Environment,
    /// The lessons that are older than a change of what they are about. Hooks do not look for them, because git's history takes too long.
    pub outdated: Vec<OutdatedLesson>,
}

/// How much of the log is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogRange {
    /// All of it.
    Whole,
    /// Its end; episodes come from this many bytes at most.
    Tail(usize),
}

/// What to do about a file that exists and cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadableFiles {
    /// Fail.
    Fail,
    /// Treat it as empty and report a warning.
    Warn,
}

/// Sections, and warnings about files that could not be read.
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    /// The sections.
    pub sections: Vec<ContextSection>,
    /// One line per unreadable file, with [`UnreadableFiles::Warn`].
    pub warnings: Vec<String>,
}

impl Gathered {
    /// Adds the sections and warnings of another.
    pub fn extend(&mut self, other: Self) {
        self.sections.extend(other.sections);
        self.warnings.extend(other.warnings);
    }

    fn push(&mut self, kind: SectionKind, path: &RepoPath, body: SectionBody) {
        self.push_found(kind, path, FoundSnippets { body, left_out: Vec::new() });
    }

    fn push_found(&mut self, kind: SectionKind, path: &RepoPath, found: FoundSnippets) {
        let FoundSnippets { body, left_out } = found;
        self.sections.push(ContextSection { kind, source: path.to_display(), body, left_out });
    }

    /// Adds the user's own preferences, and returns the user's own lessons.
    fn push_user_memory(&mut self, reader: &ContextReader<'_>) -> Result<String, Error> {
        let top = reader.view.on_disk(&RepoPath::default());
        let user = match UserMemory::load(reader.env, top.as_deref()) {
            Err(error) if reader.unreadable == UnreadableFiles::Warn => {
                self.warnings.push(error.message);
                UserMemory::default()
            }
            user => user?,
        };
        if !user.preferences.trim().is_empty() {
            let source = format!("{}/PREFERENCES.md", user.folder);
            let body = SectionBody::Document(secrets::redact(&user.preferences).into_owned());
            self.sections.push(ContextSection { kind: SectionKind::Personal, source, body, left_out: Vec::new() });
        }
        Ok(user.lessons)
    }

    fn push_notice(&mut self, path: &RepoPath, text: String) {
        let snippet = Snippet { name: text.clone(), text };
        self.push(SectionKind::Notice, path, SectionBody::Snippets(vec![snippet]));
    }

    fn document(&mut self, reader: &ContextReader<'_>, path: &RepoPath) -> Result<String, Error> {
        match read_document(reader.view, path) {
            Err(error) if reader.unreadable == UnreadableFiles::Warn => {
                self.warnings.push(error.message);
                Ok(String::new())
            }
            text => text,
        }
    }

    /// Adds a document, unless it is empty or equals its template.
    fn push_document(
        &mut self,
        reader: &ContextReader<'_>,
        kind: SectionKind,
        path: &RepoPath,
        template: &str,
    ) -> Result<(), Error> {
        let text = self.document(reader, path)?;
        if is_used(&text, template) {
            let text = secrets::redact(&text).into_owned();
            let core = if kind == SectionKind::Permissions { prohibitions(&text) } else { String::new() };
            let body =
                if core.is_empty() { SectionBody::Document(text) } else { SectionBody::Protected { text, core } };
            self.push(kind, path, body);
        }
        Ok(())
    }
}

/// Gathers the sections that every agent reads, with secrets redacted. `task` may be empty.
///
/// # Errors
/// [`crate::app::ErrorKind::Unreadable`] if a file exists and cannot be read.
pub fn gather(reader: &ContextReader<'_>, task: &str, now: Timestamp) -> Result<Gathered, Error> {
    let layout = reader.layout;
    let mut gathered = Gathered::default();
    let own_lessons = gathered.push_user_memory(reader)?;
    for (kind, path, template) in [
        (SectionKind::Personal, layout.preferences(), memory_file::PREFERENCES),
        (SectionKind::Workspace, layout.workspace(), memory_file::WORKSPACE),
        (SectionKind::Plan, layout.active_plan(), memory_file::ACTIVE_PLAN),
        (SectionKind::Permissions, layout.permissions(), ""),
    ] {
        gathered.push_document(reader, kind, &path, template)?;
    }
    let lessons = gathered.document(reader, &layout.lessons())?;
    let decisions = gathered.document(reader, &layout.decisions())?;
    let knowledge = gathered.document(reader, &layout.domain_knowledge())?;
    let log = reader.log()?;
    let search = Search { policy: MemoryPolicy::from_config(reader.memory), task, now };
    let sources = RecallSources {
        lessons: &lessons,
        outdated: &reader.outdated,
        personal: &own_lessons,
        ..RecallSources::default()
    };
    gathered.push_found(SectionKind::Lessons, &layout.lessons(), search.all(&sources, MAX_LESSONS));
    let sources = RecallSources { decisions: &decisions, ..RecallSources::default() };
    gathered.push_found(SectionKind::Decisions, &layout.decisions(), search.all(&sources, MAX_ENTRIES));
    let sources = RecallSources { knowledge: &knowledge, ..RecallSources::default() };
    gathered.push_found(SectionKind::Knowledge, &layout.domain_knowledge(), search.all(&sources, MAX_ENTRIES));
    gathered.push_found(SectionKind::Episodes, &layout.log(), search.episodes(reader.recent_rows(&log)));
    for due in due_decisions(&decisions, &now.date()) {
        let text = format!("The decision \"{}\" is to be revisited since {}.", due.title, due.date);
        gathered.push_notice(&layout.decisions(), secrets::redact(&text).into_owned());
    }
    let failures = recent_failures(log_tail(&log, TAIL_BYTES), now);
    gathered.push(SectionKind::Rewrite, &layout.log(), SectionBody::Snippets(skills_to_rewrite(&failures)));
    if let Some(notice) = lessons_too_long_notice(&layout.lessons().to_display(), &lessons) {
        gathered.push_notice(&layout.lessons(), notice);
    }
    Ok(gathered)
}

/// Gathers the map of the canon, which agents read when a session starts.
///
/// # Errors
/// [`crate::app::ErrorKind::Unreadable`] if it exists and cannot be read.
pub fn gather_map(reader: &ContextReader<'_>) -> Result<Gathered, Error> {
    let mut gathered = Gathered::default();
    gathered.push_document(reader, SectionKind::Map, &reader.layout.map(), "")?;
    Ok(gathered)
}

/// Gathers what an agent reads before it stops: the reminder, the failed calls of its session, and the workspace.
///
/// # Errors
/// [`crate::app::ErrorKind::Unreadable`] if the workspace exists and cannot be read.
pub fn gather_stop_reminder(
    reader: &ContextReader<'_>,
    now: Timestamp,
    reminder: String,
    failures: &[&[u8]],
) -> Result<Gathered, Error> {
    let layout = reader.layout;
    let search = Search { policy: MemoryPolicy::from_config(reader.memory), task: "", now };
    let mut gathered = Gathered::default();
    gathered.push_notice(&layout.log(), reminder);
    gathered.push_found(SectionKind::Episodes, &layout.log(), search.episodes(&failures.join(&b'\n')));
    gathered.push_document(reader, SectionKind::Workspace, &layout.workspace(), memory_file::WORKSPACE)?;
    Ok(gathered)
}

impl ContextReader<'_> {
    fn log(&self) -> Result<Vec<u8>, Error> {
        let path = self.layout.log();
        match self.log {
            LogRange::Whole => read_or_empty(self.view, &path, LOG_LIMIT),
            LogRange::Tail(_) => Ok(read_log_tail(self.view, &path)),
        }
    }

    /// The rows that episodes are chosen from.
    fn recent_rows<'l>(&self, log: &'l [u8]) -> &'l [u8] {
        match self.log {
            LogRange::Whole => log,
            LogRange::Tail(limit) => log_tail(log, limit),
        }
    }
}

struct Search<'a> {
    policy: MemoryPolicy,
    task: &'a str,
    now: Timestamp,
}

/// Snippets for a section, and what was left out because of its number.
struct FoundSnippets {
    body: SectionBody,
    left_out: Vec<String>,
}

impl FoundSnippets {
    fn new(hits: &[RecallHit], more: usize) -> Self {
        let snippet = |hit: &RecallHit| Snippet {
            name: hit.id.clone().unwrap_or_else(|| first_words(&hit.text)),
            text: format!("- {}{}", as_data(&hit.text), if hit.kind == HitKind::Personal { OWN } else { "" }),
        };
        let left_out = if more > 0 { vec![format!("{more} more: found by `canonry recall`")] } else { Vec::new() };
        Self { body: SectionBody::Snippets(hits.iter().map(snippet).collect()), left_out }
    }
}

impl Search<'_> {
    /// The episodes that match the task, or the most salient ones if none does.
    fn episodes(&self, log: &[u8]) -> FoundSnippets {
        let sources = RecallSources { logs: vec![log], ..RecallSources::default() };
        let matching = self.recall(self.task, &sources, MAX_EPISODES);
        let found = if matching.hits.is_empty() { self.recall("", &sources, MAX_EPISODES) } else { matching };
        // That a log has more rows than a context is no news.
        FoundSnippets::new(&found.hits, 0)
    }

    /// The entries that match the task, the best first, and then the others by salience.
    fn all(&self, sources: &RecallSources<'_>, top: usize) -> FoundSnippets {
        let mut hits = self.recall(self.task, sources, top).hits;
        let rest = self.recall("", sources, usize::MAX).hits;
        let in_all = rest.len();
        for hit in rest {
            if hits.len() < top && !hits.iter().any(|known| known.text == hit.text) {
                hits.push(hit);
            }
        }
        FoundSnippets::new(&hits, in_all.saturating_sub(hits.len()))
    }

    fn recall(&self, text: &str, sources: &RecallSources<'_>, top: usize) -> RecallResult {
        // The budget of a section is known only once all sections are.
        let (now, policy, redact) = (self.now, &self.policy, &without_secrets);
        recall(&RecallQuery { text, top, budget: usize::MAX, now, policy, redact }, sources)
    }
}

/// The first words of a text, as a name for it.
fn first_words(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').take(6).collect();
    if words.len() < text.split(' ').count() { format!("{} …", words.join(" ")) } else { words.join(" ") }
}
