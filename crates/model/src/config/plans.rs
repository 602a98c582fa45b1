//! Where plans and reports are, and how steps are claimed.

use super::leaves_repository;
use super::problem::ValueError;
use crate::canon::duration::parse_duration;
use serde::Deserialize;
use std::time::Duration;

/// The settings of plans. Paths start at the top of the repository.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlansConfig {
    /// The folders with plans; by default `plans` of the canon.
    pub roots: Vec<String>,
    /// The folders with reports; by default `reports` and `artifacts` of the canon. New reports go to the first.
    pub reports: Vec<String>,
    /// The git remote that decides about claims; by default, each clone decides alone.
    pub remote: Option<String>,
    /// Lifetime of a claim that nobody renews.
    #[serde(deserialize_with = "duration")]
    pub claim_ttl: Duration,
}

impl Default for PlansConfig {
    fn default() -> Self {
        Self { roots: Vec::new(), reports: Vec::new(), remote: None, claim_ttl: Duration::from_secs(30 * 60) }
    }
}

fn duration<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_duration(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not a duration such as `30m`")))
}

/// Why a folder of plans is invalid. The top of the repository would make every YAML and JSON file a plan.
pub(super) fn outside_repository(folder: &str) -> Option<ValueError> {
    let is_outside = leaves_repository(folder) || folder.split('/').all(|part| matches!(part, "" | "."));
    is_outside.then(|| ValueError::OutsideRepository { pattern: folder.to_owned() })
}
