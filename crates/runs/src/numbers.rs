//! Durations and costs for people.

use canonry_model::canon::worker_usage::WorkerUsage;

/// A number with its noun, such as `1 error` or `2 errors`.
pub fn counted(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// A duration for people: `0.4 s`, `12 s`, `2 min 5 s`, `1 h 2 min`.
pub fn seconds_text(seconds: f64) -> String {
    let whole = if seconds.is_finite() && seconds > 0.0 { seconds.round() as u64 } else { 0 };
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, 0..10) if seconds > 0.0 => format!("{seconds:.1} s").replace(".0 ", " "),
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// The known tokens and cost.
pub fn usage_text(usage: &WorkerUsage) -> Option<String> {
    let cost = usage.cost_usd.map(|cost| format!("${cost:.2}"));
    let tokens = |tokens: Option<u64>, noun: &str| tokens.map(|tokens| format!("{tokens} tokens {noun}"));
    let parts = [tokens(usage.input_tokens, "in"), tokens(usage.output_tokens, "out"), cost];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::seconds_text;

    #[test]
    fn durations_have_two_units_at_most() {
        let cases = [
            (-1.0, "0 s"),
            (0.0, "0 s"),
            (0.04, "0 s"),
            (0.44, "0.4 s"),
            (3.0, "3 s"),
            (9.44, "9.4 s"),
            (9.97, "10 s"),
            (59.4, "59 s"),
            (59.6, "1 min"),
            (125.0, "2 min 5 s"),
            (3600.0, "1 h"),
            (3725.0, "1 h 2 min"),
            (f64::NAN, "0 s"),
        ];
        for (seconds, expected) in cases {
            assert_eq!(seconds_text(seconds), expected, "{seconds}");
        }
    }
}
