//! The core of a dream: which rows leave the log, and which recurring patterns become lessons or skills.

use super::log::ParsedLog;
use super::policy::{MAX_RECURRENCE, MemoryPolicy};
use super::row::{EpisodeRow, InvalidLine, LineExtent, RowId, pattern_id};
use super::ruleset::Ruleset;
use canonry_model::canon::timestamp::Timestamp;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// Failures after which a person is asked what to learn from them.
const MIN_FAILURES: usize = 2;
/// Successes with the same result after which a skill is proposed.
pub(super) const MIN_REPETITIONS: usize = 3;
/// Days for which a pattern may become a lesson as if its newest row had just been logged.
const PROMOTION_GRACE_DAYS: i64 = 7;

/// The parameters of a dream.
#[derive(Clone, Debug)]
pub struct DreamParams {
    /// The current time.
    pub now: Timestamp,
    /// The thresholds.
    pub policy: MemoryPolicy,
    /// The rules to follow.
    pub ruleset: Ruleset,
}

/// Rows that describe the same thing, as indices of the log's rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The row with the highest salience; it represents the pattern.
    pub best: usize,
    /// All rows in log order, including `best`.
    pub rows: Vec<usize>,
}

/// A line that leaves the log.
#[derive(Clone, Debug, PartialEq)]
pub enum DepartingLine<'a> {
    /// A row that moves to the snapshot of its month.
    Archived(&'a EpisodeRow),
    /// A line that moves to the quarantine.
    Invalid(&'a InvalidLine),
}

impl DepartingLine<'_> {
    /// The position in the log.
    pub fn extent(&self) -> LineExtent {
        match self {
            Self::Archived(row) => row.extent,
            Self::Invalid(line) => line.extent,
        }
    }
}

/// Decisions of a dream about a log. Indices refer to its rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DreamDecision {
    /// The log.
    pub log: ParsedLog,
    /// All patterns, by first appearance.
    pub patterns: Vec<Pattern>,
    /// Patterns salient enough to become lessons, by first appearance. `best` is their most salient row that says what to learn.
    pub promoted: Vec<Pattern>,
    /// Failures that recur and are as salient, but none of whose rows says what to learn, by first appearance.
    pub unexplained: Vec<Pattern>,
    /// For each pattern that succeeded often enough to be proposed as a skill: the rows with the same result.
    pub repeated: Vec<Pattern>,
    /// Rows that leave the log, in order.
    pub archived: Vec<usize>,
    /// For rows identified by content: the ordinal among byte-identical rows, from 2. The first has no entry.
    duplicates: HashMap<usize, usize>,
}

/// Decides about a log.
pub fn consolidate(log: ParsedLog, params: &DreamParams) -> DreamDecision {
    let rows = &log.rows;
    let patterns = find_patterns(rows, params);
    DreamDecision {
        duplicates: duplicate_ordinals(rows),
        archived: archived_rows(rows, &patterns, params),
        repeated: repeated_patterns(rows, &patterns),
        promoted: promoted_patterns(rows, &patterns, params),
        unexplained: unexplained_failures(rows, &patterns, params),
        patterns,
        log,
    }
}

impl DreamDecision {
    /// The id of a row: its own, `L<line>`, or the hash of its bytes with an ordinal for duplicates.
    pub fn row_id(&self, row: usize) -> String {
        match &self.log.rows[row].id {
            RowId::Own(id) => id.to_string(),
            RowId::Line => format!("L{}", self.log.rows[row].line),
            RowId::Content(hash) => match self.duplicates.get(&row) {
                Some(nth) => format!("{hash:016x}-{nth}"),
                None => format!("{hash:016x}"),
            },
        }
    }

    /// The id of a pattern. It comes from the first row, so it stays the same when rows are added.
    pub fn pattern_id(&self, pattern: &Pattern) -> String {
        let first = pattern.rows.first().unwrap_or(&pattern.best);
        pattern_id(self.log.rows[*first].key)
    }

    /// The salience of a pattern: that of its best row, with the number of rows as the recurrence.
    pub fn salience(&self, pattern: &Pattern, params: &DreamParams) -> f64 {
        pattern_salience(&self.log.rows, pattern, params)
    }

    /// Every pattern with its salience, the most salient first.
    pub fn ranked_patterns(&self, params: &DreamParams) -> Vec<(&Pattern, f64)> {
        let weighed = self.patterns.iter().map(|pattern| (pattern, self.salience(pattern, params)));
        let mut ranked: Vec<(&Pattern, f64)> = weighed.collect();
        ranked.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        ranked
    }

    /// The number of rows that stay.
    pub fn kept(&self) -> usize {
        self.log.rows.len() - self.archived.len()
    }

    /// The lines that leave the log, in log order.
    pub fn departing_lines(&self) -> Vec<DepartingLine<'_>> {
        let archived = self.archived.iter().map(|row| DepartingLine::Archived(&self.log.rows[*row]));
        let mut lines: Vec<DepartingLine<'_>> =
            archived.chain(self.log.invalid.iter().map(DepartingLine::Invalid)).collect();
        lines.sort_by_key(|line| line.extent().offset);
        lines
    }
}

/// Numbers byte-identical rows: each is an episode of its own.
fn duplicate_ordinals(rows: &[EpisodeRow]) -> HashMap<usize, usize> {
    let mut hashes: Vec<(u64, u32)> = Vec::new();
    for (at, row) in (0..).zip(rows) {
        if let RowId::Content(hash) = row.id {
            hashes.push((hash, at));
        }
    }
    hashes.par_sort_unstable();
    let equal = hashes.chunk_by(|a, b| a.0 == b.0).filter(|equal| equal.len() > 1);
    equal.flat_map(|equal| equal.iter().enumerate().skip(1).map(|(nth, (_, at))| (*at as usize, nth + 1))).collect()
}

/// The patterns of two or more rows, by first appearance.
fn find_patterns(rows: &[EpisodeRow], params: &DreamParams) -> Vec<Pattern> {
    let mut by_key: Vec<u32> = (0..).zip(rows).map(|(at, _)| at).collect();
    by_key.par_sort_unstable_by_key(|at| (rows[*at as usize].key, *at));
    let groups = by_key.chunk_by(|a, b| rows[*a as usize].key == rows[*b as usize].key);
    let mut groups: Vec<&[u32]> = groups.filter(|group| group.len() > 1).collect();
    groups.par_sort_unstable_by_key(|group| group.first().copied());
    groups.into_iter().map(|group| pattern_from_rows(rows, group, params)).collect()
}

/// The pattern of a group. The first of equally salient rows represents it.
fn pattern_from_rows(rows: &[EpisodeRow], group: &[u32], params: &DreamParams) -> Pattern {
    let members: Vec<usize> = group.iter().map(|at| *at as usize).collect();
    let salience = |at: usize| params.policy.row_salience(&rows[at], rows[at].recurrence, params.now);
    let mut best = (members[0], salience(members[0]));
    for at in &members[1..] {
        let salience = salience(*at);
        if salience > best.1 {
            best = (*at, salience);
        }
    }
    Pattern { best: best.0, rows: members }
}

/// The salience of a pattern: that of its best row, with the number of rows as the recurrence.
fn pattern_salience(rows: &[EpisodeRow], pattern: &Pattern, params: &DreamParams) -> f64 {
    params.policy.row_salience(&rows[pattern.best], pattern.rows.len() as f64, params.now)
}

fn repeated_patterns(rows: &[EpisodeRow], patterns: &[Pattern]) -> Vec<Pattern> {
    let repeated =
        |pattern: &Pattern| Some(Pattern { best: pattern.best, rows: repeated_successes(rows, &pattern.rows)? });
    patterns.iter().filter_map(repeated).collect()
}

/// The rows of a pattern that share its most common successful result, if there are enough of them and one has a reflection.
fn repeated_successes(rows: &[EpisodeRow], pattern: &[usize]) -> Option<Vec<usize>> {
    let mut by_result: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for at in pattern {
        if let Some(result) = rows[*at].outcome.result {
            by_result.entry(result.get()).or_default().push(*at);
        }
    }
    // Of equally common results, the one that occurred first.
    let most = by_result.into_values().max_by_key(|rows| (rows.len(), Reverse(rows[0])))?;
    let has_reflection = most.iter().any(|at| rows[*at].outcome.has_reflection);
    (most.len() >= MIN_REPETITIONS && has_reflection).then_some(most)
}

fn promoted_patterns(rows: &[EpisodeRow], patterns: &[Pattern], params: &DreamParams) -> Vec<Pattern> {
    match params.ruleset {
        Ruleset::Seed => {
            let is_salient = |pattern: &&Pattern| pattern_salience(rows, pattern, params) >= params.policy.promote_at;
            patterns.iter().filter(is_salient).cloned().collect()
        }
        Ruleset::Current => patterns.iter().filter_map(|pattern| taught_by(rows, pattern, params)).collect(),
    }
}

/// The pattern, represented by its most salient row with a reflection. `None` if there is no such row, or if the pattern is not
/// salient enough: what failed is not yet what to learn.
fn taught_by(rows: &[EpisodeRow], pattern: &Pattern, params: &DreamParams) -> Option<Pattern> {
    let taught: Vec<u32> = pattern
        .rows
        .iter()
        .filter(|at| rows[**at].outcome.has_reflection)
        .map(|at| u32::try_from(*at).expect("rows are numbered with `u32`"))
        .collect();
    if taught.is_empty() {
        return None;
    }
    let taught = Pattern { best: pattern_from_rows(rows, &taught, params).best, rows: pattern.rows.clone() };
    is_promotable(rows, &taught, params).then_some(taught)
}

/// The recurring failures of which no row has a reflection.
fn unexplained_failures(rows: &[EpisodeRow], patterns: &[Pattern], params: &DreamParams) -> Vec<Pattern> {
    if params.ruleset == Ruleset::Seed {
        return Vec::new();
    }
    let is_unexplained = |pattern: &&Pattern| {
        let outcomes = || pattern.rows.iter().map(|at| rows[*at].outcome);
        outcomes().filter(|outcome| outcome.is_failure).count() >= MIN_FAILURES
            && !outcomes().any(|outcome| outcome.has_reflection)
            && is_promotable(rows, pattern, params)
    };
    patterns.iter().filter(is_unexplained).cloned().collect()
}

/// Whether a pattern is salient enough for a lesson. Its age counts from its newest row, as in a dream right after it, so that
/// what is learned does not depend on the hour of the dream, or on a night without one.
fn is_promotable(rows: &[EpisodeRow], pattern: &Pattern, params: &DreamParams) -> bool {
    let newest = pattern.rows.iter().map(|at| rows[*at].at).max().unwrap_or(params.now);
    let now = newest.max(params.now.minus_days(PROMOTION_GRACE_DAYS)).min(params.now);
    let recurrence = pattern.rows.len() as f64;
    params.policy.row_salience(&rows[pattern.best], recurrence, now) >= params.policy.promote_at
}

/// The rows that are strictly older than the limit and of low salience. A pattern's best row has the pattern's salience.
fn archived_rows(rows: &[EpisodeRow], patterns: &[Pattern], params: &DreamParams) -> Vec<usize> {
    let limit = params.now.minus_days(params.policy.archive_after_days);
    let mut sizes: HashMap<usize, usize> = HashMap::with_capacity(patterns.len());
    sizes.extend(patterns.iter().map(|pattern| (pattern.best, pattern.rows.len())));
    let leaves = |at: usize| {
        let row = &rows[at];
        if row.at >= limit {
            return false;
        }
        let recurrence = sizes.get(&at).map_or(row.recurrence, |size| *size as f64);
        params.policy.row_salience(row, recurrence, params.now) < params.policy.archive_below
    };
    let mut leaving: Vec<bool> = (0..rows.len()).map(leaves).collect();
    if params.ruleset == Ruleset::Current {
        let old = patterns.iter().filter(|pattern| rows[pattern.best].at < limit);
        old.for_each(|pattern| keep_witnesses(pattern, &mut leaving));
    }
    (0..rows.len()).filter(|at| leaving[*at]).collect()
}

/// If an old row stays because its pattern recurs, keeps as many rows of the pattern as count towards its salience. Without
/// them the row would be alone in the next dream, and leave.
fn keep_witnesses(pattern: &Pattern, leaving: &mut [bool]) {
    if leaving[pattern.best] {
        return;
    }
    let staying = pattern.rows.iter().filter(|at| !leaving[**at]).count();
    let wanted = pattern.rows.len().min(MAX_RECURRENCE).saturating_sub(staying);
    let witnesses: Vec<usize> = pattern.rows.iter().copied().filter(|at| leaving[*at]).take(wanted).collect();
    witnesses.into_iter().for_each(|at| leaving[at] = false);
}

#[cfg(test)]
#[path = "consolidation_tests.rs"]
mod tests;
