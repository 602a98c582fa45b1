//! The parts that an agent's context is assembled from. Any command that gives an agent something to read begins here.

use super::shelf::Shelf;
use crate::app::Error;
use crate::canon::memory_file;
use crate::canon::timestamp::Timestamp;
use crate::memory::context::{Body, Kind, Part};
use crate::memory::recall::{Asked, Recalled, Sources, recall};
use crate::memory::workspace::is_used;
use crate::memory::{Policy, failing, notices};
use crate::syntax::RepoPath;
use crate::syntax::secrets::{self, without_secrets};

/// Lessons that are tried at most; the budget ends them sooner.
const LESSONS: usize = 100;
/// Episodes that are tried at most.
const EPISODES: usize = 10;

/// What is to be read, and when.
pub struct Wish<'a> {
    /// What is to be done; empty where nobody said.
    pub task: &'a str,
    /// The moment that counts as now.
    pub now: Timestamp,
}

/// Gathers what any agent is to read, without secrets.
///
/// # Errors
/// A file of the memory, or the permissions, that is there and cannot be read.
pub fn gather(shelf: &dyn Shelf, wish: &Wish<'_>) -> Result<Vec<Part>, Error> {
    let layout = shelf.layout();
    let mut parts = Vec::new();
    for (kind, path, template) in [
        (Kind::Personal, layout.preferences(), ""),
        (Kind::Workspace, layout.workspace(), memory_file::WORKSPACE),
        (Kind::Plan, layout.active_plan(), memory_file::ACTIVE_PLAN),
        (Kind::Permissions, layout.permissions(), ""),
    ] {
        parts.extend(page(shelf, kind, &path, template)?);
    }
    let (lessons, log) = (shelf.document(&layout.lessons())?, shelf.log()?);
    let asked = Recaller { policy: Policy::of(&shelf.config().memory), wish };
    let texts = Sources { lessons: &lessons, logs: Vec::new() };
    parts.push(part(Kind::Lessons, &layout.lessons(), asked.pieces(&texts, LESSONS)));
    parts.push(part(Kind::Episodes, &layout.log(), asked.episodes(failing::end(&log, shelf.reach()), EPISODES)));
    let failures = failing::recent(failing::end(&log, failing::TAIL), wish.now);
    parts.push(part(Kind::Rewrite, &layout.log(), Body::Pieces(notices::to_rewrite(&failures))));
    let too_many = notices::too_many_lessons(&layout.lessons().to_display(), &lessons);
    parts.extend(too_many.map(|text| notice(&layout.lessons(), text)));
    Ok(parts)
}

/// A document as a part; `None` where there is nothing in it but its template.
///
/// # Errors
/// It is there and cannot be read.
pub fn page(shelf: &dyn Shelf, kind: Kind, path: &RepoPath, template: &str) -> Result<Option<Part>, Error> {
    let text = shelf.document(path)?;
    let body = || Body::Document(secrets::redact(&text).into_owned());
    Ok(is_used(&text, template).then(|| part(kind, path, body())))
}

/// The map, which an agent reads when its session begins.
///
/// # Errors
/// It is there and cannot be read.
pub fn map(shelf: &dyn Shelf) -> Result<Option<Part>, Error> {
    page(shelf, Kind::Map, &shelf.layout().map(), "")
}

/// What an agent is to read before it stops: what to do, what failed in its session, and the workspace.
///
/// # Errors
/// A workspace that is there and cannot be read.
pub fn before_stop(shelf: &dyn Shelf, now: Timestamp, text: String, failed: &[&[u8]]) -> Result<Vec<Part>, Error> {
    let layout = shelf.layout();
    let asked = Recaller { policy: Policy::of(&shelf.config().memory), wish: &Wish { task: "", now } };
    let mut parts = vec![notice(&layout.log(), text)];
    parts.push(part(Kind::Episodes, &layout.log(), asked.episodes(&failed.join(&b'\n'), EPISODES)));
    parts.extend(page(shelf, Kind::Workspace, &layout.workspace(), memory_file::WORKSPACE)?);
    Ok(parts)
}

fn notice(source: &RepoPath, text: String) -> Part {
    part(Kind::Notice, source, Body::Pieces(vec![(text.clone(), text)]))
}

fn part(kind: Kind, path: &RepoPath, body: Body) -> Part {
    Part { kind, source: path.to_display(), body, left_out: Vec::new() }
}

struct Recaller<'a> {
    policy: Policy,
    wish: &'a Wish<'a>,
}

impl Recaller<'_> {
    fn episodes(&self, log: &[u8], top: usize) -> Body {
        self.pieces(&Sources { lessons: "", logs: vec![log] }, top)
    }

    /// What speaks to the task; where nothing does, what is most salient.
    fn pieces(&self, sources: &Sources<'_>, top: usize) -> Body {
        let first = self.recall(self.wish.task, sources, top);
        let hits = if first.hits.is_empty() { self.recall("", sources, top).hits } else { first.hits };
        let named = |hit: &crate::memory::recall::Hit| hit.id.clone().unwrap_or_else(|| head(&hit.text));
        Body::Pieces(hits.iter().map(|hit| (named(hit), format!("- {}", hit.text))).collect())
    }

    fn recall(&self, text: &str, sources: &Sources<'_>, top: usize) -> Recalled {
        // How much room there is for each is known once all parts are.
        let asked =
            Asked { text, top, budget: usize::MAX, now: self.wish.now, policy: &self.policy, redact: &without_secrets };
        recall(&asked, sources)
    }
}

/// The first words of a line, as its name.
fn head(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').take(6).collect();
    if words.len() < text.split(' ').count() { format!("{} …", words.join(" ")) } else { words.join(" ") }
}
