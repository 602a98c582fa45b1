//! From what was seen to what changes.

use super::candidates::Texts;
use super::canon::Canon;
use super::survey::Survey;
use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::apply::log_transaction::{FileChange, LogChanges, LogSplit, MovedLine, PendingCommit};
use crate::canon::Layout;
use crate::memory::lessons::{self, Addition, Candidate};
use crate::memory::promotion::{Known, Triage, room, triage};
use crate::memory::review::{Event, Staged, behind};
use crate::memory::{Decision, Leaving, Night, Pattern, Ruleset, decide, quarantine, retire};
use crate::syntax::RepoPath;
use std::borrow::Cow;
use std::io;

/// A dream: what was seen, and what follows.
pub struct DreamPlan {
    /// What the log's rows come to.
    pub decision: Decision,
    /// What may become a lesson.
    pub candidates: Vec<Candidate>,
    /// The lessons that are new.
    pub addition: Addition,
    /// What waits for a person from now on.
    pub staged: Vec<Staged>,
    /// What was seen beside the log's rows.
    pub survey: Survey,
    /// When, and by which rules.
    pub night: Night,
}

impl DreamPlan {
    /// Decides. The rows' texts are read once more, of those few that become lessons.
    ///
    /// # Errors
    /// The log cannot be read any more.
    pub fn build(mut survey: Survey, night: Night, context: &Workspace) -> Result<Self, Error> {
        let (rows, bad) = match &mut survey.log {
            Some(read) => (std::mem::take(&mut read.rows), std::mem::take(&mut read.bad)),
            None => (Vec::new(), Vec::new()),
        };
        let decision = decide(rows, bad, &night);
        let canon = Canon::for_the(&decision, context)?;
        let log = context.layout.log();
        let at = context.view.on_disk(&log).unwrap_or_default();
        let texts = Texts { decision: &decision, night: &night, log: &at };
        let unreadable = |e: io::Error| Error::new(ErrorKind::Internal, format!("{log}: the log cannot be read: {e}"));
        let candidates = texts.lessons(&canon).map_err(unreadable)?;
        let skills = texts.skills(&survey.queue, &canon).map_err(unreadable)?;
        let existing = survey.lessons.as_deref().unwrap_or_default();
        let Triage { lessons, staged } = match night.ruleset {
            Ruleset::Seed => {
                let lessons = lessons::fresh(existing, &candidates, Ruleset::Seed);
                Triage { lessons, staged: Vec::new() }
            }
            Ruleset::Current => {
                triage(&candidates, Known { lessons: existing, queue: &survey.queue }, night.policy.promotion)
            }
        };
        let date = night.now.date();
        let addition = lessons::append(existing, &candidates, lessons, &date);
        let waiting = staged.iter().filter_map(|at| candidates.get(*at)).map(|lesson| Staged::lesson(lesson, &date));
        let due = match night.ruleset {
            Ruleset::Seed => Vec::new(),
            Ruleset::Current => room(retire::due(existing, &decision, &night), &survey.queue),
        };
        let staged = waiting.chain(skills).chain(due).collect();
        Ok(Self { decision, candidates, addition, staged, survey, night })
    }

    /// S8: the log line, which is also the commit's message. The seed counts what was found worthy, and not what is new.
    pub fn message(&self) -> String {
        let promoted = match self.night.ruleset {
            Ruleset::Seed => self.decision.promoted.len(),
            Ruleset::Current => self.addition.written.len(),
        };
        let (archived, kept) = (self.decision.archived.len(), self.decision.kept());
        let staged = if self.staged.is_empty() { String::new() } else { format!(", staged {}", self.staged.len()) };
        format!("dream cycle: promoted {promoted}, decayed {archived}, kept {kept}{staged}")
    }

    /// Ids of the rows that speak for these patterns.
    pub fn ids<'p>(&self, patterns: impl Iterator<Item = &'p Pattern>) -> Vec<String> {
        patterns.map(|pattern| self.decision.id(pattern.best)).collect()
    }

    /// Ids of the rows behind the lessons that are written.
    pub fn written(&self) -> Vec<String> {
        let candidates = self.addition.written.iter().filter_map(|at| self.candidates.get(*at));
        candidates.filter_map(|candidate| candidate.ids.first().cloned()).collect()
    }

    /// What is to be written; `None` where that is nothing.
    pub fn changes(&self, layout: &Layout) -> Option<LogChanges<'_>> {
        let changes = LogChanges { files: self.files(layout), log: self.split(layout), commit: None };
        (!changes.files.is_empty() || changes.log.is_some()).then_some(changes)
    }

    fn files(&self, layout: &Layout) -> Vec<FileChange<'_>> {
        let mut files = Vec::new();
        if !self.addition.text.is_empty() {
            let before = self.survey.lessons.as_deref().map(str::as_bytes);
            files.push(FileChange::Append { path: layout.lessons(), before, text: self.addition.text.clone() });
        }
        let lines: String = self.staged.iter().filter_map(|staged| Event::Staged(staged.clone()).line().ok()).collect();
        if !lines.is_empty() {
            let before = self.survey.review.as_deref();
            files.push(FileChange::Append { path: layout.review(), before, text: behind(before, lines) });
        }
        for stale in &self.survey.stale {
            if let Some(archive) = &stale.archive {
                files.push(FileChange::Replace { path: archive.clone(), before: None, now: &stale.bytes });
            }
            let (path, before) = (stale.path.clone(), Some(stale.bytes.as_slice()));
            files.push(FileChange::Replace { path, before, now: stale.template.as_bytes() });
        }
        files
    }

    fn split(&self, layout: &Layout) -> Option<LogSplit<'_>> {
        let mark = self.survey.log.as_ref()?.mark;
        let moved = self.decision.leaving();
        if moved.is_empty() {
            return None;
        }
        let mut to: Vec<(RepoPath, &'static str)> = Vec::new();
        let mut leaves = Vec::with_capacity(moved.len());
        for line in &moved {
            let (path, head, heading) = match line {
                Leaving::Archived(row) => {
                    let month = format!("{}.jsonl", row.at.month());
                    (layout.snapshots().join(month.as_str()), "", Cow::Borrowed(""))
                }
                Leaving::Bad(bad) => {
                    let heading = Cow::Owned(quarantine::header(bad, self.night.now));
                    (layout.quarantine(), quarantine::HEAD, heading)
                }
            };
            let known = to.iter().position(|(known, _)| *known == path);
            let at = known.unwrap_or_else(|| {
                to.push((path, head));
                to.len() - 1
            });
            leaves.push(MovedLine { extent: line.extent(), to: at, heading });
        }
        Some(LogSplit { path: layout.log(), mark, to, moved: leaves })
    }
}

/// What a dream commits: all that it wrote, and the log that it read.
pub fn note(changes: &LogChanges<'_>, layout: &Layout, message: String) -> PendingCommit {
    let mut paths: Vec<String> = vec![layout.log().to_display()];
    paths.extend(changes.files.iter().map(|change| match change {
        FileChange::Append { path, .. } | FileChange::Replace { path, .. } => path.to_display(),
    }));
    paths.extend(changes.log.iter().flat_map(|split| &split.to).map(|(path, _)| path.to_display()));
    PendingCommit { message, paths, branch: None }
}
