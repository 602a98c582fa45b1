//! Workers: coding agents and other long programs, each in a process group of its own.
//!
//! One thread per worker moves bytes: the prompt to stdin, and stdout and stderr to a log and to bounded buffers. It ends
//! when the worker does, even if another process still holds the pipes open.

use super::group::{self, WORKER_VARIABLE, WorkerIdentity};
use super::identity::random_id;
use super::lines::{BoundedLog, HeadTail, LineSplitter};
use crate::fs::open_or_create_unfollowed;
use canonry_runs::plan::worker_output::progress;
use canonry_text::printable::one_line;
use canonry_text::secrets;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, waitid};
use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::{self, PipeReader, PipeWriter, Read, Write as _};
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Command of a worker.
#[derive(Debug)]
pub struct WorkerCommand<'a> {
    /// The program and its arguments. A program without a slash is looked up on PATH.
    pub argv: &'a [String],
    /// The folder it works in.
    pub folder: &'a Path,
    /// Added to the environment.
    pub env: Vec<(OsString, OsString)>,
    /// Its stdin. It need not read it.
    pub stdin: Vec<u8>,
    /// The file that its output is appended to.
    pub log: &'a Path,
    /// Marks its processes, see [`new_mark`].
    pub mark: String,
}

/// A mark for the processes of one worker. Whoever records it before the start can end the worker after a kill, see
/// [`group::find_marked`].
pub fn new_mark() -> String {
    random_id()
}

/// Why a worker could not be started.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    #[error("the command line is empty")]
    NoProgram,
    #[error("`{program}` not found")]
    NotFound { program: String },
    #[error("`{program}` is not executable")]
    NotExecutable { program: String },
    #[error("the arguments of `{program}` are too long for the system")]
    TooLong { program: String },
    #[error("`{folder}` is not a folder")]
    Folder { folder: String },
    #[error("the log `{log}` cannot be written: {source}")]
    Log { log: String, source: io::Error },
    #[error("`{program}` cannot be run: {source}")]
    Io { program: String, source: io::Error },
}

/// End of a worker: an exit status, or a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkerExit {
    pub status: Option<i32>,
    pub signal: Option<i32>,
}

impl WorkerExit {
    fn new(status: ExitStatus) -> Self {
        Self { status: status.code(), signal: status.signal() }
    }

    /// Whether it ended with status 0.
    pub fn is_success(self) -> bool {
        self.status == Some(0)
    }

    /// The status as a shell gives it: 128 plus the number of the signal that ended the process.
    pub fn code(self) -> i32 {
        self.status.or_else(|| Some(128 + self.signal?)).unwrap_or(128)
    }
}

/// Output of a worker.
#[derive(Clone, Debug, Default)]
pub struct WorkerOutput {
    /// stdout: the beginning and the end of it, if it is long. As printed, so possibly with secrets and control
    /// characters.
    pub stdout: String,
    /// The end of stderr, as printed.
    pub stderr: String,
    /// The end of both in the order of arrival: printable lines without secrets.
    pub transcript: String,
    /// The last line, as [`Worker::last_line`] returns it once everything is read.
    pub last_line: String,
}

/// The bounds of what is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct OutputLimits {
    pub log: u64,
    pub stdout_head: usize,
    pub stdout_tail: usize,
    pub stderr_tail: usize,
    pub transcript: usize,
}

const LIMITS: OutputLimits = OutputLimits {
    log: 16 << 20,
    stdout_head: 1 << 20,
    stdout_tail: 7 << 20,
    stderr_tail: 256 << 10,
    transcript: 16 << 10,
};

/// The most characters of the last line that [`Worker::last_line`] returns.
const LAST_LINE: usize = 200;
/// Number of lines that are searched for words: many events say nothing to a person.
const RECENT: usize = 8;
/// Time to read the output that is still in the pipes after the worker has ended.
const DRAIN_TIME: Duration = Duration::from_secs(1);
/// Number of reads of each pipe even if the time has passed: a pipe holds at most 1 MiB of what the worker wrote.
const DRAIN_READS: u32 = 16;
/// Maximum time for a killed worker to end. A process that waits for a dead disk can take forever.
const KILL_TIME: Duration = Duration::from_secs(10);

/// The variables by which git finds a repository. Inherited from a git hook, they would lead a worker to the wrong one.
const GIT_VARIABLES: [&str; 8] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_WORK_TREE",
];

/// A running or ended worker. Dropping it ends it.
#[derive(Debug)]
pub struct Worker {
    child: Child,
    group: Pid,
    identity: WorkerIdentity,
    exit: Option<WorkerExit>,
    last_line: Arc<Mutex<String>>,
    /// Number of bytes that it printed.
    printed: Arc<AtomicU64>,
    /// Closing it makes the thread end.
    wake: Option<PipeWriter>,
    thread: Option<JoinHandle<WorkerOutput>>,
}

impl Worker {
    /// Starts a worker in a process group of its own.
    ///
    /// # Errors
    /// The program is missing or cannot be started, or the log cannot be written.
    pub fn start(command: WorkerCommand<'_>) -> Result<Self, WorkerError> {
        Self::start_with(command, LIMITS)
    }

    pub(super) fn start_with(command: WorkerCommand<'_>, limits: OutputLimits) -> Result<Self, WorkerError> {
        let WorkerCommand { argv, folder, env, stdin, log, mark } = command;
        let Some((program, args)) = argv.split_first().filter(|(program, _)| !program.is_empty()) else {
            return Err(WorkerError::NoProgram);
        };
        let log = open_log(log, limits.log)?;
        let mut command = Command::new(program);
        for name in GIT_VARIABLES {
            command.env_remove(name);
        }
        command.args(args).current_dir(folder).envs(env).env(WORKER_VARIABLE, &mark).process_group(0);
        command.stdin(if stdin.is_empty() { Stdio::null() } else { Stdio::piped() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let failed = |source: io::Error| start_error(program.clone(), folder, source);
        let (wake_reader, wake) = io::pipe().map_err(failed)?;
        let mut child = command.spawn().map_err(failed)?;
        let group = Pid::from_child(&child);
        let last_line = Arc::new(Mutex::new(String::new()));
        let printed = Arc::new(AtomicU64::new(0));
        let pipes = Pipes::new(&mut child, stdin);
        let pump = Pump {
            pipes,
            wake: wake_reader,
            log,
            stdout: HeadTail::new(limits.stdout_head, limits.stdout_tail),
            stderr: HeadTail::new(0, limits.stderr_tail),
            transcript: HeadTail::new(0, limits.transcript),
            last_line: Arc::clone(&last_line),
            printed: Arc::clone(&printed),
        };
        let started = pump
            .prepare()
            .and_then(|()| std::thread::Builder::new().name("worker output".to_owned()).spawn(move || pump.run()));
        let identity = WorkerIdentity::new(child.id(), mark);
        let mut worker =
            Self { child, group, identity, exit: None, last_line, printed, wake: Some(wake), thread: None };
        // On an error, the worker is dropped and thereby ended.
        worker.thread = Some(started.map_err(|source| WorkerError::Io { program: program.clone(), source })?);
        Ok(worker)
    }

    /// The process id, which is the id of the group too.
    pub fn pid(&self) -> u32 {
        self.identity.pid
    }

    /// Identity of the worker for a later run, see [`group::end_group`].
    pub fn identity(&self) -> &WorkerIdentity {
        &self.identity
    }

    /// End of the worker; `None` while it runs. Does not wait. Once the worker has ended, what is left of its group
    /// is killed: nothing may change files while they are verified.
    ///
    /// # Errors
    /// The system does not say it.
    pub fn poll(&mut self) -> io::Result<Option<WorkerExit>> {
        if self.exit.is_none() && self.has_exited()? {
            self.reap()?;
        }
        Ok(self.exit)
    }

    /// The last line of output, or what the last event of a tool's JSON output says: printable, without secrets, and of bounded length. Empty if there is none.
    pub fn last_line(&self) -> String {
        self.last_line.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Number of bytes that it printed so far.
    pub fn printed(&self) -> u64 {
        self.printed.load(Ordering::Relaxed)
    }

    /// Ends the worker and its whole group: SIGTERM, after `grace` SIGKILL.
    ///
    /// # Errors
    /// The worker does not end, or the system does not allow it.
    pub fn stop(&mut self, grace: Duration) -> io::Result<()> {
        if self.exit.is_some() {
            return Ok(());
        }
        group::terminate(self.group)?;
        let group = self.group;
        let mut result = Ok(());
        group::wait_until(grace, || match self.has_exited() {
            // The leader is not reaped yet, so the id of the group is not reused.
            Ok(has_exited) => has_exited && !group::has_live_member(group, None),
            Err(error) => {
                result = Err(error);
                true
            }
        });
        result?;
        group::signal(self.group, Signal::KILL)?;
        if !group::wait_until(KILL_TIME, || self.has_exited().unwrap_or(true)) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, format!("process {} does not end", self.pid())));
        }
        self.reap()
    }

    /// Returns what the worker printed. Ends it if it still runs.
    pub fn finish(mut self) -> WorkerOutput {
        // If the worker cannot be ended, its output so far is still returned.
        let _ = self.stop(Duration::ZERO);
        let output = self.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        WorkerOutput { last_line: self.last_line(), ..output }
    }

    /// Whether the leader has ended, without reaping it.
    fn has_exited(&self) -> io::Result<bool> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        loop {
            match waitid(WaitId::Pid(self.group), options) {
                Ok(status) => return Ok(status.is_some()),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Ends the rest of the group and what left it, and reaps the leader, which has ended. In this order, because the id of the group can be
    /// reused once the leader is reaped.
    fn reap(&mut self) -> io::Result<()> {
        // What cannot be killed, for example a program of another user, is no reason to keep a zombie.
        let _ = group::signal(self.group, Signal::KILL);
        group::kill_strays(&self.identity);
        self.exit = Some(WorkerExit::new(self.child.wait()?));
        Ok(())
    }

    /// Ends the thread, which takes [`DRAIN_TIME`] at most.
    fn join(&mut self) -> std::thread::Result<WorkerOutput> {
        drop(self.wake.take());
        self.thread.take().map_or(Ok(WorkerOutput::default()), JoinHandle::join)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // Nothing can be reported here.
        let _ = self.stop(Duration::ZERO);
        drop(self.join());
    }
}

fn open_log(path: &Path, limit: u64) -> Result<BoundedLog, WorkerError> {
    let failed = |source: io::Error| WorkerError::Log { log: path.display().to_string(), source };
    if let Some(folder) = path.parent() {
        crate::fs::create_dir_all(folder).map_err(failed)?;
    }
    let file = open_or_create_unfollowed(OpenOptions::new().append(true), path).map_err(failed)?;
    Ok(BoundedLog::new(file, limit))
}

fn start_error(program: String, folder: &Path, source: io::Error) -> WorkerError {
    match source.kind() {
        _ if !folder.is_dir() => WorkerError::Folder { folder: folder.display().to_string() },
        io::ErrorKind::NotFound => WorkerError::NotFound { program },
        io::ErrorKind::PermissionDenied => WorkerError::NotExecutable { program },
        io::ErrorKind::ArgumentListTooLong => WorkerError::TooLong { program },
        _ => WorkerError::Io { program, source },
    }
}

/// Our ends of the pipes of a worker. A closed one is `None`.
#[derive(Debug)]
struct Pipes {
    stdin: Option<ChildStdin>,
    /// Remaining bytes for stdin.
    input: Vec<u8>,
    written: usize,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
}

impl Pipes {
    fn new(child: &mut Child, input: Vec<u8>) -> Self {
        let stdin = child.stdin.take();
        let stdout = child.stdout.take();
        let stderr = child.stderr.take();
        Self { stdin, input, written: 0, stdout, stderr }
    }

    /// Writes a part of the input; closes stdin at the end of the input, or if nobody reads it.
    fn write(&mut self) {
        let Some(stdin) = &mut self.stdin else { return };
        let is_done = match stdin.write(self.input.get(self.written..).unwrap_or_default()) {
            Ok(count) => {
                self.written += count;
                self.written >= self.input.len()
            }
            Err(error) => !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted),
        };
        if is_done {
            self.stdin = None;
            self.input = Vec::new();
        }
    }
}

/// Reads a part of a pipe; closes it at its end. Returns the number of bytes.
fn read(pipe: &mut Option<impl Read>, buffer: &mut [u8]) -> usize {
    let Some(open) = pipe else { return 0 };
    match open.read(buffer) {
        Ok(count) if count > 0 => return count,
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
        _ => *pipe = None,
    }
    0
}

/// Moves the bytes of one worker.
#[derive(Debug)]
struct Pump {
    pipes: Pipes,
    /// Readable once the worker has ended.
    wake: PipeReader,
    log: BoundedLog,
    stdout: HeadTail,
    stderr: HeadTail,
    transcript: HeadTail,
    last_line: Arc<Mutex<String>>,
    printed: Arc<AtomicU64>,
}

/// Streams that are ready without waiting.
struct Readiness {
    wake: bool,
    stdin: bool,
    stdout: bool,
    stderr: bool,
}

impl Pump {
    /// Makes our ends of the pipes non-blocking. The worker's ends are not affected.
    fn prepare(&self) -> io::Result<()> {
        let Pipes { stdin, stdout, stderr, .. } = &self.pipes;
        let pipes =
            [stdin.as_ref().map(AsFd::as_fd), stdout.as_ref().map(AsFd::as_fd), stderr.as_ref().map(AsFd::as_fd)];
        for pipe in pipes.into_iter().flatten() {
            fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?;
        }
        Ok(())
    }

    fn run(mut self) -> WorkerOutput {
        let mut buffer = vec![0; 64 << 10];
        let mut out_lines = LineSplitter::default();
        let mut err_lines = LineSplitter::default();
        let mut end: Option<Instant> = None;
        let mut drained = 0;
        while let Ok(ready) = self.wait(end.is_some()) {
            if ready.wake && end.is_none() {
                end = Some(Instant::now() + DRAIN_TIME);
            }
            if ready.stdin {
                self.pipes.write();
            }
            if ready.stdout {
                let count = read(&mut self.pipes.stdout, &mut buffer);
                self.stdout.push(&buffer[..count]);
                self.show(&mut out_lines, &buffer[..count]);
            }
            if ready.stderr {
                let count = read(&mut self.pipes.stderr, &mut buffer);
                self.stderr.push(&buffer[..count]);
                self.show(&mut err_lines, &buffer[..count]);
            }
            let is_idle = !ready.stdout && !ready.stderr;
            drained += u32::from(end.is_some());
            // On a busy machine, the time can pass before the first look.
            if end.is_some_and(|end| is_idle || Instant::now() >= end && drained > DRAIN_READS) {
                break;
            }
        }
        for lines in [&mut out_lines, &mut err_lines] {
            let log = &mut self.log;
            let transcript = &mut self.transcript;
            lines.finish(|line| keep(log, transcript, line));
        }
        let Self { stdout, stderr, transcript, .. } = self;
        WorkerOutput {
            stdout: stdout.into_text(),
            stderr: stderr.into_text(),
            transcript: transcript.into_text(),
            last_line: String::new(),
        }
    }

    /// Waits until something can be done, or only looks. After the worker has ended, the wake pipe is ignored.
    fn wait(&self, has_ended: bool) -> io::Result<Readiness> {
        let Pipes { stdin, stdout, stderr, .. } = &self.pipes;
        let stdin = stdin.as_ref().filter(|_| !has_ended);
        let mut fds = vec![PollFd::new(&self.wake, PollFlags::IN)];
        fds.extend(stdin.map(|pipe| PollFd::new(pipe, PollFlags::OUT)));
        fds.extend(stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        fds.extend(stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        let none = rustix::event::Timespec { tv_sec: 0, tv_nsec: 0 };
        while let Err(error) = poll(&mut fds, has_ended.then_some(&none)) {
            if error != Errno::INTR {
                return Err(error.into());
            }
        }
        let mut ready = fds.iter().map(|fd| !fd.revents().is_empty());
        let mut next = |is_open: bool| is_open && ready.next().unwrap_or(false);
        Ok(Readiness {
            wake: next(true),
            stdin: next(stdin.is_some()),
            stdout: next(stdout.is_some()),
            stderr: next(stderr.is_some()),
        })
    }

    /// Adds output to the log and the transcript, line by line.
    fn show(&mut self, lines: &mut LineSplitter, bytes: &[u8]) {
        self.printed.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let log = &mut self.log;
        let transcript = &mut self.transcript;
        let mut recent = VecDeque::new();
        lines.push(bytes, |line| {
            keep(log, transcript, line);
            if !line.trim().is_empty() {
                recent.truncate(RECENT - 1);
                recent.push_front(line.to_owned());
            }
        });
        // An event in JSON becomes words. Its escapes are decoded, so that these are escaped and redacted again.
        if let Some(last) = recent.iter().find_map(|line| progress(line)) {
            let last: String = one_line(&secrets::redact(&last)).chars().take(LAST_LINE).collect();
            *self.last_line.lock().unwrap_or_else(PoisonError::into_inner) = last;
        }
    }
}

fn keep(log: &mut BoundedLog, transcript: &mut HeadTail, line: &str) {
    log.write(line);
    transcript.push(line.as_bytes());
    transcript.push(b"\n");
}

#[cfg(test)]
#[path = "worker_tests.rs"]
mod tests;
