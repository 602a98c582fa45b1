//! What a night has to propose: lessons of patterns, constraints that were not kept, and skills.

use super::canon::Canon;
use super::lines::line;
use crate::canon::episode::Episode;
use crate::memory::lessons::{self, Candidate};
use crate::memory::promotion::WAITING;
use crate::memory::review::{Kind, Queue, Staged};
use crate::memory::skillforge::{self, Said};
use crate::memory::{Decision, Night, Pattern, Ruleset, constraints};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::Path;

/// Rows of a way whose texts are read: those of them that say something say enough.
const TOLD: usize = 10;

/// What a row tells of a way.
struct Told {
    skill: String,
    action: String,
    reflection: String,
}

/// A log, read once more where a row's text counts.
pub struct Texts<'a> {
    pub decision: &'a Decision,
    pub night: &'a Night,
    pub log: &'a Path,
}

impl Texts<'_> {
    /// The lessons, those of patterns first.
    ///
    /// # Errors
    /// The log cannot be read any more.
    pub fn lessons(&self, canon: &Canon<'_>) -> io::Result<Vec<Candidate>> {
        let violating = (0..self.decision.rows.len()).filter(|row| self.decision.rows[*row].way.violates);
        let violating: Vec<usize> = violating.collect();
        if self.decision.promoted.is_empty() && violating.is_empty() {
            return Ok(Vec::new());
        }
        let log = File::open(self.log)?;
        let mut candidates: Vec<Candidate> = Vec::new();
        for pattern in &self.decision.promoted {
            let rows =
                std::iter::once(pattern.best).chain(pattern.rows.iter().copied().filter(|at| *at != pattern.best));
            let ids: Vec<String> = rows.map(|row| self.decision.id(row)).collect();
            let text = self.episode(&log, pattern.best, |episode| lessons::text_of(episode, self.night.ruleset))?;
            let name = (self.night.ruleset == Ruleset::Current).then(|| self.decision.name(pattern));
            candidates.push(Candidate { text: text.unwrap_or_default(), of: ids.len(), ids, pattern: name });
        }
        candidates.extend(self.constraints(&log, &violating, canon)?);
        Ok(candidates)
    }

    /// One lesson for each constraint, whatever its rows weigh.
    fn constraints(&self, log: &File, violating: &[usize], canon: &Canon<'_>) -> io::Result<Vec<Candidate>> {
        let mut met: BTreeMap<String, usize> = BTreeMap::new();
        let mut found: Vec<Candidate> = Vec::new();
        for row in violating {
            let said =
                self.episode(log, *row, |e| Some((e.skill.as_deref()?.to_owned(), e.violated.as_deref()?.to_owned())))?;
            let Some((skill, violated)) = said.flatten() else { continue };
            let Some(text) = constraints::meant(&canon.knowledge(&skill), &violated) else { continue };
            let name = constraints::name(&skill, &text);
            let at = *met.entry(name.clone()).or_insert_with(|| {
                found.push(Candidate { text, ids: Vec::new(), of: 0, pattern: Some(name) });
                found.len() - 1
            });
            found[at].ids.push(self.decision.id(*row));
            found[at].of += 1;
        }
        Ok(found)
    }

    /// The skills that are new, as many as there is room for; what is done most often first.
    ///
    /// # Errors
    /// The log cannot be read any more.
    pub fn skills(&self, queue: &Queue, canon: &Canon<'_>) -> io::Result<Vec<Staged>> {
        let waiting = queue.waiting().filter(|entry| entry.staged.kind == Kind::Skill).count();
        let mut ways: Vec<&Pattern> = self.decision.repeated.iter().collect();
        ways.sort_by_key(|way| std::cmp::Reverse(way.rows.len()));
        let mut staged: Vec<Staged> = Vec::new();
        if ways.is_empty() || waiting >= WAITING {
            return Ok(staged);
        }
        let log = File::open(self.log)?;
        for way in ways {
            let telling: Vec<usize> =
                way.rows.iter().copied().filter(|row| self.decision.rows[*row].way.reflects).take(TOLD).collect();
            let Some(first) = telling.first().map(|row| self.told(&log, *row)).transpose()?.flatten() else { continue };
            let is_known = canon.has(&first.skill)
                || canon.has(&skillforge::name(&first.action))
                || skillforge::is_known(&first.action, queue)
                || staged.iter().any(|other| skillforge::is_same(&other.text, &first.action));
            if is_known || first.action.trim().is_empty() {
                continue;
            }
            let others = telling[1..].iter().map(|row| self.told(&log, *row)).collect::<io::Result<Vec<_>>>()?;
            let others = others.into_iter().flatten().map(|told| told.reflection);
            let said = Said {
                action: first.action,
                reflections: std::iter::once(first.reflection).chain(others).collect(),
                ids: way.rows.iter().take(skillforge::TIMES).map(|row| self.decision.id(*row)).collect(),
            };
            staged.push(skillforge::proposed(&said, way.rows.len(), &self.night.now.date()));
            if waiting + staged.len() >= WAITING {
                break;
            }
        }
        Ok(staged)
    }

    fn told(&self, log: &File, row: usize) -> io::Result<Option<Told>> {
        let text = |field: &Option<Cow<'_, str>>| field.as_deref().unwrap_or_default().to_owned();
        self.episode(log, row, |episode| Told {
            skill: text(&episode.skill),
            action: text(&episode.action),
            reflection: text(&episode.reflection),
        })
    }

    /// `None` for a row that is none any more: it was changed in the meantime, which the log's mark will tell.
    fn episode<T>(&self, log: &File, row: usize, read: impl FnOnce(&Episode<'_>) -> T) -> io::Result<Option<T>> {
        let bytes = line(log, self.decision.rows[row].extent)?;
        let text = String::from_utf8_lossy(&bytes);
        Ok(Episode::parse(text.as_bytes()).ok().map(|episode| read(&episode)))
    }
}
