//! What a sync did, or would do, as JSON.

use super::Outcome;
use crate::render::json;
use crate::syntax::RepoPath;
use serde::Serialize;

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    written: Vec<String>,
    removed: Vec<String>,
    refused: Vec<Refusal>,
    unowned: Vec<String>,
    unchanged: usize,
    left_out: Vec<LeftOut>,
    unused_overlays: Vec<Refusal>,
    adopted: Vec<String>,
    commit: Option<String>,
}

#[derive(Serialize)]
struct Refusal {
    path: String,
    reason: String,
}

#[derive(Serialize)]
struct LeftOut {
    path: String,
    targets: Vec<&'static str>,
    reason: String,
}

impl Outcome {
    /// `canonry/sync/v1`
    pub fn to_json(&self) -> String {
        let paths = |paths: &[RepoPath]| paths.iter().map(RepoPath::to_display).collect();
        let refusal = |(path, reason): &(RepoPath, String)| Refusal { path: path.to_display(), reason: reason.clone() };
        let left_out = self.left_out.iter().map(|((path, why), targets)| LeftOut {
            path: path.to_display(),
            targets: targets.clone(),
            reason: why.to_string(),
        });
        json::to_text(&Document {
            schema: "canonry/sync/v1",
            written: paths(&self.written),
            removed: paths(&self.removed),
            refused: self.refused.iter().map(refusal).collect(),
            unowned: paths(&self.unowned),
            unchanged: self.unchanged,
            left_out: left_out.collect(),
            unused_overlays: self.unused.iter().map(refusal).collect(),
            adopted: paths(&self.adopted),
            commit: self.commit.as_ref().map(|made| made.id.to_string()),
        })
    }
}
