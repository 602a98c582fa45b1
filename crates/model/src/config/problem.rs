//! Problems in a config, and suggestions for misspelt words.

use crate::finding::Severity;
use canonry_text::Span;
use serde::Deserialize;
use std::collections::BTreeMap;

/// An invalid key or value in a config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    pub span: Span,
    pub message: String,
}

/// Deserializes a map from rule id to severity.
pub(super) fn severities<'de, D: serde::Deserializer<'de>>(de: D) -> Result<BTreeMap<String, Severity>, D::Error> {
    let words = BTreeMap::<String, String>::deserialize(de)?;
    words
        .into_iter()
        .map(|(rule, word)| match Severity::from_word(&word) {
            Some(severity) => Ok((rule, severity)),
            None => Err(serde::de::Error::custom(format!("`{word}` is not a severity"))),
        })
        .collect()
}

/// Why a value that the schema accepts is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    #[error("`{pattern}` is not a folder pattern; separate names with single slashes, as in `packages/*`")]
    NotAFolderPattern { pattern: String },
    #[error("`{pattern}`: `**` is not supported here; give the depth, as in `packages/*`")]
    RecursivePattern { pattern: String },
    #[error("`{pattern}` is not a valid glob: {reason}")]
    InvalidGlob { pattern: String, reason: String },
    #[error("`{pattern}` is not a folder in this repository")]
    OutsideRepository { pattern: String },
    #[error("`{pattern}` must begin with `~/` or `/`, because it applies wherever canonry runs")]
    NotAbsolute { pattern: String },
    #[error("`{pattern}` matches no path: patterns start at the top of the repository, as in `agent/skills/**`")]
    NotRelative { pattern: String },
    #[error("`{text}` is not a version such as `2.1.0`: {reason}")]
    InvalidVersion { text: String, reason: String },
    #[error("`{text}` is not a version requirement such as `>=2.1`: {reason}")]
    InvalidRequirement { text: String, reason: String },
    #[error("`{name}`: write only the name of the branch, without `refs/heads/`")]
    FullBranchName { name: String },
    #[error("`{name}` is not a valid branch name: {reason}")]
    InvalidBranch { name: String, reason: String },
}
