//! The settings of plans.

use crate::canon::duration::parse_duration;
use serde::Deserialize;
use std::time::Duration;

/// How the steps of plans are claimed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PlansConfig {
    /// The git remote that decides about claims; by default, each clone decides alone.
    pub remote: Option<String>,
    /// How long a claim is respected that nobody renews.
    #[serde(deserialize_with = "duration")]
    pub claim_ttl: Duration,
}

impl Default for PlansConfig {
    fn default() -> Self {
        Self { remote: None, claim_ttl: Duration::from_secs(30 * 60) }
    }
}

fn duration<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse_duration(&text).ok_or_else(|| serde::de::Error::custom(format!("`{text}` is not a duration such as `30m`")))
}
