//! The sections of a context. `canonry context` reads them from the work tree; hooks read them from the plain disk and only
//! the end of the log, because they have a few milliseconds.

use crate::memory_files::{read_document, read_log_tail, read_whole_log};
use crate::user_memory::UserMemory;
use crate::{Environment, Error};
use canonry_memory::MemoryPolicy;
use canonry_memory::context::{ContextSection, SectionKind, Snippet, lessons_too_long_notice, skills_to_rewrite};
use canonry_memory::failures::{TAIL_BYTES, log_tail, recent_failures};
use canonry_memory::outdated_lessons::OutdatedLesson;
use canonry_memory::pages::due_decisions;
use canonry_memory::recall::{HitKind, RecallHit, RecallQuery, RecallResult, RecallSources, recall};
use canonry_memory::working_memory::is_used;
use canonry_model::canon::permissions::split_prohibitions;
use canonry_model::canon::timestamp::Timestamp;
use canonry_model::canon::{Layout, memory_file};
use canonry_model::config::MemoryConfig;
use canonry_repo::apply::pending_log::PendingLog;
use canonry_repo::view::View;
use canonry_text::RepoPath;
use canonry_text::secrets::{self, without_secrets};
use canonry_text::untrusted::as_data;
use std::collections::BTreeSet;

/// Mark of a user's lesson among those of the team.
const OWN: &str = " (the user's own, not the team's)";
/// Tokens of the shortest entry of the memory: no more entries are considered than fit if all are as short.
const SHORTEST_ENTRY: usize = 4;

/// Reads the files of a context.
pub struct ContextReader<'a> {
    /// The files.
    pub view: &'a View,
    /// The paths of the canon.
    pub layout: &'a Layout,
    /// The configuration of the memory.
    pub memory: &'a MemoryConfig,
    /// Part of the log to read.
    pub log: LogRange,
    /// The rows of hooks that are not in the log yet.
    pub pending: Option<PendingLog>,
    /// Treatment of unreadable files.
    pub unreadable: UnreadableFiles,
    /// The budget of the context, in tokens.
    pub budget: usize,
    /// Where the user's own memory is.
    pub env: &'a Environment,
    /// The lessons that are older than a change of what they are about. Hooks do not look for them, because git's history takes too long.
    pub outdated: Vec<OutdatedLesson>,
}

/// Part of the log that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogRange {
    /// All of it.
    Whole,
    /// Its end; episodes come from this many bytes at most.
    Tail(usize),
}

/// Treatment of a file that exists and cannot be read.
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

    fn push(&mut self, kind: SectionKind, path: &RepoPath, snippets: Vec<Snippet>) {
        self.sections.push(ContextSection { kind, source: path.to_display(), snippets, left_out: Vec::new() });
    }

    fn push_text(&mut self, kind: SectionKind, path: &RepoPath, text: String) {
        self.sections.push(ContextSection::document(kind, path.to_display(), text));
    }

    /// Adds the entries of the memory, each to the section of its kind.
    fn push_memory(&mut self, layout: &Layout, entries: RankedEntries) {
        let RankedEntries { hits, more } = entries;
        for (kind, path) in [
            (SectionKind::Lessons, layout.lessons()),
            (SectionKind::Decisions, layout.decisions()),
            (SectionKind::Knowledge, layout.domain_knowledge()),
            (SectionKind::Episodes, layout.log()),
        ] {
            let of_kind = hits.iter().enumerate().filter(|(_, hit)| section_of(hit.kind) == kind);
            self.push(kind, &path, of_kind.map(|(rank, hit)| entry(hit, rank)).collect());
        }
        if let (true, Some(last)) = (more > 0, self.sections.last_mut()) {
            last.left_out.push(format!("{more} more entries of the memory: found by `canonry recall`"));
        }
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
            let text = secrets::redact(&user.preferences).into_owned();
            self.sections.push(ContextSection::document(SectionKind::Personal, source, text));
        }
        Ok(user.lessons)
    }

    fn push_notice(&mut self, path: &RepoPath, text: String) {
        let snippet = Snippet { name: text.clone(), text, ..Snippet::default() };
        self.push(SectionKind::Notice, path, vec![snippet]);
    }

    /// Adds the permissions in two sections: what is never allowed is never cut.
    fn push_permissions(&mut self, reader: &ContextReader<'_>) -> Result<(), Error> {
        let path = reader.layout.permissions();
        let page = self.document(reader, &path)?;
        let (never, others) = split_prohibitions(&page);
        for (kind, text) in [(SectionKind::Prohibitions, never), (SectionKind::Permissions, others)] {
            let is_said = text.lines().any(|line| !line.trim().is_empty() && !line.starts_with('#'));
            if is_said {
                self.push_text(kind, &path, secrets::redact(&text).into_owned());
            }
        }
        Ok(())
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
            self.push_text(kind, path, secrets::redact(&text).into_owned());
        }
        Ok(())
    }
}

/// Gathers the sections that every agent reads, with secrets redacted. `task` may be empty.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if a file exists and cannot be read.
pub fn gather(reader: &ContextReader<'_>, task: &str, now: Timestamp) -> Result<Gathered, Error> {
    let layout = reader.layout;
    let mut gathered = Gathered::default();
    let own_lessons = gathered.push_user_memory(reader)?;
    for (kind, path, template) in [
        (SectionKind::Personal, layout.preferences(), memory_file::PREFERENCES),
        (SectionKind::Workspace, layout.workspace(), memory_file::WORKSPACE),
        (SectionKind::Plan, layout.active_plan(), memory_file::ACTIVE_PLAN),
    ] {
        gathered.push_document(reader, kind, &path, template)?;
    }
    gathered.push_permissions(reader)?;
    let lessons = gathered.document(reader, &layout.lessons())?;
    let decisions = gathered.document(reader, &layout.decisions())?;
    let knowledge = gathered.document(reader, &layout.domain_knowledge())?;
    let review = gathered.document(reader, &layout.review())?;
    let log = reader.log()?;
    let search = MemorySearch { policy: MemoryPolicy::from_config(reader.memory), task, now };
    let sources = RecallSources {
        lessons: &lessons,
        outdated: &reader.outdated,
        decisions: &decisions,
        knowledge: &knowledge,
        personal: &own_lessons,
        review: &review,
        logs: vec![reader.recent_rows(&log)],
    };
    gathered.push_memory(layout, search.rank(&sources, reader.budget));
    for due in due_decisions(&decisions, &now.date()) {
        let text = format!("The decision \"{}\" is to be revisited since {}.", due.title, due.date);
        gathered.push_notice(&layout.decisions(), secrets::redact(&text).into_owned());
    }
    let failures = recent_failures(log_tail(&log, TAIL_BYTES), now);
    gathered.push(SectionKind::Rewrite, &layout.log(), skills_to_rewrite(&failures));
    if let Some(notice) = lessons_too_long_notice(&layout.lessons().to_display(), &lessons) {
        gathered.push_notice(&layout.lessons(), notice);
    }
    Ok(gathered)
}

/// Gathers the map of the canon, which agents read when a session starts.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if it exists and cannot be read.
pub fn gather_map(reader: &ContextReader<'_>) -> Result<Gathered, Error> {
    let mut gathered = Gathered::default();
    gathered.push_document(reader, SectionKind::Map, &reader.layout.map(), "")?;
    Ok(gathered)
}

/// Gathers what an agent reads before it stops: the reminder, the failed calls of its session, and the workspace.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if the workspace exists and cannot be read.
pub fn gather_stop_reminder(
    reader: &ContextReader<'_>,
    now: Timestamp,
    reminder: String,
    failures: &[&[u8]],
) -> Result<Gathered, Error> {
    let layout = reader.layout;
    let search = MemorySearch { policy: MemoryPolicy::from_config(reader.memory), task: "", now };
    let mut gathered = Gathered::default();
    gathered.push_notice(&layout.log(), reminder);
    let failures = failures.join(&b'\n');
    let sources = RecallSources { logs: vec![&failures], ..RecallSources::default() };
    gathered.push_memory(layout, search.rank(&sources, reader.budget));
    gathered.push_document(reader, SectionKind::Workspace, &layout.workspace(), memory_file::WORKSPACE)?;
    Ok(gathered)
}

impl ContextReader<'_> {
    fn log(&self) -> Result<Vec<u8>, Error> {
        let path = self.layout.log();
        match self.log {
            LogRange::Whole => read_whole_log(self.view, &path, self.pending.as_ref()),
            LogRange::Tail(_) => Ok(read_log_tail(self.view, &path, self.pending.as_ref())),
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

struct MemorySearch<'a> {
    policy: MemoryPolicy,
    task: &'a str,
    now: Timestamp,
}

/// Entries of the memory, the best first.
struct RankedEntries {
    hits: Vec<RecallHit>,
    /// The number of other entries.
    more: usize,
}

impl MemorySearch<'_> {
    /// The entries that match the task, and then the others by salience.
    fn rank(&self, sources: &RecallSources<'_>, budget: usize) -> RankedEntries {
        let top = budget / SHORTEST_ENTRY;
        let mut hits = if self.task.is_empty() { Vec::new() } else { self.recall(self.task, sources, top).hits };
        let all = self.recall("", sources, top);
        let in_all = all.hits.len() + all.left_out;
        let matching: BTreeSet<String> = hits.iter().map(|hit| hit.text.clone()).collect();
        hits.extend(all.hits.into_iter().filter(|hit| !matching.contains(&hit.text)));
        hits.truncate(top);
        RankedEntries { more: in_all.saturating_sub(hits.len()), hits }
    }

    fn recall(&self, text: &str, sources: &RecallSources<'_>, top: usize) -> RecallResult {
        let now = self.now;
        let policy = &self.policy;
        let redact = &without_secrets;
        recall(&RecallQuery { text, top, budget: usize::MAX, now, policy, redact }, sources)
    }
}

fn section_of(kind: HitKind) -> SectionKind {
    match kind {
        HitKind::Lesson | HitKind::Personal => SectionKind::Lessons,
        HitKind::Decision => SectionKind::Decisions,
        HitKind::Knowledge => SectionKind::Knowledge,
        HitKind::Episode => SectionKind::Episodes,
    }
}

fn entry(hit: &RecallHit, rank: usize) -> Snippet {
    let name = hit.id.clone().unwrap_or_else(|| first_words(&hit.text));
    let owner = if hit.kind == HitKind::Personal { OWN } else { "" };
    Snippet { name, text: format!("- {}{owner}", as_data(&hit.text)), rank, file: None }
}

/// The first words of a text, as a name for it.
fn first_words(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').take(6).collect();
    if words.len() < text.split(' ').count() { format!("{} …", words.join(" ")) } else { words.join(" ") }
}
