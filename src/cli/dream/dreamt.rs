//! From what was seen to what changes.

use super::survey::Survey;
use crate::apply::transfer::{Changes, FileChange, Leave, Note, Split};
use crate::canon::Layout;
use crate::canon::episode::Episode;
use crate::memory::lessons::{self, Addition, Candidate};
use crate::memory::{Decision, Dialect, Extent, Leaving, Night, Pattern, decide, quarantine};
use crate::syntax::RepoPath;
use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::Path;

/// A dream: what was seen, and what follows.
pub struct Dreamt {
    /// What the log's rows come to.
    pub decision: Decision,
    /// The lessons that are new.
    pub addition: Addition,
    /// What was seen beside the log's rows.
    pub survey: Survey,
    /// When, and by which rules.
    pub night: Night,
}

impl Dreamt {
    /// Decides; `log` is where the rows' texts are read once more, of those few that become lessons.
    ///
    /// # Errors
    /// The log cannot be read any more.
    pub fn of(mut survey: Survey, night: Night, log: &Path) -> io::Result<Self> {
        let (rows, bad) = match &mut survey.log {
            Some(read) => (std::mem::take(&mut read.rows), std::mem::take(&mut read.bad)),
            None => (Vec::new(), Vec::new()),
        };
        let decision = decide(rows, bad, &night);
        let candidates = candidates(&decision, &night, log)?;
        let existing = survey.lessons.as_deref().unwrap_or_default();
        let addition = lessons::append(existing, &candidates, &night.now.date(), night.dialect);
        Ok(Self { decision, addition, survey, night })
    }

    /// S8: the log line, which is also the commit's message. The seed counts what was found worthy, and not what is new.
    pub fn message(&self) -> String {
        let promoted = match self.night.dialect {
            Dialect::Seed => self.decision.promoted.len(),
            Dialect::Repaired => self.addition.written.len(),
        };
        let (archived, kept) = (self.decision.archived.len(), self.decision.kept());
        format!("dream cycle: promoted {promoted}, decayed {archived}, kept {kept}")
    }

    /// Ids of the rows that speak for these patterns.
    pub fn ids<'p>(&self, patterns: impl Iterator<Item = &'p Pattern>) -> Vec<String> {
        patterns.map(|pattern| self.decision.id(pattern.best)).collect()
    }

    /// Ids of the rows behind the lessons that are written.
    pub fn written(&self) -> Vec<String> {
        self.ids(self.addition.written.iter().filter_map(|at| self.decision.promoted.get(*at)))
    }

    /// What is to be written; `None` where that is nothing.
    pub fn changes(&self, layout: &Layout) -> Option<Changes<'_>> {
        let changes = Changes { files: self.files(layout), log: self.split(layout), commit: None };
        (!changes.files.is_empty() || changes.log.is_some()).then_some(changes)
    }

    fn files(&self, layout: &Layout) -> Vec<FileChange<'_>> {
        let mut files = Vec::new();
        if !self.addition.text.is_empty() {
            let before = self.survey.lessons.as_deref().map(str::as_bytes);
            files.push(FileChange::Append { path: layout.lessons(), before, text: self.addition.text.clone() });
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

    fn split(&self, layout: &Layout) -> Option<Split<'_>> {
        let mark = self.survey.log.as_ref()?.mark;
        let leaving = self.decision.leaving();
        if leaving.is_empty() {
            return None;
        }
        let mut to: Vec<(RepoPath, &'static str)> = Vec::new();
        let mut leaves = Vec::with_capacity(leaving.len());
        for line in &leaving {
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
            leaves.push(Leave { extent: line.extent(), to: at, heading });
        }
        Some(Split { path: layout.log(), mark, to, leaving: leaves })
    }
}

/// What a dream commits: all that it wrote, and the log that it read.
pub fn note(changes: &Changes<'_>, layout: &Layout, message: String) -> Note {
    let mut paths: Vec<String> = vec![layout.log().to_display()];
    paths.extend(changes.files.iter().map(|change| match change {
        FileChange::Append { path, .. } | FileChange::Replace { path, .. } => path.to_display(),
    }));
    paths.extend(changes.log.iter().flat_map(|split| &split.to).map(|(path, _)| path.to_display()));
    Note { message, paths, branch: None }
}

fn candidates(decision: &Decision, night: &Night, log: &Path) -> io::Result<Vec<Candidate>> {
    if decision.promoted.is_empty() {
        return Ok(Vec::new());
    }
    let log = File::open(log)?;
    let candidate = |pattern: &Pattern| {
        let text = text(&log, decision.rows[pattern.best].extent, night.dialect)?;
        let others = pattern.rows.iter().filter(|row| **row != pattern.best);
        let ids = std::iter::once(&pattern.best).chain(others).map(|row| decision.id(*row)).collect();
        let pattern = (night.dialect == Dialect::Repaired).then(|| decision.name(pattern));
        Ok(Candidate { text, ids, pattern })
    };
    decision.promoted.iter().map(candidate).collect()
}

/// A line of the log, without its end.
///
/// # Errors
/// The log cannot be read any more.
pub fn line(log: &File, extent: Extent) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(extent.length).map_err(io::Error::other)?];
    log.read_exact_at(&mut bytes, extent.offset)?;
    if bytes.ends_with(b"\n") {
        bytes.pop();
    }
    Ok(bytes)
}

/// A row that is none any more was changed in the meantime, which the log's mark will tell.
fn text(log: &File, extent: Extent, dialect: Dialect) -> io::Result<String> {
    let bytes = line(log, extent)?;
    let line = String::from_utf8_lossy(&bytes);
    Ok(Episode::parse(line.as_bytes()).map(|episode| lessons::text_of(&episode, dialect)).unwrap_or_default())
}
