//! What the nightly dream goes by.

use super::problem::ConfigProblem;
use crate::syntax::node::Node;
use serde::Deserialize;

/// What the nightly dream goes by.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryConfig {
    /// Days in which the recency of an episode halves.
    pub half_life_days: f64,
    /// The salience from which a recurring pattern becomes a lesson.
    pub promote_at: f64,
    /// The salience below which an old row leaves the log.
    pub archive_below: f64,
    /// Days after which a row is old.
    pub archive_after_days: i64,
    /// Whole days without a change after which the working memory is stale.
    pub stale_after_days: i64,
    /// Days after which a person is asked about a lesson of which nothing was seen; 0 for never.
    pub retire_lessons_after_days: i64,
    /// The exponents of the factors of salience.
    pub weights: SalienceWeights,
    /// Who decides what becomes a lesson.
    pub promotion: Promotion,
    /// The branch that a dream is committed onto; the one that is checked out where it is not said.
    pub branch: Option<String>,
}

/// Who decides what becomes a lesson.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Promotion {
    /// The dream, but for what is opposed to another lesson.
    #[default]
    Auto,
    /// A person; the dream only says what there is to decide on.
    Review,
}

/// The exponents of the four factors of salience; 1 leaves a factor as it is, 0 leaves it out.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SalienceWeights {
    /// Of `2^(-age / half-life)`.
    pub recency: f64,
    /// Of `pain_score / 10`.
    pub pain: f64,
    /// Of `importance / 10`.
    pub importance: f64,
    /// Of `min(recurrence, 3)`.
    pub recurrence: f64,
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            half_life_days: 30.0,
            promote_at: 7.0,
            archive_below: 2.0,
            archive_after_days: 90,
            stale_after_days: 2,
            retire_lessons_after_days: 365,
            weights: SalienceWeights::default(),
            promotion: Promotion::Auto,
            branch: None,
        }
    }
}

impl Default for SalienceWeights {
    fn default() -> Self {
        Self { recency: 1.0, pain: 1.0, importance: 1.0, recurrence: 1.0 }
    }
}

/// The keys below `memory`.
pub(super) const KEYS: &[&str] = &[
    "half_life_days",
    "promote_at",
    "archive_below",
    "archive_after_days",
    "stale_after_days",
    "weights",
    "retire_lessons_after_days",
    "promotion",
    "branch",
];

/// The keys below `memory.weights`.
pub(super) const WEIGHTS: &[&str] = &["recency", "pain", "importance", "recurrence"];

/// What is wrong with `memory.branch`.
pub(super) fn problems(root: &Node) -> Vec<ConfigProblem> {
    let Some(node) = root.get("memory").and_then(|memory| memory.get("branch")) else { return Vec::new() };
    let problem = node.as_str().and_then(wrong);
    problem.map(|message| ConfigProblem { span: node.span, message }).into_iter().collect()
}

/// As `git check-ref-format --branch` sees it.
fn wrong(name: &str) -> Option<String> {
    if name.starts_with("refs/") {
        return Some(format!("`{name}`: write the branch's name alone, without `refs/heads/`"));
    }
    let full = format!("refs/heads/{name}");
    let reason = match gix::validate::reference::branch_name(full.as_str().into()) {
        Err(error) => error.to_string(),
        Ok(_) if name.starts_with('-') => "it begins with `-`".to_owned(),
        Ok(_) => return None,
    };
    Some(format!("`{name}` is no name that git allows for a branch: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_git_allows() {
        for name in ["memory", "team/memory", "größe", "a.b", "@x"] {
            assert_eq!(wrong(name), None, "{name}");
        }
        for name in
            ["", "-x", "a b", "a..b", "a.lock", "a/", "/a", "a//b", ".a", "HEAD", "a~1", "a@{1}", "refs/heads/a"]
        {
            assert!(wrong(name).is_some(), "{name}");
        }
    }
}
