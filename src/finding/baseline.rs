//! Findings that a team knows of and has put off: `canonry/baseline/v1`.

use super::{Finding, Fingerprint};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

const SCHEMA: &str = "canonry/baseline/v1";

/// The findings that are put off, by their fingerprints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Baseline {
    entries: BTreeSet<BaselineEntry>,
}

/// One of them. Path and rule are for people who read the file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct BaselineEntry {
    path: String,
    rule: String,
    #[serde(serialize_with = "in_digits")]
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

fn in_digits<S: serde::Serializer>(fingerprint: &Fingerprint, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(fingerprint)
}

impl Baseline {
    /// One that puts these findings off.
    pub fn from_findings<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let entry = |finding: &Finding| BaselineEntry {
            path: finding.raw.location.path.to_display(),
            rule: finding.rule.to_owned(),
            fingerprint: finding.fingerprint,
        };
        Self { entries: findings.into_iter().map(entry).collect() }
    }

    /// Reads the file.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let document: BaselineFile = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        if document.schema != SCHEMA {
            return Err(format!("its schema is `{}`, not `{SCHEMA}`", document.schema));
        }
        let entry = |row: BaselineFileEntry| match Fingerprint::from_hex(&row.fingerprint) {
            Some(fingerprint) => Ok(BaselineEntry { path: row.path, rule: row.rule, fingerprint }),
            None => Err(format!("`{}` is no fingerprint", row.fingerprint)),
        };
        let entries: Result<BTreeSet<BaselineEntry>, String> = document.findings.into_iter().map(entry).collect();
        Ok(Self { entries: entries? })
    }

    /// The file: sorted, an entry a line, so that two branches seldom change the same one.
    pub fn to_text(&self) -> String {
        let rows: Vec<String> =
            self.entries.iter().map(|entry| serde_json::to_string(entry).unwrap_or_default()).collect();
        let rows = match rows.is_empty() {
            true => String::new(),
            false => format!("\n    {}\n  ", rows.join(",\n    ")),
        };
        format!("{{\n  \"schema\": \"{SCHEMA}\",\n  \"findings\": [{rows}]\n}}\n")
    }

    /// How many it puts off.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it puts nothing off.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The fingerprints that are put off.
    pub fn fingerprints(&self) -> BTreeSet<Fingerprint> {
        self.entries.iter().map(|entry| entry.fingerprint).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Location, RawFinding, Severity, resolve};
    use crate::syntax::RepoPath;

    fn findings(paths: &[&str]) -> Vec<Finding> {
        let draft = |path: &&str| ("r", RawFinding::new(Location::file(&RepoPath::from(*path)), "m"));
        resolve(paths.iter().map(draft).collect(), |_, _| Severity::Error)
    }

    #[test]
    fn is_written_sorted_and_read_back() {
        let baseline = Baseline::from_findings(&findings(&["b", "a", "a"]));
        let text = baseline.to_text();
        let order: Vec<&str> = text.lines().filter_map(|line| line.trim().get(..12)).collect();
        assert_eq!(order[2..5], ["{\"path\":\"a\",", "{\"path\":\"a\",", "{\"path\":\"b\","]);
        assert_eq!(Baseline::parse(text.as_bytes()), Ok(baseline));
        let empty = Baseline::default();
        assert_eq!(Baseline::parse(empty.to_text().as_bytes()), Ok(empty));
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, want) in [
            ("<<<<<<< HEAD\n", "expected value"),
            ("{\"schema\": \"canonry/baseline/v9\", \"findings\": []}", "its schema is"),
            (
                "{\"schema\": \"canonry/baseline/v1\", \"findings\": [{\"path\": \"a\", \"rule\": \"r\", \"fingerprint\": \"x\"}]}",
                "no fingerprint",
            ),
        ] {
            let message = Baseline::parse(text.as_bytes()).map(|_| ()).unwrap_err();
            assert!(message.contains(want), "{message}");
        }
    }
}
