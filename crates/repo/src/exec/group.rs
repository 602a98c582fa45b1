//! Process groups: signals, and the identity of a worker that outlives its coordinator.

#[cfg(target_os = "linux")]
use super::identity::process_status;
use super::identity::{boot_id, process_start};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
#[cfg(target_os = "linux")]
use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
use std::fmt;
use std::io;
use std::str::FromStr;
use std::time::{Duration, Instant};

/// Pause between two looks at a group that is to end.
const PAUSE: Duration = Duration::from_millis(10);
/// Maximum time for a killed group to disappear.
const KILL_TIME: Duration = Duration::from_secs(10);

/// The most processes above a hook: shells and the launchers of clients.
#[cfg(target_os = "linux")]
const MAX_PARENTS: usize = 16;

/// The environment variable that marks the processes of a worker.
pub const WORKER_VARIABLE: &str = "CANONRY_WORKER";

/// Identifies a worker, also after the process that started it was killed: a process id alone can belong to another
/// process later. Displayed as one word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerIdentity {
    /// The process id of the leader, which is the id of its group.
    pub pid: u32,
    /// The value of [`WORKER_VARIABLE`] in its environment.
    pub token: String,
    /// When the leader started, in a form that is unique across restarts of the system; empty where this is unknown.
    pub started: String,
}

impl WorkerIdentity {
    /// The identity of a process that was just started.
    pub(super) fn new(pid: u32, token: String) -> Self {
        Self { pid, token, started: start_of(pid).unwrap_or_default() }
    }
}

impl fmt::Display for WorkerIdentity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.pid, self.token, self.started)
    }
}

impl FromStr for WorkerIdentity {
    type Err = InvalidIdentity;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut parts = text.split(':');
        let (Some(pid), Some(token), Some(started), None) = (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(InvalidIdentity);
        };
        let pid = pid.parse().ok().filter(|pid| *pid > 1).ok_or(InvalidIdentity)?;
        let is_plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let is_valid = !token.is_empty() && is_plain(token) && is_plain(started);
        is_valid.then(|| Self { pid, token: token.to_owned(), started: started.to_owned() }).ok_or(InvalidIdentity)
    }
}

/// A text is not a worker's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the identity of a worker")]
pub struct InvalidIdentity;

/// Whether a process of the worker's group is alive.
#[cfg(test)]
pub fn group_is_alive(worker: &WorkerIdentity) -> bool {
    group_pid(worker).is_some_and(|pid| has_live_member(pid, Some(worker)))
}

/// Ends the group of a worker that outlived its coordinator: SIGTERM, after `grace` SIGKILL. Does nothing if the group has
/// ended, or if its id belongs to other processes by now. Returns whether there was something to end.
///
/// # Errors
/// The group is still alive, for example because it belongs to another user.
pub fn end_group(worker: &WorkerIdentity, grace: Duration) -> io::Result<bool> {
    let Some(pid) = group_pid(worker).filter(|pid| has_live_member(*pid, Some(worker))) else { return Ok(false) };
    // From here on the id is not reused, because the group has a member.
    let has_ended = || !has_live_member(pid, None);
    terminate(pid)?;
    if wait_until(grace, has_ended) {
        return Ok(true);
    }
    signal(pid, Signal::KILL)?;
    if wait_until(KILL_TIME, has_ended) {
        Ok(true)
    } else {
        Err(io::Error::new(io::ErrorKind::TimedOut, format!("process group {} does not end", worker.pid)))
    }
}

/// The worker whose processes carry a mark; `None` if none runs.
#[cfg(target_os = "linux")]
pub fn find_marked(mark: &str) -> Option<WorkerIdentity> {
    let wanted = WorkerIdentity { pid: 0, token: mark.to_owned(), started: String::new() };
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let mut pids = processes.filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
    let leader = pids.find(|pid| wanted.owns(*pid)).and_then(process_status)?.group;
    Some(WorkerIdentity::new(leader.unsigned_abs(), wanted.token))
}

/// Elsewhere, the environment of other processes is not readable.
#[cfg(not(target_os = "linux"))]
pub fn find_marked(_mark: &str) -> Option<WorkerIdentity> {
    None
}

/// Whether this process belongs to a worker: its environment has the worker's mark, or that of a process above it has.
/// Clients may clean the environment of their hooks, as Gemini CLI 0.61.0 does on GitHub, but they keep their own.
pub fn belongs_to_worker() -> bool {
    std::env::var_os(WORKER_VARIABLE).is_some() || has_marked_parent()
}

#[cfg(target_os = "linux")]
fn has_marked_parent() -> bool {
    let mark = format!("{WORKER_VARIABLE}=");
    let mut parent = process_status(std::process::id()).map(|status| status.parent);
    for _ in 0..MAX_PARENTS {
        let Some(pid) = parent.filter(|pid| *pid > 1) else { return false };
        // The environment of another user's process is not readable. Workers are processes of this user.
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        if environment.split(|b| *b == 0).any(|entry| entry.starts_with(mark.as_bytes())) {
            return true;
        }
        parent = process_status(pid).map(|status| status.parent);
    }
    false
}

/// Elsewhere, the environment of other processes is not readable.
#[cfg(not(target_os = "linux"))]
fn has_marked_parent() -> bool {
    false
}

/// Kills the processes of a worker that left its group, as `setsid` does. They carry the worker's mark.
#[cfg(target_os = "linux")]
pub(super) fn kill_strays(worker: &WorkerIdentity) {
    let Ok(processes) = std::fs::read_dir("/proc") else { return };
    let pids = processes.flatten().filter_map(|process| process.file_name().to_str()?.parse::<i32>().ok());
    for pid in pids.filter_map(Pid::from_raw) {
        let raw = pid.as_raw_nonzero().get().unsigned_abs();
        if !worker.owns(raw) || raw == worker.pid {
            continue;
        }
        // A descriptor keeps the process, so that the number cannot be that of another one when it is killed.
        if let Ok(process) = pidfd_open(pid, PidfdFlags::empty())
            && worker.owns(raw)
        {
            // It has ended, or belongs to another user.
            let _ = pidfd_send_signal(process, Signal::KILL);
        }
    }
}

/// Elsewhere, the environment of other processes is not readable.
#[cfg(not(target_os = "linux"))]
pub(super) fn kill_strays(_worker: &WorkerIdentity) {}

fn group_pid(worker: &WorkerIdentity) -> Option<Pid> {
    Pid::from_raw(i32::try_from(worker.pid).ok()?)
}

/// Asks a group to end. A stopped process sees the signal only when it continues.
pub(super) fn terminate(group: Pid) -> io::Result<()> {
    signal(group, Signal::TERM)?;
    signal(group, Signal::CONT)
}

/// Sends a signal to a group. A group that has ended is no error.
pub(super) fn signal(group: Pid, signal: Signal) -> io::Result<()> {
    match kill_process_group(group, signal) {
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        // macOS refuses to signal a group of zombies.
        Err(Errno::PERM) if cfg!(target_os = "macos") => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Waits until `condition` holds, at most for `time`. Returns whether it holds.
pub(super) fn wait_until(time: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + time;
    loop {
        if condition() {
            return true;
        }
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        std::thread::sleep(PAUSE.min(left));
    }
}

/// Whether a process of the group runs. Zombies do not count, because in a container nobody may reap them. If a worker is
/// given, only its processes count.
#[cfg(target_os = "linux")]
pub(super) fn has_live_member(group: Pid, worker: Option<&WorkerIdentity>) -> bool {
    // A system call answers for most groups; only a group that exists is looked up.
    if test_kill_process_group(group) == Err(Errno::SRCH) {
        return false;
    }
    let Ok(processes) = std::fs::read_dir("/proc") else { return true };
    let pids = processes.flatten().filter_map(|process| process.file_name().to_str()?.parse::<u32>().ok());
    let mut members = pids.filter(|pid| {
        process_status(*pid).is_some_and(|status| status.group == group.as_raw_nonzero().get() && !status.is_zombie())
    });
    members.any(|pid| worker.is_none_or(|worker| worker.owns(pid)))
}

/// Elsewhere, the group is alive if it accepts a signal, and its processes are not compared with the worker.
#[cfg(not(target_os = "linux"))]
pub(super) fn has_live_member(group: Pid, _worker: Option<&WorkerIdentity>) -> bool {
    test_kill_process_group(group).is_ok()
}

#[cfg(target_os = "linux")]
impl WorkerIdentity {
    /// Whether a process is the leader, or carries the token in the environment it was started with.
    fn owns(&self, pid: u32) -> bool {
        let is_leader = || pid == self.pid && !self.started.is_empty() && start_of(pid).as_ref() == Some(&self.started);
        let entry = format!("{WORKER_VARIABLE}={}", self.token);
        // The process has ended, or is one of another user.
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|b| *b == 0).any(|own| own == entry.as_bytes()) || is_leader()
    }
}

/// When a process started: the ticks since boot, and the id of the boot.
fn start_of(pid: u32) -> Option<String> {
    Some(format!("{}-{}", process_start(pid)?, boot_id()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identity_round_trips() {
        let identity = WorkerIdentity { pid: 4711, token: "17-a4".to_owned(), started: "99-b0".to_owned() };
        assert_eq!(identity.to_string().parse(), Ok(identity));
        for text in ["", "7", "7:", "7:a", ":a:", "1:a:", "0:a:", "-7:a:", "7:a b:", "7:a:b:c", "7:a:b=c"] {
            assert_eq!(text.parse::<WorkerIdentity>(), Err(InvalidIdentity), "{text}");
        }
    }

    #[test]
    fn a_group_of_other_processes_is_left_alone() {
        let own = rustix::process::getpgrp().as_raw_nonzero().get();
        let other = WorkerIdentity {
            pid: u32::try_from(own).unwrap(),
            token: "nobody-has-this".to_owned(),
            started: String::new(),
        };
        if cfg!(target_os = "linux") {
            assert!(!group_is_alive(&other));
            assert_eq!(end_group(&other, Duration::ZERO).ok(), Some(false));
        }
    }
}
