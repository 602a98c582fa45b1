//! `--watch`: syncs whenever the canon has changed, until Ctrl-C.

use super::apply;
use super::debounce::Debounce;
use super::report::Outcome;
use crate::app::Environment;
use crate::app::Workspace;
use crate::app::sync::state::see;
use crate::app::{Error, ErrorKind};
use crate::apply::Session;
use crate::canon::Layout;
use crate::cli::output::Out;
use crate::cli::status::Status;
use crate::edit::OverwriteMode;
use crate::syntax::RepoPath;
use crate::view::{Basis, View};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long Ctrl-C may go unnoticed.
const TICK: Duration = Duration::from_millis(100);

/// Watches until it is interrupted.
///
/// # Errors
/// There is no canon to begin with, or the system cannot watch. What fails later is told, and waits for the next change.
pub fn run(env: &Environment, out: &Out<'_>) -> Result<Status, Error> {
    let context = Workspace::open(env, &Basis::WorkTree)?;
    context.require_canon()?;
    let mut watch = Watch::begin(context)?;
    out.remark(&format!("Watching {}; Ctrl-C ends it.\n", watch.view.full(watch.layout.root())));
    let begin = Instant::now();
    let (mut debounce, mut last) = (Debounce::default(), String::new());
    debounce.note(Duration::ZERO);
    while !env.cancel.load(Ordering::Relaxed) {
        match debounce.wait(begin.elapsed()) {
            Some(Duration::ZERO) => {
                debounce.begin();
                if sync(env, &mut watch, &mut last, out) == Again::Yes {
                    debounce.note(begin.elapsed());
                }
            }
            wait => {
                if watch.changes_within(wait.unwrap_or(TICK).min(TICK)) {
                    debounce.note(begin.elapsed());
                }
            }
        }
    }
    Ok(Status::Interrupted)
}

#[derive(PartialEq, Eq)]
enum Again {
    Yes,
    No,
}

/// One sync, told in a line where it did something, or where what it refuses is news.
fn sync(env: &Environment, watch: &mut Watch, last: &mut String, out: &Out<'_>) -> Again {
    let error = match once(env, watch) {
        Ok(outcome) => {
            if outcome.wrote() {
                out.result(&outcome.in_a_line());
            }
            let refused = outcome.refused_in_words();
            if *last != refused {
                out.remark(&refused);
            }
            *last = refused;
            return Again::No;
        }
        Err(error) => error,
    };
    // Another run is at work: what it leaves is looked at once it is through.
    if Status::from(error.kind) == Status::Contention {
        return Again::Yes;
    }
    if Status::from(error.kind) != Status::Interrupted {
        let text = crate::render::human::failure(&error.message, error.help.as_deref(), out.style);
        if *last != text {
            out.remark(&text);
        }
        *last = text;
    }
    Again::No
}

fn once(env: &Environment, watch: &mut Watch) -> Result<Outcome, Error> {
    let context = Workspace::open(env, &Basis::WorkTree)?;
    watch.follow(&context.layout);
    context.require_canon()?;
    let mut session = Session::begin(&context.git_dir())?;
    session.sweep(&context.view);
    let seen = see(&context, &context.view, session.pending())?;
    let decision = seen.decide(OverwriteMode::OwnedOnly);
    let applied = apply::apply(&context, &mut session, &seen, &decision)?;
    session.first_sync_is_done();
    Ok(Outcome::happened(&context, (&seen, &decision), &applied))
}

/// What is watched: the canon, and the folders above it, in which it may be made anew and a config may lie.
struct Watch {
    view: View,
    layout: Layout,
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
}

impl Watch {
    fn begin(context: Workspace) -> Result<Self, Error> {
        let (sender, events) = channel();
        // Where nobody listens any more, the watch has ended.
        let handler = move |event| drop(sender.send(event));
        let watcher = notify::recommended_watcher(handler).map_err(unwatchable)?;
        let mut watch = Self { view: context.view, layout: context.layout, watcher, events };
        watch.look_above()?;
        watch.look_below()?;
        Ok(watch)
    }

    fn look_above(&mut self) -> Result<(), Error> {
        let above = std::iter::successors(self.layout.root().parent(), RepoPath::parent);
        for folder in above.filter_map(|folder| self.view.on_disk(&folder)) {
            self.watcher.watch(&folder, RecursiveMode::NonRecursive).map_err(unwatchable)?;
        }
        Ok(())
    }

    fn look_below(&mut self) -> Result<(), Error> {
        let Some(root) = self.view.on_disk(self.layout.root()) else { return Ok(()) };
        // It may be another folder of that name by now.
        let _ = self.watcher.unwatch(&root);
        if root.is_dir() { self.watcher.watch(&root, RecursiveMode::Recursive).map_err(unwatchable) } else { Ok(()) }
    }

    /// The config may have moved the canon.
    fn follow(&mut self, layout: &Layout) {
        if layout.root() != self.layout.root() {
            self.layout = layout.clone();
            let _ = self.look_above().and_then(|()| self.look_below());
        }
    }

    /// Whether anything changed that a sync may look at; waits for it no longer than this.
    fn changes_within(&mut self, wait: Duration) -> bool {
        let first = match self.events.recv_timeout(wait) {
            Ok(event) => event,
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return false,
        };
        let waiting: Vec<_> = std::iter::once(first).chain(self.events.try_iter()).collect();
        // Each one is looked at: it may tell of the canon's own folder.
        waiting.into_iter().filter(|event| self.concerns(event)).count() > 0
    }

    fn concerns(&mut self, event: &notify::Result<Event>) -> bool {
        // Events that were lost may have been of anything.
        let Ok(event) = event else { return true };
        if matches!(event.kind, EventKind::Access(_)) {
            return false;
        }
        let paths: Vec<RepoPath> = event.paths.iter().filter_map(|path| self.view.inside(path)).collect();
        if paths.iter().any(|path| self.layout.root().is_within(path)) {
            // The canon itself came, went or moved.
            let _ = self.look_below();
        }
        event.need_rescan() || paths.iter().any(|path| matters(path, &self.layout))
    }
}

/// Whether a path is of the canon or a config, and not one that a run writes itself.
fn matters(path: &RepoPath, layout: &Layout) -> bool {
    let is_config = [RepoPath::from("canonry.yaml"), RepoPath::from("canonry.local.yaml")].contains(path);
    let of_runs = ["memory", "runs", "plans", "reports"].map(|name| layout.root().join(name));
    let own = [layout.lock(), layout.local_lock()].contains(path)
        || path.file_name().starts_with(b".canonry-tmp-")
        || of_runs.iter().any(|folder| path.is_within(folder));
    is_config || layout.root().is_within(path) && !path.is_empty() || path.is_within(layout.root()) && !own
}

fn unwatchable(error: notify::Error) -> Error {
    Error::new(ErrorKind::Internal, format!("the canon cannot be watched: {error}"))
        .help("where the system's limit of watches is reached, raise it (on Linux `sysctl fs.inotify.max_user_watches`), or run `canonry sync` after each edit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_writes_do_not_matter() {
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
            assert_eq!(matters(&RepoPath::from(path), &layout), expected, "{path}");
        }
    }
}
