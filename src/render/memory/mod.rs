//! A memory at a glance: for a terminal, and as a page.

mod chart;
mod page;
mod words;

pub use page::{GENERATOR, page};
pub use words::words;

/// A size as a person reads it.
fn sized(bytes: u64) -> String {
    // Exact up to sizes that no memory has.
    let size = bytes as f64;
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", size / 1e3),
        _ => format!("{:.1} MB", size / 1e6),
    }
}

/// What a row is about.
fn about(skill: &str, action: &str) -> String {
    match (skill.is_empty(), action.is_empty()) {
        (false, false) => format!("{skill}: {action}"),
        (true, true) => "(a row without words)".to_owned(),
        _ => format!("{skill}{action}"),
    }
}

/// No longer than that many characters.
fn cut(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests;
