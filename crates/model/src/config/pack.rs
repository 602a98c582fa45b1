//! The plugin that `canonry pack` makes from the canon.

use super::problem::ValueError;
use globset::Glob;
use semver::Version;
use serde::Deserialize;

/// The settings of the plugin.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PackConfig {
    /// The name of the plugin and its marketplaces; by default, that of the last pack, otherwise made from the name of the remote or of the repository's folder.
    pub name: Option<String>,
    pub description: Option<String>,
    pub author: Option<PackAuthor>,
    /// An SPDX identifier.
    pub license: Option<String>,
    pub homepage: Option<String>,
    pub repository: Option<String>,
    pub keywords: Vec<String>,
    /// The lowest version that the next pack gets.
    pub version: Option<PackVersion>,
    /// The folder of the plugin; by default `plugins/<name>`.
    pub out: Option<String>,
    /// The folder of the marketplaces: that of the plugin, or one above it.
    pub marketplace: Option<String>,
    /// Patterns for the names of packed skills; by default, every skill of the canon that is not from elsewhere.
    pub skills: Option<Vec<String>>,
}

/// Who publishes the plugin.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackAuthor {
    pub name: String,
    #[serde(default)]
    pub email: Option<String>,
    #[serde(default)]
    pub url: Option<String>,
}

/// A version with three numbers.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct PackVersion(pub Version);

impl TryFrom<String> for PackVersion {
    type Error = ValueError;

    fn try_from(text: String) -> Result<Self, ValueError> {
        Version::parse(&text)
            .map(Self)
            .map_err(|error| ValueError::InvalidVersion { text: text.clone(), reason: error.to_string() })
    }
}

/// Why a pattern of skills is invalid.
pub(super) fn glob_error(pattern: &str) -> Option<ValueError> {
    let reason = Glob::new(pattern).err()?.to_string();
    Some(ValueError::InvalidGlob { pattern: pattern.to_owned(), reason })
}

/// Whether a pattern matches the name of a skill. An invalid pattern, which the config refuses, matches nothing.
pub fn is_selected(pattern: &str, name: &str) -> bool {
    Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(name))
}
