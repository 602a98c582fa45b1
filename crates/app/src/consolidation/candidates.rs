//! Candidates of a dream: lessons from patterns, lessons from violated constraints, and skills. Reads the texts of
//! the few rows that matter again, because rows do not keep them.

use super::read_line;
use crate::memory_files::read_document;
use crate::skill_catalog::SkillCatalog;
use crate::{Error, Workspace};
use canonry_memory::constraints::{constraint_id, find_constraint};
use canonry_memory::lessons::{LessonCandidate, lesson_text};
use canonry_memory::promotion::{MAX_PENDING, merge_equal_texts};
use canonry_memory::review::{CandidateKind, ReviewQueue, StagedCandidate};
use canonry_memory::skill_candidates::{self, MIN_REPETITIONS, SkillEvidence, propose_skill, skill_name};
use canonry_memory::{DreamDecision, DreamParams, Pattern, Ruleset};
use canonry_model::canon::Layout;
use canonry_model::canon::episode::Episode;
use canonry_text::RepoPath;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

/// Rows with a reflection that are read for a skill.
const MAX_EVIDENCE_ROWS: usize = 10;

/// The folders of the canon's skills by name.
pub struct NamedSkillFolders<'a> {
    workspace: &'a Workspace,
    folders: BTreeMap<String, RepoPath>,
}

impl<'a> NamedSkillFolders<'a> {
    /// Lists the skills, if the decision involves any.
    ///
    /// # Errors
    /// Git's own files cannot be read.
    pub fn load(workspace: &'a Workspace, decision: &DreamDecision) -> Result<Self, Error> {
        let is_needed = !decision.repeated.is_empty() || decision.rows.iter().any(|row| row.outcome.violates);
        let skills = if is_needed { SkillCatalog::load(workspace)?.inventory.skills } else { Vec::new() };
        let folders = skills.into_iter().map(|skill| (skill.path.file_name_lossy(), skill.path));
        Ok(Self { workspace, folders: folders.collect() })
    }

    fn contains(&self, name: &str) -> bool {
        self.folders.contains_key(name)
    }

    /// The `KNOWLEDGE.md` of a skill; empty if it cannot be read, which `check` reports.
    fn knowledge(&self, skill: &str) -> String {
        let path = self.folders.get(skill).map(Layout::knowledge);
        path.and_then(|path| read_document(&self.workspace.view, &path).ok()).unwrap_or_default()
    }
}

/// Finds the candidates of a dream.
pub struct CandidateFinder<'a> {
    /// The decision about the rows of the log.
    pub decision: &'a DreamDecision,
    /// The parameters of the dream.
    pub params: &'a DreamParams,
    /// The log on disk.
    pub log: &'a Path,
    /// The skills of the canon.
    pub skills: &'a NamedSkillFolders<'a>,
}

/// The texts of a row that matter for a skill.
struct SkillRow {
    skill: String,
    action: String,
    reflection: String,
}

impl CandidateFinder<'_> {
    /// The lessons, those from patterns first. Patterns that teach the same text are one lesson.
    ///
    /// # Errors
    /// The log can no longer be read.
    pub fn lessons(&self) -> io::Result<Vec<LessonCandidate>> {
        let rows = self.decision.rows.iter().enumerate();
        let violating: Vec<usize> = rows.filter(|(_, row)| row.outcome.violates).map(|(at, _)| at).collect();
        if self.decision.promoted.is_empty() && violating.is_empty() {
            return Ok(Vec::new());
        }
        let log = canonry_repo::fs::open(self.log)?;
        let mut candidates: Vec<LessonCandidate> = Vec::new();
        for pattern in &self.decision.promoted {
            let others = pattern.rows.iter().copied().filter(|at| *at != pattern.best);
            let episodes: Vec<String> =
                std::iter::once(pattern.best).chain(others).map(|row| self.decision.row_id(row)).collect();
            let text = self.read_episode(&log, pattern.best, |episode| lesson_text(episode, self.params.ruleset))?;
            let id = (self.params.ruleset == Ruleset::Current).then(|| self.decision.pattern_id(pattern));
            let text = text.unwrap_or_default();
            let total = episodes.len();
            let salience = Some(self.decision.salience(pattern, self.params));
            candidates.push(LessonCandidate { text, total, episodes, pattern: id, salience });
        }
        if self.params.ruleset == Ruleset::Current {
            candidates = merge_equal_texts(candidates);
        }
        candidates.extend(self.violated_constraints(&log, &violating)?);
        Ok(candidates)
    }

    /// One lesson for each violated constraint, whatever the salience of the rows.
    fn violated_constraints(&self, log: &File, rows: &[usize]) -> io::Result<Vec<LessonCandidate>> {
        let mut by_id: BTreeMap<String, usize> = BTreeMap::new();
        let mut lessons: Vec<LessonCandidate> = Vec::new();
        for row in rows {
            let texts = self.read_episode(log, *row, |episode| {
                Some((episode.skill.as_deref()?.to_owned(), episode.violated.as_deref()?.to_owned()))
            })?;
            let Some((skill, violated)) = texts.flatten() else { continue };
            let Some(text) = find_constraint(&self.skills.knowledge(&skill), &violated) else { continue };
            let id = constraint_id(&skill, &text);
            let at = *by_id.entry(id.clone()).or_insert_with(|| {
                lessons.push(LessonCandidate {
                    text,
                    episodes: Vec::new(),
                    total: 0,
                    pattern: Some(id),
                    salience: None,
                });
                lessons.len() - 1
            });
            lessons[at].episodes.push(self.decision.row_id(*row));
            lessons[at].total += 1;
        }
        Ok(lessons)
    }

    /// The new skills, the most frequent action first, limited to the free places in the queue.
    ///
    /// # Errors
    /// The log can no longer be read.
    pub fn skills(&self, queue: &ReviewQueue) -> io::Result<Vec<StagedCandidate>> {
        let pending = queue.pending().filter(|entry| entry.staged.kind == CandidateKind::Skill).count();
        let mut patterns: Vec<&Pattern> = self.decision.repeated.iter().collect();
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.rows.len()));
        let mut staged: Vec<StagedCandidate> = Vec::new();
        if patterns.is_empty() || pending >= MAX_PENDING {
            return Ok(staged);
        }
        let log = canonry_repo::fs::open(self.log)?;
        for pattern in patterns {
            let with_reflection =
                pattern.rows.iter().copied().filter(|at| self.decision.rows[*at].outcome.has_reflection);
            let rows: Vec<usize> = with_reflection.take(MAX_EVIDENCE_ROWS).collect();
            let first = rows.first().map(|row| self.read_evidence(&log, *row)).transpose()?.flatten();
            let Some(first) = first else { continue };
            let is_known = self.skills.contains(&first.skill)
                || self.skills.contains(&skill_name(&first.action))
                || skill_candidates::is_proposed(&first.action, queue)
                || staged.iter().any(|other| skill_candidates::is_same_action(&other.text, &first.action));
            if is_known || first.action.trim().is_empty() {
                continue;
            }
            let others = rows[1..].iter().map(|row| self.read_evidence(&log, *row)).collect::<io::Result<Vec<_>>>()?;
            let reflections = others.into_iter().flatten().map(|row| row.reflection);
            let evidence = SkillEvidence {
                action: first.action,
                reflections: std::iter::once(first.reflection).chain(reflections).collect(),
                episodes: pattern.rows.iter().take(MIN_REPETITIONS).map(|row| self.decision.row_id(*row)).collect(),
                total: pattern.rows.len(),
            };
            staged.push(propose_skill(&evidence, &self.params.now.date()));
            if pending + staged.len() >= MAX_PENDING {
                break;
            }
        }
        Ok(staged)
    }

    fn read_evidence(&self, log: &File, row: usize) -> io::Result<Option<SkillRow>> {
        let text = |field: &Option<Cow<'_, str>>| field.as_deref().unwrap_or_default().to_owned();
        self.read_episode(log, row, |episode| SkillRow {
            skill: text(&episode.skill),
            action: text(&episode.action),
            reflection: text(&episode.reflection),
        })
    }

    /// `None` if the line is no longer an episode: the log has changed, which its mark will show.
    fn read_episode<T>(&self, log: &File, row: usize, read: impl FnOnce(&Episode<'_>) -> T) -> io::Result<Option<T>> {
        let bytes = read_line(log, self.decision.rows[row].extent)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(Episode::parse(text.as_bytes()).ok().map(|episode| read(&episode)))
    }
}
