//! A second implementation of `--compat seed`, as simple as possible and independent of the library's code.
//!
//! - Age: whole days since the timestamp, rounded down; a timestamp without an offset is in UTC.
//! - Salience: `(10 - age * 0.3) * pain/10 * importance/10 * min(recurrence, 3)`. The scores default to 5, the
//!   recurrence to 1.
//! - Key of a row: the skill (default `general`), `::`, and the first 50 characters of the action.
//! - Of each key with two rows or more, the most salient row (the first of equals) counts with the number of rows as its
//!   recurrence. It is promoted at a salience of 7 or more, and written unless the lessons contain its line.
//! - A row is archived if it is more than 90 days old and its salience is below 2.
//! - A row that is not an object, or has no valid timestamp, text or score, is invalid and does not count.

use serde_json::Value;
use std::collections::HashMap;

const DAY: i64 = 86_400_000_000;

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Expected {
    pub promoted: Vec<String>,
    pub written: Vec<String>,
    pub archived: Vec<String>,
    pub kept: Vec<String>,
    /// Line numbers, from 1.
    pub invalid: Vec<usize>,
}

impl Expected {
    pub fn message(&self) -> String {
        let [promoted, archived, kept] = [&self.promoted, &self.archived, &self.kept].map(Vec::len);
        format!("dream cycle: promoted {promoted}, decayed {archived}, kept {kept}")
    }
}

struct Row {
    id: String,
    age: i64,
    key: String,
    pain: f64,
    importance: f64,
    recurrence: f64,
    lesson: String,
}

impl Row {
    fn parse(number: usize, line: &str, now: jiff::Timestamp) -> Option<Self> {
        let row: Value = serde_json::from_str(line).ok()?;
        let row = row.as_object()?;
        let text = |key: &str, default: &str| match row.get(key) {
            None => Some(default.to_owned()),
            Some(value) => value.as_str().map(str::to_owned),
        };
        let score = |key: &str, default: f64| row.get(key).map_or(Some(default), Value::as_f64);
        let time = row.get("timestamp")?.as_str()?;
        let time: jiff::Timestamp = match time.parse() {
            Ok(time) => time,
            Err(_) => format!("{time}Z").parse().ok()?,
        };
        let action = text("action", "")?;
        let key = format!("{}::{}", text("skill", "general")?, action.chars().take(50).collect::<String>());
        let lesson = match (row.get("reflection"), row.get("action")) {
            (Some(reflection), _) => reflection.as_str()?.to_owned(),
            (None, Some(_)) => action,
            (None, None) => "unknown".to_owned(),
        };
        Some(Self {
            id: row.get("id").and_then(Value::as_str).map_or_else(|| format!("L{number}"), str::to_owned),
            age: now.as_microsecond() - time.as_microsecond(),
            key,
            pain: score("pain_score", 5.0)?,
            importance: score("importance", 5.0)?,
            recurrence: score("recurrence_count", 1.0)?,
            lesson,
        })
    }

    fn salience(&self) -> f64 {
        let recency = 10.0 - self.age.div_euclid(DAY) as f64 * 0.3;
        recency * (self.pain / 10.0) * (self.importance / 10.0) * self.recurrence.min(3.0)
    }
}

pub fn dream(log: &str, lessons: &str, now: &str) -> Expected {
    let now: jiff::Timestamp = now.parse().unwrap();
    let mut expected = Expected::default();
    let mut rows = Vec::new();
    for (at, line) in log.split('\n').enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match Row::parse(at + 1, line, now) {
            Some(row) => rows.push(row),
            None => expected.invalid.push(at + 1),
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut group_of: HashMap<&str, usize> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        let group = *group_of.entry(&row.key).or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[group].push(at);
    }
    for group in groups.iter().filter(|group| group.len() > 1) {
        let mut best = group[0];
        for at in group {
            if rows[*at].salience() > rows[best].salience() {
                best = *at;
            }
        }
        let best = &mut rows[best];
        best.recurrence = group.len() as f64;
        if best.salience() >= 7.0 {
            expected.promoted.push(best.id.clone());
            if !lessons.contains(&format!("- {}", best.lesson)) {
                expected.written.push(best.id.clone());
            }
        }
    }
    for row in rows {
        let archived = row.age > 90 * DAY && row.salience() < 2.0;
        if archived { expected.archived.push(row.id) } else { expected.kept.push(row.id) }
    }
    expected
}
