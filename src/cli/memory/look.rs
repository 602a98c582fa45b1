//! What the views of the memory look at.

use crate::app::Workspace;
use crate::app::{Error, ErrorKind};
use crate::canon::Blob;
use crate::canon::episode::Episode;
use crate::canon::timestamp::Timestamp;
use crate::cli::dream::{self, DreamPlan};
use crate::memory::overview::{self, FilesPart, LessonsPart, LogPart, Overview, PatternPart, RowPart};
use crate::memory::standing::Standing;
use crate::memory::{Night, Policy, Row, Ruleset, lessons};
use crate::syntax::RepoPath;
use crate::view::IgnoreMode;
use crate::view::load::DOCUMENT_LIMIT;
use crate::view::log::read_log;
use std::fs::File;
use std::io;
use std::path::PathBuf;

/// A memory, and what a dream at this moment would make of it.
pub struct Look<'a> {
    pub context: &'a Workspace,
    pub dreamt: DreamPlan,
    pub standing: Standing,
    log: PathBuf,
}

/// What a row says to a person.
pub struct Words {
    pub skill: String,
    pub action: String,
}

impl<'a> Look<'a> {
    /// Looks.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn at(context: &'a Workspace, now: Timestamp) -> Result<Self, Error> {
        context.require_canon()?;
        let night = Night { now, policy: Policy::of(&context.config.memory), ruleset: Ruleset::Current };
        let dreamt = dream::dream(context, &night)?;
        let standing = Standing::of(&dreamt.decision, &dreamt.night);
        let log = context.view.on_disk(&context.layout.log()).unwrap_or_default();
        Ok(Self { context, dreamt, standing, log })
    }

    /// Why the log could not be read once more.
    pub fn unreadable(&self, error: &io::Error) -> Error {
        let log = self.context.layout.log();
        Error::new(ErrorKind::Unreadable, format!("{log}: the log cannot be read: {error}")).help("run this again")
    }

    /// The words of some rows.
    ///
    /// # Errors
    /// The log changed.
    pub fn words(&self, rows: &[usize]) -> Result<Vec<Words>, Error> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let file = File::open(&self.log).map_err(|e| self.unreadable(&e))?;
        let words = |row: &usize| {
            let line = dream::line(&file, self.dreamt.decision.rows[*row].extent).map_err(|e| self.unreadable(&e))?;
            let episode = Episode::parse(&line).ok();
            let text = |field: Option<&str>| field.map(plain).unwrap_or_default();
            Ok(Words {
                skill: text(episode.as_ref().and_then(|e| e.skill.as_deref())),
                action: text(episode.as_ref().and_then(|e| e.action.as_deref())),
            })
        };
        rows.iter().map(words).collect()
    }

    /// The whole at a glance, with so many patterns and rows.
    ///
    /// # Errors
    /// A file of the memory cannot be read.
    pub fn overview(&self, top: usize) -> Result<Overview, Error> {
        let (decision, night) = (&self.dreamt.decision, &self.dreamt.night);
        let (snapshots, archived) = self.snapshots()?;
        let (oldest, newest) = overview::reach(decision);
        Ok(Overview {
            schema: "canonry/memory-status/v1",
            now: night.now.to_string(),
            folder: self.context.view.full(&self.context.layout.memory()).to_display(),
            log: LogPart {
                rows: decision.rows.len(),
                unreadable: decision.bad.len(),
                bytes: self.dreamt.survey.log.as_ref().map_or(0, |log| log.mark.size),
                oldest,
                newest,
            },
            snapshots,
            lessons: self.lessons(),
            quarantined: self.quarantined(),
            waiting: self.dreamt.survey.queue.waiting().count(),
            next_dream: self.dreamt.message(),
            thresholds: overview::thresholds(night),
            weeks: overview::weeks(decision, &archived, night.now),
            patterns: self.patterns(top)?,
            patterns_in_all: self.standing.patterns.len(),
            decaying: self.decaying(top)?,
            outlook: overview::outlook(&self.standing),
        })
    }

    fn patterns(&self, top: usize) -> Result<Vec<PatternPart>, Error> {
        let ranked = &self.standing.patterns[..self.standing.patterns.len().min(top)];
        let words = self.words(&ranked.iter().map(|pattern| pattern.best).collect::<Vec<_>>())?;
        let told = ranked.iter().zip(words).map(|(pattern, words)| PatternPart {
            id: self.dreamt.decision.id(pattern.best),
            skill: words.skill,
            action: words.action,
            rows: pattern.rows.len(),
            salience: pattern.salience,
            promoted: pattern.salience >= self.dreamt.night.policy.promote_at,
        });
        Ok(told.collect())
    }

    fn decaying(&self, top: usize) -> Result<Vec<RowPart>, Error> {
        let going = &self.standing.going[..self.standing.going.len().min(top)];
        let words = self.words(&going.iter().map(|going| going.row).collect::<Vec<_>>())?;
        let told = going.iter().zip(words).map(|(going, words)| RowPart {
            id: self.dreamt.decision.id(going.row),
            skill: words.skill,
            action: words.action,
            salience: going.salience,
            leaves: self.dreamt.night.now.minus_days(-going.days).date(),
        });
        Ok(told.collect())
    }

    /// The snapshots' rows, wherever they are from.
    ///
    /// # Errors
    /// A snapshot cannot be read.
    pub fn archive(&self) -> Result<Vec<(RepoPath, u64, Vec<Row>)>, Error> {
        let listing = self.context.view.list(&self.context.layout.snapshots(), IgnoreMode::Include)?;
        let mut read = Vec::new();
        for file in listing.files.iter().filter(|file| file.entry.path.to_display().ends_with(".jsonl")) {
            let path = &file.entry.path;
            let Some(at) = self.context.view.on_disk(path) else { continue };
            let log = read_log(&at, Ruleset::Current)
                .map_err(|e| Error::new(ErrorKind::Unreadable, format!("{path}: the snapshot cannot be read: {e}")))?;
            read.push((path.clone(), log.mark.size, log.rows));
        }
        Ok(read)
    }

    fn snapshots(&self) -> Result<(FilesPart, Vec<Timestamp>), Error> {
        let (mut part, mut days) = (FilesPart::default(), Vec::new());
        for (_, bytes, rows) in self.archive()? {
            part.files += 1;
            part.rows += rows.len();
            part.bytes += bytes;
            days.extend(rows.iter().map(|row| row.at));
        }
        Ok((part, days))
    }

    fn lessons(&self) -> LessonsPart {
        let text = self.dreamt.survey.lessons.as_deref().unwrap_or_default();
        LessonsPart { lessons: lessons::count(text), lines: text.lines().count(), bytes: text.len() as u64 }
    }

    fn quarantined(&self) -> usize {
        match self.context.view.read(&self.context.layout.quarantine(), DOCUMENT_LIMIT) {
            Blob::Bytes(bytes) => String::from_utf8_lossy(&bytes).lines().filter(|l| !l.starts_with('#')).count(),
            Blob::Missing(_) => 0,
        }
    }
}

/// On one line, without characters that a terminal would obey.
pub fn plain(text: &str) -> String {
    let words: Vec<&str> =
        text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()).collect();
    words.join(" ")
}
