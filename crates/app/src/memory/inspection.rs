//! The memory together with the plan of a dream at a given time, for reports.

use super::queue::ReviewFiles;
use super::review::ReviewItem;
use super::single_line;
use crate::consolidation::run_log::read_nights;
use crate::consolidation::{DreamPlan, plan_dream};
use crate::memory_files::{read_document, read_rows};
use crate::outdated_lessons;
use crate::{Error, Workspace};
use canonry_memory::lessons::{Lesson, count_lessons, lessons};
use canonry_memory::nights::NightsOverview;
use canonry_memory::overview::{
    LearnedLesson, LessonsOverview, LogOverview, MemoryOverview, PatternOverview, SnapshotOverview, Thresholds,
    WaitingCandidate, count_weeks,
};
use canonry_memory::pages::{DueDecision, due_decisions};
use canonry_memory::review::QueueEntry;
use canonry_memory::{DreamParams, EpisodeRow, MemoryPolicy, Pattern, Ruleset};
use canonry_model::canon::Blob;
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::view::IgnoreMode;
use canonry_repo::view::load::DOCUMENT_LIMIT;
use canonry_text::RepoPath;

/// The memory and what a dream would do with it.
pub(super) struct MemoryInspection<'a> {
    workspace: &'a Workspace,
    pub(super) plan: DreamPlan,
}

/// Texts of a row.
#[derive(Default)]
pub(super) struct RowText {
    pub(super) skill: String,
    pub(super) action: String,
}

/// A snapshot of archived rows.
pub(super) struct SnapshotRows {
    pub(super) path: RepoPath,
    bytes: u64,
    pub(super) rows: Vec<EpisodeRow>,
}

impl<'a> MemoryInspection<'a> {
    /// Plans a dream at a time, or now.
    pub(super) fn load(workspace: &'a Workspace, now: Option<Timestamp>) -> Result<Self, Error> {
        let now = now.unwrap_or_else(|| workspace.env.clock.now());
        let policy = MemoryPolicy::from_config(&workspace.config.memory);
        let plan = plan_dream(workspace, &DreamParams { now, policy, ruleset: Ruleset::Current })?;
        Ok(Self { workspace, plan })
    }

    /// The texts of a row of the log.
    pub(super) fn row_text(&self, row: usize) -> RowText {
        let text = |field: Option<&str>| field.map(single_line).unwrap_or_default();
        let read = self.plan.decision.log.episode(row, |episode| RowText {
            skill: text(episode.skill.as_deref()),
            action: text(episode.action.as_deref()),
        });
        read.unwrap_or_default()
    }

    /// The overview, with up to `top` patterns.
    pub(super) fn overview(&self, top: usize) -> Result<MemoryOverview, Error> {
        let decision = &self.plan.decision;
        let params = &self.plan.params;
        let snapshots = self.snapshots()?;
        let archived: Vec<Timestamp> = snapshots.iter().flat_map(|file| file.rows.iter().map(|row| row.at)).collect();
        let dates = || decision.log.rows.iter().map(|row| row.at);
        Ok(MemoryOverview {
            now: format!("{:.0}", params.now),
            folder: self.workspace.view.full(&self.workspace.layout.memory()).to_display(),
            log: LogOverview {
                rows: decision.log.rows.len(),
                unreadable: decision.log.invalid.len(),
                bytes: decision.log.bytes.len() as u64,
                oldest: dates().min().map(Timestamp::date),
                newest: dates().max().map(Timestamp::date),
            },
            snapshots: SnapshotOverview {
                files: snapshots.len(),
                rows: archived.len(),
                bytes: snapshots.iter().map(|file| file.bytes).sum(),
            },
            lessons: self.lessons(),
            learned: self.learned(top),
            outdated: outdated_lessons::find(self.workspace)?,
            candidates: self.candidates()?,
            due_decisions: self.due_decisions()?,
            quarantined: self.quarantined(),
            waiting: self.plan.state.queue.pending().count(),
            // Files outside of git have no nights.
            nights: match self.workspace.git_dir() {
                Ok(git_dir) => read_nights(&git_dir, params.now)?,
                Err(_) => NightsOverview::default(),
            },
            next_dream: self.plan.counts(),
            thresholds: Thresholds::new(params),
            weeks: count_weeks(decision, &archived, params.now),
            patterns: self.patterns(top),
            patterns_in_all: decision.patterns.len(),
        })
    }

    fn patterns(&self, top: usize) -> Vec<PatternOverview> {
        let ranked = self.plan.decision.ranked_patterns(&self.plan.params).into_iter().take(top);
        let overview = |(pattern, salience): (&Pattern, f64)| {
            let text = self.row_text(pattern.best);
            PatternOverview {
                id: self.plan.decision.row_id(pattern.best),
                skill: text.skill,
                action: text.action,
                rows: pattern.rows.len(),
                salience,
                promoted: salience >= self.plan.params.policy.promote_at,
            }
        };
        ranked.map(overview).collect()
    }

    /// The snapshots with their rows.
    pub(super) fn snapshots(&self) -> Result<Vec<SnapshotRows>, Error> {
        let listing = self.workspace.view.list(&self.workspace.layout.snapshots(), IgnoreMode::Include)?;
        let mut snapshots = Vec::new();
        for file in listing.files.iter().filter(|file| file.entry.path.to_display().ends_with(".jsonl")) {
            let path = &file.entry.path;
            let read = read_rows(self.workspace, path, Ruleset::Current)?.unwrap_or_default();
            snapshots.push(SnapshotRows { path: path.clone(), bytes: read.mark.size, rows: read.log.rows });
        }
        Ok(snapshots)
    }

    fn lessons(&self) -> LessonsOverview {
        let text = self.plan.state.lessons.as_deref().unwrap_or_default();
        LessonsOverview { lessons: count_lessons(text), lines: text.lines().count(), bytes: text.len() as u64 }
    }

    /// The newest dated lessons; of a day, the last in the file first.
    fn learned(&self, top: usize) -> Vec<LearnedLesson> {
        let mut dated = lessons(self.plan.state.lessons.as_deref().unwrap_or_default());
        dated.retain(Lesson::is_dated);
        dated.reverse();
        dated.sort_by(|a, b| b.date.cmp(&a.date));
        let learned = dated.into_iter().take(top);
        learned
            .map(|lesson| LearnedLesson { date: lesson.date.unwrap_or_default(), text: single_line(&lesson.text) })
            .collect()
    }

    fn candidates(&self) -> Result<Vec<WaitingCandidate>, Error> {
        let mut files = ReviewFiles::load(self.workspace)?;
        files.add_log(&self.plan);
        let waiting = |entry: &QueueEntry| {
            let item = ReviewItem::new(&files, entry);
            WaitingCandidate {
                candidate: single_line(&entry.staged.candidate),
                kind: entry.staged.kind,
                text: single_line(&entry.staged.text),
                episodes: entry.staged.total,
                evidence: item.evidence,
                like: item.like,
                near_opposites: item.near_opposites.iter().map(ToString::to_string).collect(),
                opposed_to: item.contradictions.iter().map(ToString::to_string).collect(),
            }
        };
        Ok(files.queue.pending().map(waiting).collect())
    }

    fn due_decisions(&self) -> Result<Vec<DueDecision>, Error> {
        let decisions = read_document(&self.workspace.view, &self.workspace.layout.decisions())?;
        Ok(due_decisions(&decisions, &self.plan.params.now.date()))
    }

    fn quarantined(&self) -> usize {
        match self.workspace.view.read(&self.workspace.layout.quarantine(), DOCUMENT_LIMIT) {
            Blob::Bytes(bytes) => String::from_utf8_lossy(&bytes).lines().filter(|l| !l.starts_with('#')).count(),
            Blob::Missing(_) => 0,
        }
    }
}
