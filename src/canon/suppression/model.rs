//! What an allowance is.

use crate::syntax::{Source, Span};
use std::sync::Arc;

/// One comment that allows something.
#[derive(Clone, Debug)]
pub struct Suppression {
    /// The file it stands in.
    pub source: Arc<Source>,
    /// The whole comment.
    pub span: Span,
    /// The rules it names.
    pub rules: Vec<SuppressedRule>,
    /// Whether it says why.
    pub has_reason: bool,
    /// What it holds for.
    pub reach: SuppressionScope,
}

/// A rule that is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuppressedRule {
    /// Its id, as written.
    pub id: String,
    /// Where it is written.
    pub span: Span,
    /// Whether anything came of it.
    pub usage: SuppressionUsage,
}

/// Whether an allowance is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuppressionUsage {
    /// There was a finding that it allows.
    Used,
    /// There was none.
    Unused,
    /// There is no such rule; the one that is most likely meant.
    NoSuchRule(Option<&'static str>),
    /// The rule was not asked, since only a part of the repository was judged.
    Unknown,
}

/// What an allowance holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SuppressionScope {
    /// The whole file.
    File,
    /// What begins in these bytes.
    Lines(Span),
    /// Nothing: it is meant for the file and stands too far down, or nothing follows it.
    Nothing,
}
