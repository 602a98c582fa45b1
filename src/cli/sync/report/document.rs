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

/// `canonry/sync/v1`, of one canon or of several together.
pub fn to_json(outcomes: &[&Outcome], commit: Option<String>) -> String {
    let paths = |of: fn(&Outcome) -> &Vec<RepoPath>| -> Vec<String> {
        outcomes.iter().flat_map(|o| of(o).iter().map(|path| o.full(path).to_display())).collect()
    };
    let told = |of: fn(&Outcome) -> &Vec<(RepoPath, String)>| -> Vec<Refusal> {
        let of_one = |o: &&Outcome| {
            let told = |(path, reason): &(RepoPath, String)| Refusal {
                path: o.full(path).to_display(),
                reason: reason.clone(),
            };
            of(o).iter().map(told).collect::<Vec<_>>()
        };
        outcomes.iter().flat_map(of_one).collect()
    };
    let left_out = |o: &&Outcome| {
        let left_out = o.left_out.iter().map(|((path, why), targets)| LeftOut {
            path: o.full(path).to_display(),
            targets: targets.clone(),
            reason: why.to_string(),
        });
        left_out.collect::<Vec<_>>()
    };
    json::to_text(&Document {
        schema: "canonry/sync/v1",
        written: paths(|o| &o.written),
        removed: paths(|o| &o.removed),
        refused: told(|o| &o.refused),
        unowned: paths(|o| &o.unowned),
        unchanged: outcomes.iter().map(|o| o.unchanged).sum(),
        left_out: outcomes.iter().flat_map(left_out).collect(),
        unused_overlays: told(|o| &o.unused),
        adopted: paths(|o| &o.adopted),
        commit,
    })
}
