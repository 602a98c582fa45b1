//! Reads tokens and costs from the fields in which each tool counts them.

use canonry_model::canon::worker_usage::WorkerUsage;
use serde_json::Value as Json;

/// The `result` of Claude Code: tokens in `usage`, and the cost of the session.
pub(super) fn of_claude(event: &Json) -> WorkerUsage {
    WorkerUsage { cost_usd: cost(event, "total_cost_usd"), ..event.get("usage").map(from_counts).unwrap_or_default() }
}

/// The `stats` of Gemini CLI, which counts each model apart.
pub(super) fn of_gemini(stats: &Json) -> WorkerUsage {
    let models = stats.get("models").and_then(Json::as_object);
    let models = models.into_iter().flat_map(serde_json::Map::values).filter_map(|model| model.get("tokens"));
    let model = |tokens: &Json| WorkerUsage {
        input_tokens: count(tokens, "prompt"),
        cached_tokens: count(tokens, "cached"),
        output_tokens: sum(count(tokens, "candidates"), count(tokens, "thoughts")),
        cost_usd: None,
    };
    models.map(model).fold(WorkerUsage::default(), WorkerUsage::plus)
}

/// The `step_finish` of OpenCode: the tokens of one request, without those of the cache in `input`.
pub(super) fn of_opencode(part: &Json) -> WorkerUsage {
    let tokens = part.get("tokens").unwrap_or(&Json::Null);
    let cache = tokens.get("cache").unwrap_or(&Json::Null);
    let read = count(cache, "read");
    WorkerUsage {
        input_tokens: sum(sum(count(tokens, "input"), count(cache, "write")), read),
        cached_tokens: read,
        output_tokens: sum(count(tokens, "output"), count(tokens, "reasoning")),
        cost_usd: cost(part, "cost"),
    }
}

/// An object of counts, as Claude Code, Codex CLI, Antigravity CLI, and the stream of Gemini CLI print it.
///
/// Anthropic counts cached tokens apart; the others count them in `input_tokens` too.
pub(super) fn from_counts(counts: &Json) -> WorkerUsage {
    let written = count(counts, "cache_creation_input_tokens");
    let read = count(counts, "cache_read_input_tokens");
    WorkerUsage {
        input_tokens: count(counts, "input_tokens").and_then(|input| sum(sum(Some(input), written), read)),
        cached_tokens: read.or_else(|| count(counts, "cached_input_tokens")).or_else(|| count(counts, "cached")),
        output_tokens: count(counts, "output_tokens"),
        cost_usd: None,
    }
}

fn cost(event: &Json, key: &str) -> Option<f64> {
    event.get(key)?.as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0)
}

fn count(counts: &Json, key: &str) -> Option<u64> {
    counts.get(key)?.as_u64()
}

fn sum(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    }
}
