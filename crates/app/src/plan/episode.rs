//! Every attempt is an episode of the memory.

use crate::memory_files::read_log_tail;
use crate::{
    Error, Quiet, Workspace,
    log::{self, LogDestination, LogEpisodeRequest, LoggedFields},
};
use canonry_model::canon::report::{AttemptCause, AttemptOutcome, AttemptResult, StepAttempt};
use serde_json::Value;

/// Appends an episode about an attempt to the pending log, unless it is logged already: a run that was killed in between is
/// repeated. Usage limits, interruptions and invalid reports teach nothing and are left out. Returns whether a row was appended.
///
/// # Errors
/// See [`log::run`].
pub(super) fn record_attempt(workspace: &Workspace, plan: &str, attempt: &StepAttempt) -> Result<bool, Error> {
    let Some(result) = attempt.result.as_ref().filter(|result| result.counts()) else { return Ok(false) };
    let id = format!("{plan}/{}.{}", attempt.step, attempt.number);
    if is_logged(workspace, &id) {
        return Ok(false);
    }
    let is_success = result.outcome == AttemptOutcome::Success;
    let fields = LoggedFields {
        timestamp: result.timestamp.map(|time| time.to_string()),
        id: Some(id),
        action: Some(format!("executed step {} of plan {plan}", attempt.step)),
        result: Some(if is_success { "success" } else { "failure" }.to_owned()),
        detail: Some(detail(result)).filter(|detail| !detail.trim().is_empty()),
        context: Some(format!("attempt {}{}", attempt.number, owner(result))),
        ..LoggedFields::default()
    };
    let to = LogDestination::PendingLog;
    log::run(workspace, &LogEpisodeRequest { fields, to, ..LogEpisodeRequest::default() }, &Quiet).map(|_| true)
}

/// Detail of an episode: the error of a failure, otherwise the details.
fn detail(result: &AttemptResult) -> String {
    let cause = result.cause.map(AttemptCause::as_str).map(|cause| format!("{cause}: ")).unwrap_or_default();
    let error = result.error.as_deref().filter(|error| !error.trim().is_empty());
    format!("{cause}{}", error.unwrap_or(&result.details))
}

fn owner(result: &AttemptResult) -> String {
    result.owner.as_deref().map(|owner| format!(", owner {owner}")).unwrap_or_default()
}

/// Whether one of the last rows of the log has an id.
fn is_logged(workspace: &Workspace, id: &str) -> bool {
    let tail = read_log_tail(&workspace.view, &workspace.layout.log(), workspace.pending_log().as_ref());
    let rows = tail.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    rows.into_iter().any(|row| row.get("id").and_then(Value::as_str) == Some(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Environment;
    use canonry_model::canon::layout::PENDING_LOG;
    use canonry_model::canon::report::Report;
    use canonry_model::canon::schema::Schemas;
    use canonry_model::canon::{Blob, Layout};
    use canonry_repo::view::Basis;
    use canonry_text::RepoPath;

    fn attempt(number: u64, fields: &str) -> StepAttempt {
        let text = format!(
            r#"{{"step_id": "api", "details": "did it", "artifacts": [], "timestamp": "2026-05-01T12:00:00Z", {fields}}}"#
        );
        let path = RepoPath::from(format!("agent/reports/login/api.{number}.json").as_str());
        let report = Report::parse(path, Blob::Bytes(text.into_bytes()), &Schemas::default(), &Layout::default());
        report.attempts().remove(0)
    }

    #[test]
    fn an_attempt_is_one_episode() {
        let folder = tempfile::tempdir().unwrap();
        gix::init(folder.path()).unwrap();
        std::fs::create_dir_all(folder.path().join("agent/skills")).unwrap();
        let env = Environment { cwd: folder.path().to_owned(), ..Environment::isolated() };
        let workspace = Workspace::open(&env, &Basis::WorkTree).unwrap();
        let record = |attempt: &StepAttempt| record_attempt(&workspace, "login", attempt).unwrap();
        let failure = attempt(1, r#""outcome": "failure", "cause": "timeout", "error": "30m are over", "owner": "QA""#);
        assert_eq!((record(&failure), record(&failure)), (true, false));
        assert!(!record(&attempt(2, r#""outcome": "failure", "cause": "usage_limit""#)));
        assert!(!record(&attempt(3, r#""outcome": "nonsense""#)));
        assert!(record(&attempt(4, r#""outcome": "success""#)));
        let log = std::fs::read_to_string(folder.path().join(".git").join(PENDING_LOG)).unwrap();
        let rows: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let field = |row: usize, key: &str| rows[row][key].as_str().unwrap_or_default().to_owned();
        assert_eq!(rows.len(), 2);
        assert_eq!([field(0, "id"), field(0, "result")], ["login/api.1", "failure"]);
        assert_eq!([field(0, "detail"), field(0, "context")], ["timeout: 30m are over", "attempt 1, owner QA"]);
        assert_eq!([field(1, "id"), field(1, "detail")], ["login/api.4", "did it"]);
    }
}
