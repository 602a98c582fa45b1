//! Usage of a coding agent's work, as its tool reports it.

use serde::{Deserialize, Serialize};

/// Tokens and cost. `None` is what the tool does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct WorkerUsage {
    /// All tokens that the model read, cached ones included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// The part of `input_tokens` that came from a cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// All tokens that the model wrote, its thoughts included as far as the tool counts them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// US dollars; finite and not negative.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

impl WorkerUsage {
    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        *self == Self::default()
    }

    /// The usage of both together. A number that only one of them knows is that of the one.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let tokens = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            (a, b) => a.or(b),
        };
        Self {
            input_tokens: tokens(self.input_tokens, other.input_tokens),
            cached_tokens: tokens(self.cached_tokens, other.cached_tokens),
            output_tokens: tokens(self.output_tokens, other.output_tokens),
            cost_usd: match (self.cost_usd, other.cost_usd) {
                (Some(a), Some(b)) => Some(a + b),
                (a, b) => a.or(b),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_adds_up() {
        let one = WorkerUsage { input_tokens: Some(3), cost_usd: Some(0.5), ..WorkerUsage::default() };
        let two = WorkerUsage { input_tokens: Some(u64::MAX), output_tokens: Some(2), ..WorkerUsage::default() };
        let sum = WorkerUsage {
            input_tokens: Some(u64::MAX),
            output_tokens: Some(2),
            cost_usd: Some(0.5),
            cached_tokens: None,
        };
        assert_eq!(one.plus(two), sum);
        assert_eq!(one.plus(WorkerUsage::default()), one);
        assert!(WorkerUsage::default().is_unknown() && !one.is_unknown());
    }

    #[test]
    fn only_known_numbers_are_written() {
        let usage = WorkerUsage { output_tokens: Some(7), ..WorkerUsage::default() };
        let text = serde_json::to_string(&usage).unwrap();
        assert_eq!(text, r#"{"output_tokens":7}"#);
        assert_eq!(serde_json::from_str::<WorkerUsage>(&text).unwrap(), usage);
    }
}
