//! Where plans and reports are, and how steps are claimed.

use super::leaves_repository;
use super::problem::{ConfigProblem, ValueError};
use crate::canon::duration::parse_duration;
use canonry_text::node::Node;
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

/// Folders that are not in the repository.
pub(super) fn problems(root: &Node) -> Vec<ConfigProblem> {
    let Some(plans) = root.get("plans") else { return Vec::new() };
    let lists = ["roots", "reports"].into_iter().filter_map(|key| plans.get(key)?.as_sequence());
    let outside = lists.flatten().filter(|node| node.as_str().is_some_and(is_outside));
    let problem = |node: &Node| {
        let pattern = node.as_str().unwrap_or_default().to_owned();
        ConfigProblem::invalid(node.span, &ValueError::OutsideRepository { pattern })
    };
    outside.map(problem).collect()
}

/// The top of the repository would make every YAML and JSON file a plan.
fn is_outside(path: &str) -> bool {
    leaves_repository(path) || path.split('/').all(|part| matches!(part, "" | "."))
}
