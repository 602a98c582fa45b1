//! What is decided about a call, and by what.

use crate::canon::permissions::Decision;
use crate::config::HookAnswer;

/// What is decided. Of several the last in this order holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// An entry allows it.
    #[default]
    Allow,
    /// No entry speaks of it.
    Unlisted,
    /// A person decides.
    Ask,
    /// It is not done.
    Deny,
}

impl Verdict {
    /// In a word.
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

/// Where an entry stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyLocation {
    /// From the top of the repository.
    pub path: String,
    /// From 1.
    pub line: usize,
}

/// An entry that speaks of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerdictReason {
    /// What it decides.
    pub verdict: Verdict,
    /// Its name: that of a section, of a key of a schema, or of a guard of canonry's own.
    pub rule: String,
    /// Where it stands; `None` for a guard of canonry's own.
    pub at: Option<PolicyLocation>,
    /// What it says of the call.
    pub message: String,
}

impl VerdictReason {
    /// By a guard of canonry's own.
    pub fn guard(verdict: Verdict, rule: &str, message: impl Into<String>) -> Self {
        Self { verdict, rule: rule.to_owned(), at: None, message: message.into() }
    }

    /// In a sentence.
    pub fn told(&self) -> String {
        let at = self.at.as_ref().map(|at| format!(", {}:{}", at.path, at.line)).unwrap_or_default();
        format!("{} ({}{at})", self.message, self.rule)
    }
}

/// A part of a call, and what is decided about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallPart {
    /// As a person reads it.
    pub shown: String,
    /// What is decided.
    pub verdict: Verdict,
    /// By which entries, the strictest first.
    pub reasons: Vec<VerdictReason>,
}

impl CallPart {
    /// Decided by the strictest of the reasons.
    pub fn new(shown: String, otherwise: Verdict, mut reasons: Vec<VerdictReason>) -> Self {
        reasons.sort_by_key(|reason| std::cmp::Reverse(reason.verdict));
        reasons.dedup();
        let verdict = reasons.first().map_or(otherwise, |first| first.verdict);
        Self { shown, verdict, reasons }
    }
}

/// What is decided about a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallVerdict {
    /// The strictest of its parts.
    pub verdict: Verdict,
    /// Its parts in order.
    pub parts: Vec<CallPart>,
}

impl CallVerdict {
    /// Of parts, the strictest holds; of none nothing is known.
    pub fn from_parts(parts: Vec<CallPart>) -> Self {
        let verdict = parts.iter().map(|part| part.verdict).max().unwrap_or(Verdict::Unlisted);
        Self { verdict, parts }
    }

    /// Why, for the agent and for the person: what decided first, each once.
    pub fn why(&self) -> String {
        let deciding = self.parts.iter().filter(|part| part.verdict == self.verdict);
        let mut told: Vec<String> = Vec::new();
        for part in deciding {
            let reasons = part.reasons.iter().filter(|reason| reason.verdict == self.verdict);
            for reason in reasons {
                let text = format!("`{}`: {}", part.shown, reason.told());
                if !told.contains(&text) && told.len() < 5 {
                    told.push(text);
                }
            }
        }
        told.join("; ")
    }
}
