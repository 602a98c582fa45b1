//! When a hook of each tool last ran: a small file per tool in the user's state folder.

use crate::Environment;
use canonry_guard::response::HookEvent;
use canonry_model::canon::timestamp::Timestamp;
use canonry_model::config::HookTool;
use canonry_repo::apply::state_file;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Age at which the next hook replaces a record.
const INTERVAL: Duration = Duration::from_secs(60);
/// The largest record that is read.
const MAX_BYTES: u64 = 16 << 10;

/// A hook that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastSeen {
    /// When it ran, RFC 3339.
    pub time: String,
    /// The event, as in `canonry hook EVENT`.
    pub event: String,
    /// The current folder of the hook.
    pub folder: PathBuf,
}

/// Records that a hook of a tool runs. A record that cannot be written is left out: hooks must work without a home.
pub fn record(environment: &Environment, tool: HookTool, event: HookEvent, now: Timestamp) {
    let Some(path) = path(environment, tool) else { return };
    let is_recent =
        |seen: LastSeen| Timestamp::parse(&seen.time).is_some_and(|then| then <= now && now < then.plus(INTERVAL));
    if read_file(&path).is_some_and(is_recent) {
        return;
    }
    let seen = LastSeen {
        time: now.whole_seconds().to_string(),
        event: event.name().to_owned(),
        folder: environment.cwd.clone(),
    };
    let _ = write(&path, &seen);
}

/// When a hook of a tool last ran; `None` if there is no record that can be read.
pub fn read(environment: &Environment, tool: HookTool) -> Option<LastSeen> {
    read_file(&path(environment, tool)?)
}

fn path(environment: &Environment, tool: HookTool) -> Option<PathBuf> {
    let state = environment.state.as_ref().filter(|state| state.is_absolute())?;
    Some(state.join("canonry/last-seen").join(tool.row.id))
}

fn read_file(path: &Path) -> Option<LastSeen> {
    serde_json::from_slice(&state_file::read(path, MAX_BYTES).ok()??).ok()
}

fn write(path: &Path, seen: &LastSeen) -> std::io::Result<()> {
    state_file::replace(path, format!("{}\n", serde_json::to_string(seen)?).as_bytes())
}
