//! The sections of a context. `canonry context` reads them from the work tree; hooks read them from the plain disk and only
//! the end of the log, because they have a few milliseconds.

use crate::app::Error;
use crate::app::memory_files::{read_document, read_log_tail, read_or_empty};
use crate::canon::timestamp::Timestamp;
use crate::canon::{Layout, memory_file};
use crate::config::MemoryConfig;
use crate::memory::MemoryPolicy;
use crate::memory::context::{
    ContextSection, SectionBody, SectionKind, Snippet, lessons_too_long_notice, skills_to_rewrite,
};
use crate::memory::failures::{TAIL_BYTES, log_tail, recent_failures};
use crate::memory::recall::{RecallHit, RecallQuery, RecallResult, RecallSources, recall};
use crate::memory::working_memory::is_used;
use crate::syntax::RepoPath;
use crate::syntax::secrets::{self, without_secrets};
use crate::view::View;
use crate::view::load::LOG_LIMIT;

/// Lessons that are considered; the budget usually allows fewer.
const MAX_LESSONS: usize = 100;
/// Episodes that are considered.
const MAX_EPISODES: usize = 10;

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
        self.sections.push(ContextSection { kind, source: path.to_display(), body, left_out: Vec::new() });
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
            self.push(kind, path, SectionBody::Document(secrets::redact(&text).into_owned()));
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
    for (kind, path, template) in [
        (SectionKind::Personal, layout.preferences(), memory_file::PREFERENCES),
        (SectionKind::Workspace, layout.workspace(), memory_file::WORKSPACE),
        (SectionKind::Plan, layout.active_plan(), memory_file::ACTIVE_PLAN),
        (SectionKind::Permissions, layout.permissions(), ""),
    ] {
        gathered.push_document(reader, kind, &path, template)?;
    }
    let lessons = gathered.document(reader, &layout.lessons())?;
    let log = reader.log()?;
    let search = Search { policy: MemoryPolicy::from_config(reader.memory), task, now };
    let sources = RecallSources { lessons: &lessons, logs: Vec::new() };
    gathered.push(SectionKind::Lessons, &layout.lessons(), search.snippets(&sources, MAX_LESSONS));
    gathered.push(SectionKind::Episodes, &layout.log(), search.episodes(reader.recent_rows(&log)));
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
    gathered.push(SectionKind::Episodes, &layout.log(), search.episodes(&failures.join(&b'\n')));
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

impl Search<'_> {
    fn episodes(&self, log: &[u8]) -> SectionBody {
        self.snippets(&RecallSources { lessons: "", logs: vec![log] }, MAX_EPISODES)
    }

    /// The entries that match the task, or the most salient ones if none does.
    fn snippets(&self, sources: &RecallSources<'_>, top: usize) -> SectionBody {
        let matching = self.recall(self.task, sources, top);
        let hits = if matching.hits.is_empty() { self.recall("", sources, top).hits } else { matching.hits };
        let snippet = |hit: &RecallHit| Snippet {
            name: hit.id.clone().unwrap_or_else(|| first_words(&hit.text)),
            text: format!("- {}", hit.text),
        };
        SectionBody::Snippets(hits.iter().map(snippet).collect())
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
