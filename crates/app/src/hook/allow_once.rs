//! `hook allow-once`: a person allows the next call that is exactly like one that a hook stopped.

use super::decision_log::{DecisionLog, LoggedDecision};
use super::history::unreadable_log;
use super::own_denial::OwnDenial;
use crate::trust::require_person;
use crate::{Environment, Error, ErrorKind, Timestamp};
use canonry_model::config::HookTool;
use canonry_repo::apply::state_file;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Largest file of a permission, in bytes.
const MAX_BYTES: u64 = 4096;
/// Period in which a stopped call can be allowed.
const MAX_AGE: Duration = Duration::from_secs(24 * 60 * 60);

/// Time within which the hooks of two tools judge the same call.
const SAME_CALL: Duration = Duration::from_secs(1);

/// A permission for one call.
#[derive(Clone, Debug)]
pub struct Grant {
    /// The call, as the log shows it.
    pub decision: LoggedDecision,
    /// When the permission ends.
    pub expires: Timestamp,
}

/// A permission on disk.
#[derive(Debug, Serialize, Deserialize)]
struct StoredGrant {
    expires: String,
}

/// Allows the call with this code, for as long as `lasts`, and logs that.
///
/// # Errors
/// [`ErrorKind::Refused`] if an agent asks for it, if the tool itself denies the call, or if the code stands for several calls; [`ErrorKind::Unreadable`] if there is
/// no such code or the call is too old; [`ErrorKind::Internal`] if the permission cannot be written.
pub fn allow_once(env: &Environment, code: &str, lasts: Duration) -> Result<Grant, Error> {
    require_person(env, "canonry hook allow-once")?;
    let unknown = |message: String| Error::new(ErrorKind::Unreadable, message);
    let state =
        env.state.as_deref().ok_or_else(|| unknown("your home directory is unknown".to_owned()).help("set HOME"))?;
    let log = DecisionLog::new(state);
    let rows = log.read().map_err(unreadable_log)?;
    let code = code.trim();
    let matching: Vec<&LoggedDecision> = rows.iter().filter(|row| row.code == code && row.is_stopped()).collect();
    let Some(last) = matching.last() else {
        return Err(unknown(format!("no hook stopped a call with the code `{code}`"))
            .help("run `canonry hook log` for the codes"));
    };
    if matching.iter().any(|row| row.digest != last.digest) {
        return Err(Error::new(ErrorKind::Refused, format!("the code `{code}` stands for several calls"))
            .help("run the command yourself"));
    }
    let now = env.clock.now();
    let is_old = Timestamp::parse(&last.time).is_none_or(|time| time.plus(MAX_AGE) < now);
    if is_old {
        return Err(unknown(format!("the call with the code `{code}` was stopped more than a day ago"))
            .help("let the agent try again"));
    }
    if let Some(own) = last.denied_by.as_ref().filter(|own| own.holds(Path::new(&last.repository))) {
        let OwnDenial { path, entry } = own;
        return Err(Error::new(ErrorKind::Refused, format!("{path} denies this call too, and no hook can lift that"))
            .help(format!("run it yourself; the entry of `permissions.deny` is `{entry}`")));
    }
    let expires = now.plus(lasts);
    let failed = |error: io::Error| {
        Error::new(ErrorKind::Internal, format!("the permission cannot be written to {}: {error}", state.display()))
    };
    let decision = LoggedDecision { time: now.to_string(), decision: "grant".to_owned(), ..(*last).clone() };
    // A permission that is not in the log would be invisible.
    log.append(&decision).map_err(failed)?;
    let stored = serde_json::to_string(&StoredGrant { expires: expires.to_string() }).map_err(|e| failed(e.into()))?;
    state_file::replace(&file(state, &last.digest), stored.as_bytes()).map_err(failed)?;
    Ok(Grant { decision, expires })
}

/// Uses up the permission for a call; false if there is none, or if it has expired. Some tools run the hooks of another tool too, so
/// that one call is judged by two hooks at about the same time: both may use the permission.
pub(super) fn take(state: &Path, digest: &str, tool: HookTool, now: Timestamp) -> io::Result<bool> {
    let claimed = claimed_file(state, digest, tool);
    if state_file::claim(&file(state, digest), &claimed)? {
        let bytes = state_file::read(&claimed, MAX_BYTES)?.unwrap_or_default();
        let stored: StoredGrant = serde_json::from_slice(&bytes)?;
        let is_valid = Timestamp::parse(&stored.expires).is_some_and(|expires| now < expires);
        if !is_valid {
            state_file::remove_recent(&claimed, SAME_CALL);
        }
        return Ok(is_valid);
    }
    let mut others = HookTool::all().iter().filter(|other| other.row.id != tool.row.id);
    Ok(others.any(|other| state_file::remove_recent(&claimed_file(state, digest, *other), SAME_CALL)))
}

fn file(state: &Path, digest: &str) -> PathBuf {
    state.join("canonry/grants").join(digest)
}

/// The permission after a hook of a tool has used it.
fn claimed_file(state: &Path, digest: &str, tool: HookTool) -> PathBuf {
    file(state, &format!("{digest}.{}", tool.row.id))
}
