//! Who runs this process: user, machine, boot, and whether another process of the machine is still running.

use rustix::process::{Pid, getuid, test_kill_process};
use rustix::system::uname;
use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _};

/// The name of the user, or its number if the environment does not contain it.
pub fn user_name() -> String {
    let variable = |name| std::env::var(name).ok().filter(|value| !value.is_empty());
    variable("USER").or_else(|| variable("LOGNAME")).unwrap_or_else(|| format!("uid-{}", getuid().as_raw()))
}

/// The name of the machine.
pub fn host_name() -> String {
    uname().nodename().to_string_lossy().into_owned()
}

/// Identifies the boot of the machine. `None` where the system has no such id.
pub fn boot_id() -> Option<String> {
    let id = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty())
}

/// Seconds since the boot, with those of sleep. `None` where the system does not tell.
pub fn uptime() -> Option<u64> {
    let text = fs::read_to_string("/proc/uptime").ok()?;
    text.split('.').next()?.parse().ok()
}

/// The pid namespace of this process. `None` where the system has none.
pub fn pid_namespace() -> Option<String> {
    Some(fs::read_link("/proc/self/ns/pid").ok()?.to_string_lossy().into_owned())
}

/// When a process started, in clock ticks since boot. `None` if it has ended, or where the system does not tell.
pub fn process_start(pid: u32) -> Option<u64> {
    Some(process_status(pid)?.start)
}

/// Whether the process that started at `start` is running. `None` if that cannot be known.
pub fn is_running(pid: u32, start: Option<u64>) -> Option<bool> {
    let raw = i32::try_from(pid).ok().and_then(Pid::from_raw)?;
    // Not only by `/proc`, which may hide the processes of other users.
    if test_kill_process(raw).is_err_and(|error| error == rustix::io::Errno::SRCH) {
        return Some(false);
    }
    let status = process_status(pid)?;
    Some(!status.is_zombie() && start.is_none_or(|start| start == status.start))
}

/// The fields of `/proc/<pid>/stat` that are used here.
pub(super) struct ProcessStatus {
    state: char,
    /// The id of the parent process.
    pub parent: u32,
    /// The id of the process group.
    pub group: i32,
    start: u64,
}

impl ProcessStatus {
    /// Whether it has ended, and its parent has not noticed.
    pub fn is_zombie(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

pub(super) fn process_status(pid: u32) -> Option<ProcessStatus> {
    let text = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    // The second field is the name in brackets, which may contain anything. The start is the 22nd field (proc(5)).
    let mut fields = text.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    let group = fields.next()?.parse().ok()?;
    Some(ProcessStatus { state, parent, group, start: fields.nth(16)?.parse().ok()? })
}

/// 32 random hexadecimal digits.
pub fn random_id() -> String {
    // The standard library's hashers are seeded by the system's random numbers.
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    #[cfg(target_os = "linux")]
    fn ended_processes_are_recognised() {
        let own = std::process::id();
        let start = process_start(own);
        assert!(start.is_some());
        assert_eq!(is_running(own, start), Some(true));
        assert_eq!(is_running(own, start.map(|start| start + 1)), Some(false), "another process with the same pid");
        let mut child = Command::new("sleep").arg("100").stdin(Stdio::null()).spawn().unwrap();
        let start = process_start(child.id());
        assert_eq!(is_running(child.id(), start), Some(true));
        child.kill().unwrap();
        // Until `wait`, it is a zombie.
        while is_running(child.id(), start) == Some(true) {
            std::thread::yield_now();
        }
        assert_eq!(is_running(child.id(), start), Some(false));
        child.wait().unwrap();
        assert_eq!(is_running(child.id(), start), Some(false));
    }

    #[test]
    fn ids_are_random() {
        let one = random_id();
        let two = random_id();
        assert!(one.len() == 32 && one != two);
        assert!(boot_id().is_none_or(|id| id.len() == 36) && !host_name().is_empty() && !user_name().is_empty());
    }
}
