//! Verdicts and their reasons.

pub use canonry_model::canon::permissions::Verdict;
use std::fmt;

/// A location in a file of the policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyLocation {
    /// The path relative to the root of the repository.
    pub path: String,
    /// Counted from 1.
    pub line: usize,
}

/// A policy entry or a guard that applies to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictReason {
    pub verdict: Verdict,
    /// The name of the section, the schema key, or the built-in guard.
    pub rule: String,
    /// The location of the entry; `None` for a built-in guard.
    pub location: Option<PolicyLocation>,
    pub message: String,
}

impl VerdictReason {
    /// Creates the reason of a built-in guard.
    pub fn guard(verdict: Verdict, rule: &str, message: impl Into<String>) -> Self {
        Self { verdict, rule: rule.to_owned(), location: None, message: message.into() }
    }
}

impl fmt::Display for VerdictReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}", self.message, self.rule)?;
        if let Some(PolicyLocation { path, line }) = &self.location {
            write!(f, ", {path}:{line}")?;
        }
        f.write_str(")")
    }
}

/// A part of a call with its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPart {
    /// The command or action as text.
    pub text: String,
    pub verdict: Verdict,
    /// The reasons, the strictest first.
    pub reasons: Vec<VerdictReason>,
}

impl CallPart {
    /// The strictest reason determines the verdict.
    pub fn new(text: String, otherwise: Verdict, mut reasons: Vec<VerdictReason>) -> Self {
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.verdict));
        reasons.dedup();
        let verdict = reasons.first().map_or(otherwise, |first| first.verdict);
        Self { text, verdict, reasons }
    }
}

/// The verdict on a whole call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallVerdict {
    /// The strictest verdict of the parts.
    pub verdict: Verdict,
    pub parts: Vec<CallPart>,
}

impl CallVerdict {
    /// Combines parts; without any part, the call is unlisted.
    pub fn from_parts(parts: Vec<CallPart>) -> Self {
        let verdict = parts.iter().map(|part| part.verdict).max().unwrap_or(Verdict::Unlisted);
        Self { verdict, parts }
    }

    /// Describes the deciding reasons, without duplicates, and what to do instead.
    pub fn explanation(&self) -> String {
        let deciding = self.parts.iter().filter(|part| part.verdict == self.verdict);
        let mut lines: Vec<String> = Vec::new();
        for part in deciding {
            let reasons = part.reasons.iter().filter(|reason| reason.verdict == self.verdict);
            for reason in reasons {
                let instead = reason.alternative().map(|text| format!(". Instead: {text}")).unwrap_or_default();
                let text = format!("`{}`: {reason}{instead}", part.text);
                if !lines.contains(&text) && lines.len() < 5 {
                    lines.push(text);
                }
            }
        }
        lines.join("; ")
    }
}
