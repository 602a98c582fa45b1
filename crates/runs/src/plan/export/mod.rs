//! A plan for an engine that a team already runs. Each job calls `canonry run exec --push PLAN STEP`, which is
//! idempotent and pushes its own result.
//!
//! An exported file is a mirror: its header names the plan and the options, so that it can be made again and compared.

mod argo;
mod github;
mod jobs;
mod json;

use canonry_model::canon::plan::PlanStep;
pub use github::{CHECKOUT, install_step};
use jobs::ExportJobs;
use serde::{Deserialize, Serialize};

/// The schema of the JSON export.
pub const EXPORT_SCHEMA: &str = "canonry/plan-export/v1";

/// The comment line with the header of a YAML export.
const HEADER_LINE: &str = "# canonry-export: ";

/// Jobs of one GitHub Actions workflow.
pub const MAX_GITHUB_JOBS: usize = 256;

/// The engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ExportTarget {
    /// A workflow with one job per step, at most 256
    GithubActions,
    /// An Argo Workflow with a DAG
    Argo,
    /// A JSON document, described by a schema in schemas/
    Json,
}

impl ExportTarget {
    /// The target as the command line spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GithubActions => "github-actions",
            Self::Argo => "argo",
            Self::Json => "json",
        }
    }
}

/// Inputs of an export besides the plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportOptions {
    /// The release of canonry that GitHub Actions downloads: the one that exports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The runner of GitHub Actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_on: Option<String>,
    /// The container image of Argo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// The repository that Argo clones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// Secrets that the workers get as environment variables of the same name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// Minutes after which a job is ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u32>,
}

impl ExportOptions {
    fn timeout_minutes(&self) -> u32 {
        self.timeout.unwrap_or(120)
    }
}

/// The header of an exported file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportHeader {
    /// The plan's id.
    pub plan: String,
    /// The plan's file.
    pub path: String,
    pub to: ExportTarget,
    #[serde(flatten)]
    pub options: ExportOptions,
    /// The digest of the file with an empty digest.
    #[serde(default)]
    pub digest: String,
}

/// Why a plan cannot be exported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    #[error("the plan has {0} steps, and a workflow of GitHub Actions has at most {MAX_GITHUB_JOBS} jobs")]
    TooManyJobs(usize),
    #[error("the plan has no steps")]
    NoSteps,
    #[error("`{0}` contains `{{{{`, which Argo would replace")]
    ArgoTag(String),
    #[error("`{0}` cannot be the name of a secret: use capital letters, digits and underscores")]
    Secret(String),
    #[error("Argo needs the image of the workers and the repository")]
    NoImage,
}

/// The text of an export. The digest of the header does not matter.
///
/// # Errors
/// The engine cannot express the plan, or an option is missing or not valid.
pub fn export(header: &ExportHeader, steps: &[PlanStep]) -> Result<String, ExportError> {
    let is_secret = |name: &str| {
        let first = name.bytes().next().is_some_and(|b| b.is_ascii_uppercase() || b == b'_');
        first && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
    };
    if let Some(name) = header.options.secrets.iter().find(|name| !is_secret(name)) {
        return Err(ExportError::Secret(name.clone()));
    }
    if steps.is_empty() {
        return Err(ExportError::NoSteps);
    }
    let jobs = ExportJobs::new(steps);
    let unsealed = ExportHeader { digest: String::new(), ..header.clone() };
    let text = match header.to {
        ExportTarget::GithubActions => github::workflow(&unsealed, &jobs)?,
        ExportTarget::Argo => argo::workflow(&unsealed, &jobs)?,
        ExportTarget::Json => json::document(&unsealed, &jobs),
    };
    let digest = digest(&text);
    Ok(text.replacen(EMPTY_DIGEST[0], &format!("\"digest\":\"{digest}\""), 1).replacen(
        EMPTY_DIGEST[1],
        &format!("\"digest\": \"{digest}\""),
        1,
    ))
}

const EMPTY_DIGEST: [&str; 2] = ["\"digest\":\"\"", "\"digest\": \"\""];

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().chars().take(32).collect()
}

/// The header of an exported file; `None` if the file is none. Ignores line ends, which git may convert.
pub fn header_of(text: &str) -> Option<ExportHeader> {
    if let Some(line) = text.lines().take(5).find_map(|line| line.strip_prefix(HEADER_LINE)) {
        return serde_json::from_str(line.trim()).ok();
    }
    if !text.contains(EXPORT_SCHEMA) {
        return None;
    }
    let document: serde_json::Value = serde_json::from_str(text).ok()?;
    (document.get("schema")?.as_str()? == EXPORT_SCHEMA).then_some(())?;
    serde_json::from_value(document.get("export")?.clone()).ok()
}

/// Whether an exported file is as it was written.
pub fn is_unedited(text: &str) -> bool {
    let Some(header) = header_of(text) else { return false };
    let text = text.replace("\r\n", "\n");
    let filled = ["\"digest\":\"", "\"digest\": \""].map(|key| format!("{key}{}\"", header.digest));
    let [first, second] = EMPTY_DIGEST;
    let unsealed = text.replacen(&filled[0], first, 1).replacen(&filled[1], second, 1);
    !header.digest.is_empty() && digest(&unsealed) == header.digest
}

/// Whether two exports are equal, except for line ends.
pub fn is_same(a: &str, b: &str) -> bool {
    a.replace("\r\n", "\n") == b.replace("\r\n", "\n")
}

/// The header as the first lines of a YAML file.
fn comment(header: &ExportHeader) -> String {
    let json = serde_json::to_string(header).expect("texts and numbers have a JSON form");
    format!(
        "# Generated by `canonry run export`. Do not edit: change the plan and export it again; `canonry check` compares them.\n\
         {HEADER_LINE}{}\n",
        ascii_json(&json)
    )
}

/// JSON in ASCII, because old YAML parsers end a comment at some other characters.
fn ascii_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if (' '..='~').contains(&c) {
            out.push(c);
        } else {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    out
}

#[cfg(test)]
mod tests;
