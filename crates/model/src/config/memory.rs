//! The settings of `canonry dream`.

use super::problem::ValueError;
use serde::Deserialize;

/// The settings of `canonry dream`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MemoryConfig {
    /// The half-life of an episode's recency, in days.
    pub half_life_days: f64,
    /// The minimum salience at which a recurring pattern becomes a lesson.
    pub promote_at: f64,
    /// The salience below which old rows are archived.
    pub archive_below: f64,
    /// The age in days at which a row is old.
    pub archive_after_days: i64,
    /// Days without a change after which the working memory is stale.
    pub stale_after_days: i64,
    /// Days without evidence after which a lesson is proposed for retirement; 0 for never.
    pub retire_lessons_after_days: i64,
    /// The exponents of the factors of salience.
    pub weights: SalienceWeights,
    /// Whether lessons need review.
    pub promotion: Promotion,
    /// The branch to commit dreams to; by default the current branch.
    pub branch: Option<String>,
}

/// Whether proposed lessons need review.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Promotion {
    /// Dream promotes lessons, except those that contradict another one.
    #[default]
    Auto,
    /// A person decides on every proposal.
    Review,
}

/// The exponents of the four salience factors. 1 keeps a factor unchanged, 0 ignores it.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SalienceWeights {
    /// For `2^(-age / half_life_days)`.
    pub recency: f64,
    /// For `pain_score / 10`.
    pub pain: f64,
    /// For `importance / 10`.
    pub importance: f64,
    /// For `min(recurrence, 3)`.
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

/// Applies the rules of `git check-ref-format --branch`.
pub(super) fn branch_error(name: &str) -> Option<ValueError> {
    if name.starts_with("refs/") {
        return Some(ValueError::FullBranchName { name: name.to_owned() });
    }
    let full = format!("refs/heads/{name}");
    let reason = match gix_validate::reference::branch_name(full.as_str().into()) {
        Err(error) => error.to_string(),
        Ok(_) if name.starts_with('-') => "it starts with `-`".to_owned(),
        Ok(_) => return None,
    };
    Some(ValueError::InvalidBranch { name: name.to_owned(), reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branch_names_follow_git() {
        for name in ["memory", "team/memory", "größe", "a.b", "@x"] {
            assert_eq!(branch_error(name), None, "{name}");
        }
        for name in
            ["", "-x", "a b", "a..b", "a.lock", "a/", "/a", "a//b", ".a", "HEAD", "a~1", "a@{1}", "refs/heads/a"]
        {
            assert!(branch_error(name).is_some(), "{name}");
        }
    }
}
