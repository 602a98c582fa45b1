//! Verdicts and their reasons.

pub use canonry_model::canon::permissions::Verdict;
use std::fmt;

/// Parts of a call in an explanation.
const MAX_EXPLAINED: usize = 5;

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

    /// A reason for the verdict: the entry of a policy if there is one.
    pub fn deciding_reason(&self) -> Option<&VerdictReason> {
        let mut deciding = self.reasons.iter().filter(|reason| reason.verdict == self.verdict);
        deciding.clone().find(|reason| reason.location.is_some()).or_else(|| deciding.next())
    }

    /// An alternative to a call that is not allowed, from the first reason that has one.
    pub fn alternative(&self) -> Option<&'static str> {
        let mut deciding = self.reasons.iter().filter(|reason| reason.verdict == self.verdict);
        deciding.find_map(VerdictReason::alternative).filter(|_| self.verdict >= Verdict::Ask)
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

    /// A reason for each deciding part, and what to do instead.
    pub fn explanation(&self) -> String {
        let mut lines: Vec<String> = Vec::new();
        for part in self.parts.iter().filter(|part| part.verdict == self.verdict) {
            let Some(reason) = part.deciding_reason() else { continue };
            let instead = part.alternative().map(|text| format!(". Instead: {text}")).unwrap_or_default();
            let line = format!("`{}`: {reason}{instead}", part.text);
            if !lines.contains(&line) && lines.len() < MAX_EXPLAINED {
                lines.push(line);
            }
        }
        lines.join("; ")
    }
}
