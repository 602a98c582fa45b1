//! Which rows leave the log, and which patterns become lessons.

use super::alike::{self, Phrase};
use super::policy::{Policy, RECURRENCE_LIMIT};
use super::row::{BadLine, Extent, Row, RowId};
use super::ruleset::Ruleset;
use super::skillforge::same_way;
use crate::canon::timestamp::Timestamp;
use rayon::prelude::*;
use std::collections::HashMap;

/// What a dream is given beside the log.
#[derive(Clone, Debug)]
pub struct Night {
    /// The moment that counts as now.
    pub now: Timestamp,
    /// The thresholds.
    pub policy: Policy,
    /// Whose rules.
    pub ruleset: Ruleset,
}

/// Rows that are one pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// The row that speaks for it.
    pub best: usize,
    /// All of its rows in their order, `best` among them.
    pub rows: Vec<usize>,
}

/// A line that leaves the log.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaving<'a> {
    /// To the snapshot of its month.
    Archived(&'a Row),
    /// To the quarantine.
    Bad(&'a BadLine),
}

impl Leaving<'_> {
    /// Where it stands.
    pub fn extent(&self) -> Extent {
        match self {
            Self::Archived(row) => row.extent,
            Self::Bad(bad) => bad.extent,
        }
    }
}

/// What is decided on a log. Indices count its rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decision {
    /// The rows.
    pub rows: Vec<Row>,
    /// The lines that are none.
    pub bad: Vec<BadLine>,
    /// All patterns, in the order in which they first appear.
    pub patterns: Vec<Pattern>,
    /// Patterns that matter enough for a lesson, by the first appearance of each (S5).
    pub promoted: Vec<Pattern>,
    /// Patterns of which enough rows went the same way to be proposed as a skill, by the first appearance of each: those rows.
    pub repeated: Vec<Pattern>,
    /// Rows that leave the log, in their order (S6).
    pub archived: Vec<usize>,
    /// For rows named by their content: which of several equal ones a row is, from 2; the first has no entry.
    twins: HashMap<usize, usize>,
}

/// Decides on a log: its rows, and the lines that are none, each in their order.
pub fn decide(rows: Vec<Row>, bad: Vec<BadLine>, night: &Night) -> Decision {
    let patterns = recurring(&rows, night);
    Decision {
        twins: twins(&rows),
        archived: archived(&rows, &patterns, night),
        repeated: repeated(&rows, &patterns),
        promoted: promoted(&rows, &patterns, night),
        patterns,
        rows,
        bad,
    }
}

impl Decision {
    /// What a row is called: its own id, `L<line>`, or the hash of its bytes with a counter for equal ones.
    pub fn id(&self, row: usize) -> String {
        match &self.rows[row].id {
            RowId::Own(id) => id.to_string(),
            RowId::Line => format!("L{}", self.rows[row].line),
            RowId::Content(hash) => match self.twins.get(&row) {
                Some(nth) => format!("{hash:016x}-{nth}"),
                None => format!("{hash:016x}"),
            },
        }
    }

    /// What a pattern is called: by what its first row says, which stays as later ones join it.
    pub fn name(&self, pattern: &Pattern) -> String {
        let first = pattern.rows.first().unwrap_or(&pattern.best);
        format!("{:016x}", self.rows[*first].key >> 64)
    }

    /// Rows that stay.
    pub fn kept(&self) -> usize {
        self.rows.len() - self.archived.len()
    }

    /// What leaves the log, in the order in which it stands there.
    pub fn leaving(&self) -> Vec<Leaving<'_>> {
        let archived = self.archived.iter().map(|row| Leaving::Archived(&self.rows[*row]));
        let mut leaving: Vec<Leaving<'_>> = archived.chain(self.bad.iter().map(Leaving::Bad)).collect();
        leaving.sort_by_key(|line| line.extent().offset);
        leaving
    }
}

/// Two rows of the same bytes are two episodes.
fn twins(rows: &[Row]) -> HashMap<usize, usize> {
    let mut hashes: Vec<(u64, u32)> = Vec::new();
    for (at, row) in (0..).zip(rows) {
        if let RowId::Content(hash) = row.id {
            hashes.push((hash, at));
        }
    }
    hashes.par_sort_unstable();
    let same = hashes.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() > 1);
    same.flat_map(|same| same.iter().enumerate().skip(1).map(|(nth, (_, at))| (*at as usize, nth + 1))).collect()
}

/// S4: what two or more rows say, in the order in which it first appears.
pub fn recurring(rows: &[Row], night: &Night) -> Vec<Pattern> {
    let mut by_key: Vec<u32> = (0..).zip(rows).map(|(at, _)| at).collect();
    by_key.par_sort_unstable_by_key(|at| (rows[*at as usize].key, *at));
    let mut groups: Vec<&[u32]> = by_key.chunk_by(|a, b| rows[*a as usize].key == rows[*b as usize].key).collect();
    groups.par_sort_unstable_by_key(|group| group.first().copied());
    let members: Vec<Vec<u32>> = match night.ruleset {
        Ruleset::Seed => groups.into_iter().filter(|group| group.len() > 1).map(<[u32]>::to_vec).collect(),
        Ruleset::Current => joined(rows, &groups),
    };
    members.iter().map(|members| pattern(rows, members, night)).collect()
}

/// The rows of groups that say the same with words added, as one each; those of more than one row.
fn joined(rows: &[Row], groups: &[&[u32]]) -> Vec<Vec<u32>> {
    let phrase = |group: &&[u32]| {
        let row = &rows[group[0] as usize];
        Phrase { block: row.block, words: &row.words }
    };
    let phrases: Vec<Phrase<'_>> = groups.iter().map(phrase).collect();
    let mut patterns: Vec<Vec<u32>> = vec![Vec::new(); groups.len()];
    for (group, leader) in groups.iter().zip(alike::leaders(&phrases)) {
        patterns[leader as usize].extend_from_slice(group);
    }
    patterns.retain(|members| members.len() > 1);
    patterns.par_iter_mut().for_each(|members| members.sort_unstable());
    patterns
}

/// Every pattern with its salience, in the order in which they first appear.
pub fn weighed<'d>(decision: &'d Decision, night: &Night) -> Vec<(&'d Pattern, f64)> {
    decision.patterns.iter().map(|pattern| (pattern, boosted(&decision.rows, pattern, night))).collect()
}

/// The row of highest salience speaks for the pattern, the first of equals.
fn pattern(rows: &[Row], group: &[u32], night: &Night) -> Pattern {
    let members: Vec<usize> = group.iter().map(|at| *at as usize).collect();
    let score = |at: usize| night.policy.salience(&rows[at], rows[at].recurrence, night.now);
    let mut best = (members[0], score(members[0]));
    for at in &members[1..] {
        let salience = score(*at);
        if salience > best.1 {
            best = (*at, salience);
        }
    }
    Pattern { best: best.0, rows: members }
}

/// Those that a skill may come of; the seed tells no way from another, so that none is one.
fn repeated(rows: &[Row], patterns: &[Pattern]) -> Vec<Pattern> {
    let way = |pattern: &Pattern| Some(Pattern { best: pattern.best, rows: same_way(rows, &pattern.rows)? });
    patterns.iter().filter_map(way).collect()
}

fn boosted(rows: &[Row], pattern: &Pattern, night: &Night) -> f64 {
    night.policy.salience(&rows[pattern.best], pattern.rows.len() as f64, night.now)
}

/// S5
fn promoted(rows: &[Row], patterns: &[Pattern], night: &Night) -> Vec<Pattern> {
    let matters = |pattern: &&Pattern| boosted(rows, pattern, night) >= night.policy.promote_at;
    patterns.iter().filter(matters).cloned().collect()
}

/// S6: older than the limit, strictly, and of low salience; that of a pattern's best row counts its recurrence.
fn archived(rows: &[Row], patterns: &[Pattern], night: &Night) -> Vec<usize> {
    let limit = night.now.minus_days(night.policy.archive_after_days);
    let mut best: HashMap<usize, usize> = HashMap::with_capacity(patterns.len());
    best.extend(patterns.iter().map(|pattern| (pattern.best, pattern.rows.len())));
    let leaves = |at: usize| {
        let row = &rows[at];
        if row.at >= limit {
            return false;
        }
        let recurrence = best.get(&at).map_or(row.recurrence, |size| *size as f64);
        night.policy.salience(row, recurrence, night.now) < night.policy.archive_below
    };
    let mut leaving: Vec<bool> = (0..rows.len()).map(leaves).collect();
    if night.ruleset == Ruleset::Current {
        let old = patterns.iter().filter(|pattern| rows[pattern.best].at < limit);
        old.for_each(|pattern| keep_witnesses(pattern, &mut leaving));
    }
    (0..rows.len()).filter(|at| leaving[*at]).collect()
}

/// An old row that stays because its pattern recurs keeps rows that show that it does, as many as count. Without them
/// it would be alone the next night, and leave.
fn keep_witnesses(pattern: &Pattern, leaving: &mut [bool]) {
    if leaving[pattern.best] {
        return;
    }
    let staying = pattern.rows.iter().filter(|at| !leaving[**at]).count();
    let wanted = pattern.rows.len().min(RECURRENCE_LIMIT).saturating_sub(staying);
    let witnesses: Vec<usize> = pattern.rows.iter().copied().filter(|at| leaving[*at]).take(wanted).collect();
    witnesses.into_iter().for_each(|at| leaving[at] = false);
}

#[cfg(test)]
#[path = "decide_tests.rs"]
mod tests;
