//! Searches the memory.

use crate::memory_files::{read_document, read_or_empty, read_whole_log};
use crate::outdated_lessons;
use crate::user_memory::UserMemory;
use crate::{Error, Progress, Workspace};
use canonry_memory::MemoryPolicy;
use canonry_memory::budget::cost;
pub use canonry_memory::recall::{HitKind, RecallHit};
use canonry_memory::recall::{RecallQuery, RecallSources, recall};
use canonry_model::canon::timestamp::Timestamp;
use canonry_repo::view::IgnoreMode;
use canonry_repo::view::load::LOG_LIMIT;
use canonry_text::RepoPath;
use canonry_text::secrets::{redact, without_secrets};
use serde::Serialize;

/// A search.
#[derive(Clone, Debug)]
pub struct RecallRequest {
    /// The text to match. If empty, the most salient entries are found.
    pub text: String,
    /// The maximum number of hits.
    pub top: usize,
    /// The maximum cost of all hits, in tokens.
    pub budget: usize,
    /// Whether to search the snapshots of archived episodes too.
    pub snapshots: bool,
    /// The time that determines the age of episodes; the current time by default.
    pub now: Option<Timestamp>,
}

/// Results of the search. The fields, in this order, are those of the JSON document `canonry/recall/v1`.
#[derive(Clone, Debug, Serialize)]
pub struct RecallOutcome {
    /// The text of the request, without secrets.
    pub query: String,
    /// The time that determined the age of episodes.
    pub now: Timestamp,
    /// The budget of the request, in tokens.
    pub budget: usize,
    /// The cost of all hits, one per line, in tokens.
    pub used: usize,
    /// The number of entries searched.
    #[serde(rename = "looked_at")]
    pub searched: usize,
    /// The number of matches beyond the limit or the budget.
    pub left_out: usize,
    /// The number of log lines that are not episodes.
    pub unreadable: usize,
    /// The hits, the best first.
    pub hits: Vec<RecallHit>,
}

/// Searches the lessons of the team and of the user, the decisions, the domain knowledge, the log and, on request, the snapshots.
///
/// # Errors
/// [`crate::ErrorKind::Unreadable`] if a file exists and cannot be read.
pub fn run(workspace: &Workspace, request: &RecallRequest, _progress: &dyn Progress) -> Result<RecallOutcome, Error> {
    let now = request.now.unwrap_or_else(|| workspace.env.clock.now());
    let layout = &workspace.layout;
    let mut logs = vec![read_whole_log(&workspace.view, &layout.log(), workspace.pending_log().as_ref())?];
    if request.snapshots {
        let files = workspace.view.list(&layout.snapshots(), IgnoreMode::Exclude)?.files;
        let paths = files.iter().map(|file| &file.entry.path);
        for path in paths.filter(|path| path.as_bstr().ends_with(b".jsonl")) {
            logs.push(read_or_empty(&workspace.view, path, LOG_LIMIT)?);
        }
    }
    let [lessons, decisions, knowledge, review] =
        [layout.lessons(), layout.decisions(), layout.domain_knowledge(), layout.review()]
            .map(|path| read_document(&workspace.view, &path));
    let user = UserMemory::load(&workspace.env, workspace.view.on_disk(&RepoPath::default()).as_deref())?;
    let policy = MemoryPolicy::from_config(&workspace.config.memory);
    let query = RecallQuery {
        text: &request.text,
        top: request.top,
        budget: request.budget,
        now,
        policy: &policy,
        redact: &without_secrets,
    };
    let sources = RecallSources {
        lessons: &lessons?,
        outdated: &outdated_lessons::find(workspace)?,
        decisions: &decisions?,
        knowledge: &knowledge?,
        personal: &user.lessons,
        review: &review?,
        logs: logs.iter().map(Vec::as_slice).collect(),
    };
    let result = recall(&query, &sources);
    let printed: String = result.hits.iter().map(|hit| format!("{}\n", hit.text)).collect();
    Ok(RecallOutcome {
        query: redact(&request.text).into_owned(),
        now,
        budget: request.budget,
        used: cost(&printed),
        hits: result.hits,
        searched: result.searched,
        left_out: result.left_out,
        unreadable: result.unreadable,
    })
}
