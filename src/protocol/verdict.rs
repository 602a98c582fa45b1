//! Verdicts and their reasons.

use crate::canon::permissions::Decision;
use crate::config::HookAnswer;
use std::fmt;

/// A verdict. The order is by strictness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// An entry allows the call.
    #[default]
    Allow,
    /// No entry mentions the call.
    Unlisted,
    /// A person must approve the call.
    Ask,
    /// The call must not be made.
    Deny,
}

impl Verdict {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Unlisted => "unlisted",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl From<Decision> for Verdict {
    fn from(decision: Decision) -> Self {
        match decision {
            Decision::Allow => Self::Allow,
            Decision::Ask => Self::Ask,
            Decision::Deny => Self::Deny,
        }
    }
}

impl From<HookAnswer> for Verdict {
    fn from(answer: HookAnswer) -> Self {
        match answer {
            HookAnswer::Allow => Self::Unlisted,
            HookAnswer::Ask => Self::Ask,
            HookAnswer::Deny => Self::Deny,
        }
    }
}

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
