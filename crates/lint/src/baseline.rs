//! The baseline: known findings that are not reported, in the format `canonry/baseline/v1`.

use super::{Finding, Fingerprint};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

const SCHEMA: &str = "canonry/baseline/v1";

/// The baselined findings, identified by their fingerprints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: BTreeSet<BaselineEntry>,
}

/// Why a baseline file is invalid.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// Not JSON, or not of the expected shape.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// Another schema.
    #[error("its schema is `{found}`, expected `{SCHEMA}`")]
    Schema {
        /// The schema that the file names.
        found: String,
    },
    /// A fingerprint is not 32 hexadecimal digits.
    #[error("`{text}` is not a fingerprint of 32 hexadecimal digits")]
    Fingerprint {
        /// The text in place of the fingerprint.
        text: String,
    },
}

/// One baselined finding. Only the fingerprint is compared; path and rule are for readers of the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct BaselineEntry {
    path: String,
    rule: String,
    #[serde(serialize_with = "as_hex")]
    fingerprint: Fingerprint,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineFile {
    schema: String,
    findings: Vec<BaselineFileEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BaselineFileEntry {
    path: String,
    rule: String,
    fingerprint: String,
}

fn as_hex<S: serde::Serializer>(fingerprint: &Fingerprint, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(fingerprint)
}

impl Baseline {
    /// A baseline of `findings`.
    pub fn from_findings<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let entry = |finding: &Finding| BaselineEntry {
            path: finding.location.path.to_display(),
            rule: finding.rule.id.to_owned(),
            fingerprint: finding.fingerprint,
        };
        Self { entries: findings.into_iter().map(entry).collect() }
    }

    /// Parses the baseline file.
    ///
    /// # Errors
    /// The file is not a valid `canonry/baseline/v1` document.
    pub fn parse(bytes: &[u8]) -> Result<Self, BaselineError> {
        let document: BaselineFile = serde_json::from_slice(bytes)?;
        if document.schema != SCHEMA {
            return Err(BaselineError::Schema { found: document.schema });
        }
        let entry = |row: BaselineFileEntry| match Fingerprint::from_hex(&row.fingerprint) {
            Some(fingerprint) => Ok(BaselineEntry { path: row.path, rule: row.rule, fingerprint }),
            None => Err(BaselineError::Fingerprint { text: row.fingerprint }),
        };
        let entries: Result<BTreeSet<BaselineEntry>, BaselineError> =
            document.findings.into_iter().map(entry).collect();
        Ok(Self { entries: entries? })
    }

    /// The content of the file: sorted, one entry per line, to avoid merge conflicts.
    pub fn to_text(&self) -> String {
        let row = |entry| serde_json::to_string(entry).expect("an entry of texts has a JSON form");
        let rows: Vec<String> = self.entries.iter().map(row).collect();
        let rows = if rows.is_empty() { String::new() } else { format!("\n    {}\n  ", rows.join(",\n    ")) };
        format!("{{\n  \"schema\": \"{SCHEMA}\",\n  \"findings\": [{rows}]\n}}\n")
    }

    /// The number of baselined findings.
    pub fn count(&self) -> usize {
        self.entries.len()
    }

    /// The fingerprints of all baselined findings.
    pub fn fingerprints(&self) -> BTreeSet<Fingerprint> {
        self.entries.iter().map(|entry| entry.fingerprint).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{find, resolve};
    use canonry_model::finding::{Location, Severity};
    use canonry_text::RepoPath;

    fn findings(paths: &[&str]) -> Vec<Finding> {
        let rule = find("secret").unwrap();
        let finding = |path: &&str| rule.at(Location::file(&RepoPath::from(*path)), "m");
        resolve(paths.iter().map(finding).collect(), |_| Severity::Error)
    }

    #[test]
    fn round_trips_in_sorted_order() {
        let baseline = Baseline::from_findings(&findings(&["b", "a", "a"]));
        let text = baseline.to_text();
        let order: Vec<&str> = text.lines().filter_map(|line| line.trim().get(..12)).collect();
        assert_eq!(order[2..5], ["{\"path\":\"a\",", "{\"path\":\"a\",", "{\"path\":\"b\","]);
        assert_eq!(Baseline::parse(text.as_bytes()).unwrap(), baseline);
        let empty = Baseline::default();
        assert_eq!(Baseline::parse(empty.to_text().as_bytes()).unwrap(), empty);
    }

    #[test]
    fn reports_invalid_documents() {
        for (text, want) in [
            ("<<<<<<< HEAD\n", "expected value"),
            ("{\"schema\": \"canonry/baseline/v9\", \"findings\": []}", "its schema is"),
            (
                "{\"schema\": \"canonry/baseline/v1\", \"findings\": [{\"path\": \"a\", \"rule\": \"r\", \"fingerprint\": \"x\"}]}",
                "not a fingerprint",
            ),
        ] {
            let message = Baseline::parse(text.as_bytes()).map(|_| ()).unwrap_err().to_string();
            assert!(message.contains(want), "{message}");
        }
    }
}
