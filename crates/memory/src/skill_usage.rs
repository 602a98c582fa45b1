//! Use and success of skills, from the rows of the log; and the advice that follows: rewrite a skill that keeps
//! failing, retire one that nobody uses any more.

use super::promotion::MAX_PENDING;
use super::review::{CandidateKind, ReviewQueue, ReviewStatus, StagedCandidate};
use super::row::{EpisodeRow, skill_hash};
use canonry_model::canon::timestamp::Timestamp;
use std::collections::HashMap;

/// Uses below which a failure rate means nothing.
pub const MIN_USES: usize = 5;
/// Days without a use after which a skill is stale.
pub const STALE_AFTER_DAYS: i64 = 90;
/// Prefix of the name of a candidate for a rewrite, before the skill.
const REWRITE_PREFIX: &str = "rewrite:";
/// Prefix of the name of a candidate for retirement, before the skill.
const UNUSED_PREFIX: &str = "unused:";

/// The use of a skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkillUsage {
    /// Rows that name the skill.
    pub uses: usize,
    /// Rows with a failure.
    pub failures: usize,
    /// Rows with a violated constraint.
    pub violations: usize,
    /// The time of the last row; never later than now.
    pub last_used: Option<Timestamp>,
}

/// Advice about a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SkillAdvice {
    /// At least half of its uses fail.
    Rewrite,
    /// It was used, but not for a long time.
    Stale,
}

impl SkillUsage {
    /// Current advice; none if it was never used, because a skill may be new.
    pub fn advice(&self, now: Timestamp) -> Option<SkillAdvice> {
        if self.uses >= MIN_USES && self.failures * 2 >= self.uses {
            return Some(SkillAdvice::Rewrite);
        }
        self.last_used.filter(|used| used.days_before(now) > STALE_AFTER_DAYS).map(|_| SkillAdvice::Stale)
    }
}

/// The use of each skill by [`skill_hash`].
#[derive(Clone, Debug, Default)]
pub struct UsageTable {
    by_skill: HashMap<u32, SkillUsage>,
    /// Rows of a skill up to this time do not count.
    since: HashMap<u32, Timestamp>,
}

impl UsageTable {
    /// Counts only what happened after the last decision about the upkeep of a skill, and nothing while one waits: the skill may
    /// have been rewritten since.
    pub fn since_decisions(queue: &ReviewQueue, now: Timestamp) -> Self {
        let mut table = Self::default();
        for entry in queue.entries.iter().filter(|entry| entry.staged.kind == CandidateKind::Upkeep) {
            let at = match &entry.status {
                ReviewStatus::Pending => Some(now),
                ReviewStatus::Accepted(decision) | ReviewStatus::Rejected(decision) => {
                    Timestamp::parse(&decision.timestamp)
                }
            };
            if let (Some(skill), Some(at)) = (skill_of(&entry.staged.candidate), at) {
                let since = table.since.entry(skill_hash(skill)).or_insert(at);
                *since = at.max(*since);
            }
        }
        table
    }

    /// Counts rows. A time in the future counts as now.
    pub fn add<'r>(&mut self, rows: impl IntoIterator<Item = &'r EpisodeRow>, now: Timestamp) {
        for row in rows {
            let Some(skill) = row.skill else { continue };
            let at = row.at.min(now);
            if self.since.get(&skill).is_some_and(|since| at <= *since) {
                continue;
            }
            let usage = self.by_skill.entry(skill).or_default();
            usage.uses += 1;
            usage.failures += usize::from(row.outcome.is_failure);
            usage.violations += usize::from(row.outcome.violates);
            usage.last_used = usage.last_used.max(Some(at));
        }
    }

    /// The use of a skill.
    pub fn usage(&self, skill: &str) -> SkillUsage {
        self.by_skill.get(&skill_hash(skill)).copied().unwrap_or_default()
    }
}

/// A skill of the canon with its use.
#[derive(Clone, Debug)]
pub struct UsedSkill {
    /// The name of its folder.
    pub name: String,
    /// Its use since the last decision.
    pub usage: SkillUsage,
}

/// The skill of a candidate's name: `deploy` of `rewrite:deploy@2026-05-01`.
fn skill_of(candidate: &str) -> Option<&str> {
    let rest = candidate.strip_prefix(REWRITE_PREFIX).or_else(|| candidate.strip_prefix(UNUSED_PREFIX))?;
    rest.rsplit_once('@').map(|(skill, _)| skill)
}

/// The candidates for a rewrite or a retirement, limited to the free places of the queue.
pub fn upkeep_candidates(skills: &[UsedSkill], queue: &ReviewQueue, now: Timestamp) -> Vec<StagedCandidate> {
    let candidate = |skill: &UsedSkill| {
        let UsedSkill { name, usage } = skill;
        let (prefix, text) = match usage.advice(now)? {
            SkillAdvice::Rewrite => {
                let failures = usage.failures;
                let uses = usage.uses;
                (REWRITE_PREFIX, format!("Rewrite the skill {name}: {failures} of {uses} uses failed"))
            }
            SkillAdvice::Stale => {
                let last = usage.last_used?.date();
                (UNUSED_PREFIX, format!("Retire the skill {name}: last used on {last}"))
            }
        };
        let name = format!("{prefix}{name}@{}", now.date());
        let staged = StagedCandidate::new(CandidateKind::Upkeep, name, text, now.date());
        Some(StagedCandidate { total: usage.uses, ..staged })
    };
    let pending = queue.pending().filter(|entry| entry.staged.kind == CandidateKind::Upkeep).count();
    let is_new =
        |staged: &StagedCandidate| queue.entries.iter().all(|entry| entry.staged.candidate != staged.candidate);
    skills.iter().filter_map(candidate).filter(is_new).take(MAX_PENDING.saturating_sub(pending)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::ReviewEvent;
    use crate::{ParsedLog, Ruleset};

    const NOW: &str = "2026-05-01T00:00:00Z";

    fn rows(rows: &[(&str, &str, &str)]) -> Vec<EpisodeRow> {
        let line = |(at, skill, result): &(&str, &str, &str)| {
            serde_json::json!({"timestamp": at, "skill": skill, "action": "a", "result": result}).to_string() + "\n"
        };
        let log: String = rows.iter().map(line).collect();
        ParsedLog::parse(log, Ruleset::Current).rows
    }

    fn table(of: &[(&str, &str, &str)]) -> UsageTable {
        let mut table = UsageTable::default();
        table.add(&rows(of), Timestamp::parse(NOW).unwrap());
        table
    }

    #[test]
    fn rows_count_for_their_skill() {
        let table = table(&[
            ("2026-04-01T00:00:00Z", "deploy", "failure"),
            ("2099-01-01T00:00:00Z", "deploy", "success"),
            ("2026-04-02T00:00:00Z", "review", "success"),
        ]);
        let usage = table.usage("deploy");
        assert_eq!((usage.uses, usage.failures, usage.violations), (2, 1, 0));
        assert_eq!(usage.last_used, Timestamp::parse(NOW));
        assert_eq!(table.usage("other"), SkillUsage::default());
    }

    #[test]
    fn advice_needs_evidence() {
        let now = Timestamp::parse(NOW).unwrap();
        let used = |uses, failures, last: &str| {
            SkillUsage { uses, failures, violations: 0, last_used: Timestamp::parse(last) }.advice(now)
        };
        assert_eq!(used(5, 3, NOW), Some(SkillAdvice::Rewrite));
        assert_eq!(used(6, 3, NOW), Some(SkillAdvice::Rewrite));
        assert_eq!(used(7, 3, NOW), None);
        assert_eq!(used(4, 4, NOW), None);
        assert_eq!(used(1, 0, "2026-01-30T00:00:00Z"), Some(SkillAdvice::Stale));
        assert_eq!(used(1, 0, "2026-01-31T00:00:00Z"), None);
        assert_eq!(SkillUsage::default().advice(now), None);
    }

    #[test]
    fn only_new_evidence_counts_after_a_decision() {
        let now = Timestamp::parse(NOW).unwrap();
        let failing: Vec<_> = (0..5).map(|_| ("2026-04-01T00:00:00Z", "deploy", "failure")).collect();
        let skill = UsedSkill { name: "deploy".to_owned(), usage: table(&failing).usage("deploy") };
        let staged = upkeep_candidates(&[skill], &ReviewQueue::default(), now);
        assert_eq!(staged[0].candidate, "rewrite:deploy@2026-05-01");
        assert_eq!(staged[0].text, "Rewrite the skill deploy: 5 of 5 uses failed");
        let line = ReviewEvent::Staged(staged[0].clone()).to_line();
        let decision = |at: &str| {
            let event = serde_json::json!({
                "event": "rejected", "candidate": staged[0].candidate, "timestamp": at, "by": "U <u@e.x>", "reason": "no",
            });
            ReviewQueue::parse(&format!("{line}{event}\n"))
        };
        let counted = |queue: &ReviewQueue| {
            let mut counted = UsageTable::since_decisions(queue, now);
            counted.add(&rows(&failing), now);
            counted.usage("deploy").uses
        };
        assert_eq!(counted(&ReviewQueue::default()), 5);
        assert_eq!(counted(&ReviewQueue::parse(&line)), 0);
        assert_eq!(counted(&decision("2026-04-01T00:00:00Z")), 0);
        assert_eq!(counted(&decision("2026-03-31T00:00:00Z")), 5);
    }
}
