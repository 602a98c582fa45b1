//! `--watch`: syncs whenever the canon changes, until the job is cancelled.

use crate::sync::outcome::{CanonOutcome, SyncRefusal};
use crate::sync::state::SyncState;
use crate::sync::write::write_until_settled;
use crate::{Environment, Error, ErrorKind, Progress, Workspace, canons, trust};
use canonry_model::canon::Layout;
use canonry_model::edit::OverwriteMode;
use canonry_repo::apply::Session;
use canonry_repo::view::{Basis, View};
use canonry_text::RepoPath;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longest time until a cancellation is noticed.
const TICK: Duration = Duration::from_millis(100);

/// Something that happened while watching.
#[derive(Debug)]
pub enum WatchEvent<'a> {
    /// The watch begins.
    Started {
        /// The watched canon's folder, from the top of the repository.
        canon: RepoPath,
        /// Whether the repository lists further canons, which are not watched.
        has_unwatched_canons: bool,
    },
    /// A sync changed files.
    Synced(&'a CanonOutcome),
    /// A sync refused something else than the sync before it.
    Refused(&'a CanonOutcome),
    /// A sync failed, with another error than the sync before it.
    Failed(&'a Error),
}

/// Watches until the job is cancelled. An error after the start is reported as an event; the next change tries again.
///
/// # Errors
/// There is no canon, or the system cannot watch it.
pub fn watch(env: &Environment, progress: &dyn Progress, on_event: &dyn Fn(WatchEvent<'_>)) -> Result<(), Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    // With several canons, only the repository's own is watched.
    let (workspace, canons) = canons::select(workspace, &Basis::WorkTree, progress)?;
    let has_unwatched_canons = canons.is_some();
    workspace.require_canon()?;
    let env = workspace.env.clone();
    let mut watch = CanonWatcher::start(workspace)?;
    on_event(WatchEvent::Started { canon: watch.view.full(watch.layout.root()), has_unwatched_canons });
    let begin = Instant::now();
    let mut debounce = Debounce::default();
    let mut reporter = Reporter { on_event, last: WatchReport::default() };
    debounce.note_change(Duration::ZERO);
    while !env.is_cancelled() {
        match debounce.wait(begin.elapsed()) {
            Some(Duration::ZERO) => {
                debounce.start_sync();
                match sync(&env, &mut watch) {
                    // Another run holds the lock: look at its result when it is done.
                    Err(error) if error.kind == ErrorKind::Contention => debounce.note_change(begin.elapsed()),
                    result => reporter.report(&result),
                }
            }
            wait => {
                if watch.wait_for_change(wait.unwrap_or(TICK).min(TICK)) {
                    debounce.note_change(begin.elapsed());
                }
            }
        }
    }
    Ok(())
}

fn sync(env: &Environment, watch: &mut CanonWatcher) -> Result<CanonOutcome, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    watch.follow(&workspace.layout);
    workspace.require_canon()?;
    let mut session = Session::begin(&workspace.git_dir()?)?;
    session.sweep(&workspace.view)?;
    let mut state = SyncState::load(&workspace, &workspace.view, session.pending())?;
    trust::pin_written_here(&workspace, &state.written_here);
    let overwrite = OverwriteMode::OwnedOnly;
    let mut plan = state.plan(overwrite);
    let applied = write_until_settled(&workspace, &mut session, &mut state, &mut plan, overwrite)?;
    session.first_sync_is_done();
    Ok(CanonOutcome::applied(&workspace, &state, &plan, applied))
}

/// Reports refusals and errors once, until they change.
struct Reporter<'a> {
    on_event: &'a dyn Fn(WatchEvent<'_>),
    last: WatchReport,
}

/// Last report.
#[derive(PartialEq, Eq)]
enum WatchReport {
    Refusals(Vec<SyncRefusal>),
    Error { message: String, help: Option<String> },
}

impl Default for WatchReport {
    fn default() -> Self {
        Self::Refusals(Vec::new())
    }
}

impl Reporter<'_> {
    fn report(&mut self, result: &Result<CanonOutcome, Error>) {
        let report = match result {
            Ok(outcome) => WatchReport::Refusals(outcome.refused.clone()),
            Err(error) if error.kind == ErrorKind::Interrupted => return,
            Err(error) => WatchReport::Error { message: error.message.clone(), help: error.help.clone() },
        };
        let is_news = report != self.last;
        self.last = report;
        match result {
            Ok(outcome) => {
                if outcome.has_changes() {
                    (self.on_event)(WatchEvent::Synced(outcome));
                }
                if is_news {
                    (self.on_event)(WatchEvent::Refused(outcome));
                }
            }
            Err(error) if is_news => (self.on_event)(WatchEvent::Failed(error)),
            Err(_) => {}
        }
    }
}

/// Watches the canon, and the folders above it, where a config may appear or the canon be created.
struct CanonWatcher {
    view: View,
    layout: Layout,
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
}

impl CanonWatcher {
    fn start(workspace: Workspace) -> Result<Self, Error> {
        let (sender, events) = channel();
        // Sending fails only after the watch has ended.
        let handler = move |event| drop(sender.send(event));
        let watcher = notify::recommended_watcher(handler).map_err(watch_error)?;
        let mut watch = Self { view: workspace.view, layout: workspace.layout, watcher, events };
        watch.watch_parents()?;
        watch.watch_canon()?;
        Ok(watch)
    }

    fn watch_parents(&mut self) -> Result<(), Error> {
        let parents = std::iter::successors(self.layout.root().parent(), RepoPath::parent);
        for folder in parents.filter_map(|folder| self.view.on_disk(&folder)) {
            self.watcher.watch(&folder, RecursiveMode::NonRecursive).map_err(watch_error)?;
        }
        Ok(())
    }

    fn watch_canon(&mut self) -> Result<(), Error> {
        let Some(root) = self.view.on_disk(self.layout.root()) else { return Ok(()) };
        // The folder may have been replaced by another of the same name.
        let _ = self.watcher.unwatch(&root);
        if root.is_dir() { self.watcher.watch(&root, RecursiveMode::Recursive).map_err(watch_error) } else { Ok(()) }
    }

    /// Watches the new canon if the config moved it.
    fn follow(&mut self, layout: &Layout) {
        if layout.root() != self.layout.root() {
            self.layout = layout.clone();
            let _ = self.watch_parents().and_then(|()| self.watch_canon());
        }
    }

    /// Whether a file that a sync reads changed within `wait`.
    fn wait_for_change(&mut self, wait: Duration) -> bool {
        let first = match self.events.recv_timeout(wait) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return false,
        };
        let waiting: Vec<_> = std::iter::once(first).chain(self.events.try_iter()).collect();
        // Every event is inspected, because one may be about the canon's own folder.
        waiting.into_iter().filter(|event| self.is_relevant(event)).count() > 0
    }

    fn is_relevant(&mut self, event: &notify::Result<Event>) -> bool {
        // Lost events may have been about anything.
        let Ok(event) = event else { return true };
        if matches!(event.kind, EventKind::Access(_)) {
            return false;
        }
        let paths: Vec<RepoPath> = event.paths.iter().filter_map(|path| self.view.inside(path)).collect();
        if paths.iter().any(|path| self.layout.root().is_within(path)) {
            // The canon's folder itself was created, removed or moved.
            let _ = self.watch_canon();
        }
        event.need_rescan() || paths.iter().any(|path| is_sync_input(path, &self.layout))
    }
}

/// Whether a path belongs to the canon or is a config, and is not written by canonry itself.
fn is_sync_input(path: &RepoPath, layout: &Layout) -> bool {
    let is_config = [RepoPath::from("canonry.yaml"), RepoPath::from("canonry.local.yaml")].contains(path);
    let run_folders = ["memory", "runs", "plans", "reports"].map(|name| layout.root().join(name));
    let is_written_by_canonry = [layout.lock(), layout.local_lock()].contains(path)
        || path.file_name().starts_with(b".canonry-tmp-")
        || run_folders.iter().any(|folder| path.is_within(folder));
    is_config
        || layout.root().is_within(path) && !path.is_empty()
        || path.is_within(layout.root()) && !is_written_by_canonry
}

fn watch_error(error: notify::Error) -> Error {
    Error::new(ErrorKind::Internal, format!("the canon cannot be watched: {error}")).help(
        "if the system's limit of watches is reached, raise it (on Linux `sysctl fs.inotify.max_user_watches`), or run \
         `canonry sync` after each edit",
    )
}

/// Quiet period before a sync starts; saving in an editor causes several events.
const QUIET: Duration = Duration::from_millis(100);
/// Upper bound on the wait while changes keep arriving.
const MAX_DELAY: Duration = Duration::from_secs(1);

/// Collects changes that are not synced yet. Time is an argument.
#[derive(Debug, Default)]
struct Debounce {
    /// When the first and the last change arrived.
    pending: Option<(Duration, Duration)>,
}

impl Debounce {
    /// Records a change.
    fn note_change(&mut self, now: Duration) {
        let first = self.pending.map_or(now, |(first, _)| first);
        self.pending = Some((first, now));
    }

    /// Wait before the next sync: zero if one is due, `None` if nothing changed.
    fn wait(&self, now: Duration) -> Option<Duration> {
        let (first, last) = self.pending?;
        Some((last + QUIET).min(first + MAX_DELAY).saturating_sub(now))
    }

    /// Forgets the changes so far, which the sync that starts now covers.
    fn start_sync(&mut self) {
        self.pending = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_writes_are_no_input() {
        let layout = Layout::default();
        for (path, expected) in [
            ("agent/skills/a/SKILL.md", true),
            ("agent/skills/a", true),
            ("agent", true),
            ("agent/AGENTS.md", true),
            ("agent/canonry.yaml", true),
            ("canonry.yaml", true),
            ("agent/mirrors.lock", false),
            ("agent/mirrors.local.lock", false),
            ("agent/.canonry-tmp-x1", false),
            ("agent/memory/episodic/log.jsonl", false),
            (".claude/skills/a/SKILL.md", false),
            ("src/main.rs", false),
            ("", false),
        ] {
            assert_eq!(is_sync_input(&RepoPath::from(path), &layout), expected, "{path}");
        }
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn waits_for_quiet() {
        let mut debounce = Debounce::default();
        assert_eq!(debounce.wait(ms(5)), None);
        debounce.note_change(ms(10));
        assert_eq!(debounce.wait(ms(10)), Some(ms(100)));
        debounce.note_change(ms(60));
        assert_eq!(debounce.wait(ms(120)), Some(ms(40)));
        assert_eq!(debounce.wait(ms(160)), Some(ms(0)));
        debounce.start_sync();
        assert_eq!(debounce.wait(ms(400)), None);
    }

    #[test]
    fn waits_no_longer_than_the_limit() {
        let mut debounce = Debounce::default();
        (0..=19).for_each(|n| debounce.note_change(ms(n * 50)));
        assert_eq!(debounce.wait(ms(970)), Some(ms(30)));
        debounce.note_change(ms(990));
        assert_eq!(debounce.wait(ms(1000)), Some(ms(0)));
    }
}
