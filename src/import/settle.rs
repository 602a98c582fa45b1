//! What was collected, held against the canon.

use super::basket::{Basket, Piece};
use super::config::text;
use super::{Ground, Origin};
use crate::canon::inventory::is_skill_document;
use crate::canon::State;
use crate::edit::{Content, Edit};
use crate::syntax::RepoPath;
use std::collections::BTreeMap;

/// Files that are named in a refusal.
const NAMED: usize = 3;

/// What an import does.
#[derive(Debug, Default)]
pub struct Import {
    /// New files of the canon.
    pub edits: Vec<Edit>,
    /// What is in the canon afterwards.
    pub taken: Vec<Taken>,
    /// What is not, and why.
    pub left: Vec<Left>,
    /// What is not because the canon has something else there.
    pub refused: Vec<Refused>,
    /// The config that matches; `None` where there is nothing to say.
    pub config: Option<Config>,
    /// What to do with what it was taken from.
    pub next: Vec<String>,
}

/// A file, or a skill with its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Taken {
    /// Where it stands; more than one where several are the same.
    pub from: Vec<RepoPath>,
    /// Where it is in the canon.
    pub to: RepoPath,
    /// The files it has.
    pub files: usize,
    /// Those of them that the canon did not have.
    pub new: usize,
    /// What is not as it was.
    pub changes: Vec<String>,
}

/// Something that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// What.
    pub path: RepoPath,
    /// Why.
    pub why: String,
    /// What to do about it; empty where there is nothing to do.
    pub advice: String,
    /// Whether it could not be read.
    pub unreadable: bool,
}

/// Something that is not written over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// What was to be taken.
    pub from: RepoPath,
    /// Where it would go.
    pub to: RepoPath,
    /// Why it does not.
    pub why: String,
}

/// A config that matches what the origin wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Where it goes.
    pub path: RepoPath,
    /// What it says.
    pub text: String,
    /// Whether it is written: only where there is none.
    pub written: bool,
}

/// Decides.
pub(super) fn settle(basket: Basket<'_>, origin: Origin) -> Import {
    let config = text(&basket, origin.name());
    let Basket { ground, pieces, left, refused, next, .. } = basket;
    let mut run = Run { ground, planned: BTreeMap::new(), import: Import { left, refused, next, ..Import::default() } };
    pieces.into_iter().for_each(|piece| run.piece(piece));
    run.config(config);
    let Run { mut import, .. } = run;
    import.next.extend(origin.switch_off().iter().map(|advice| (*advice).to_owned()));
    import
}

struct Run<'a> {
    ground: &'a Ground<'a>,
    /// What goes where, by the path without case.
    planned: BTreeMap<String, (RepoPath, State, RepoPath)>,
    import: Import,
}

impl Run<'_> {
    fn piece(&mut self, piece: Piece) {
        if let Some(at) = self.import.taken.iter().position(|taken| taken.to == piece.to) {
            match self.other_of_this_run(&piece) {
                None => self.import.taken[at].from.push(piece.from),
                Some(why) => self.refuse(piece, why),
            }
            return;
        }
        if let Some(why) = self.obstacle(&piece) {
            return self.refuse(piece, why);
        }
        let mut new = 0;
        let count = piece.files.len();
        for file in piece.files {
            self.planned.insert(folded(&file.path), (file.path.clone(), file.state, piece.from.clone()));
            if !self.ground.canon.contains_key(&file.path) {
                new += 1;
                self.import.edits.push(Edit::Write { path: file.path, content: file.content, was: None, now: file.state });
            }
        }
        let Piece { from, to, changes, .. } = piece;
        self.import.taken.push(Taken { from: vec![from], to, files: count, new, changes });
    }

    fn refuse(&mut self, piece: Piece, why: String) {
        self.import.refused.push(Refused { from: piece.from, to: piece.to, why });
    }

    /// Why a piece that is for the place of another one is not the same.
    fn other_of_this_run(&self, piece: &Piece) -> Option<String> {
        let of_piece = |path: &RepoPath| piece.files.iter().any(|file| file.path == *path);
        let theirs = self.planned.values().filter(|(path, ..)| path.is_within(&piece.to));
        let more = theirs.filter(|(path, ..)| !of_piece(path)).map(|(path, _, from)| (path.clone(), from.clone()));
        let other = piece.files.iter().filter_map(|file| match self.planned.get(&folded(&file.path)) {
            Some((path, state, _)) if *path == file.path && *state == file.state => None,
            Some((_, _, from)) => Some((file.path.clone(), from.clone())),
            None => Some((file.path.clone(), self.source_of(&piece.to))),
        });
        let differing: Vec<(RepoPath, RepoPath)> = more.chain(other).collect();
        let (_, from) = differing.first()?;
        let names = named(differing.iter().map(|(path, _)| path), &piece.to);
        Some(format!("it differs from {from}, which was taken{names}"))
    }

    fn source_of(&self, to: &RepoPath) -> RepoPath {
        let source = self.import.taken.iter().find(|taken| taken.to == *to).and_then(|taken| taken.from.first());
        source.cloned().unwrap_or_default()
    }

    /// What of the canon, or of what was taken before, is in the way.
    fn obstacle(&self, piece: &Piece) -> Option<String> {
        let by = piece.files.iter().find_map(|file| (self.ground.blocked)(&file.path));
        if let Some(by) = by {
            return Some(format!("{by} is in the way"));
        }
        let differing: Vec<&RepoPath> = piece
            .files
            .iter()
            .filter(|file| self.ground.canon.get(&file.path).is_some_and(|state| *state != file.state))
            .map(|file| &file.path)
            .collect();
        if !differing.is_empty() {
            return Some(format!("{} is there and differs{}", piece.to, named(differing.into_iter(), &piece.to)));
        }
        let mut others = self.ground.canon.keys().chain(self.planned.values().map(|(path, ..)| path));
        let near = |path: &RepoPath, other: &RepoPath| path != other && folded(path) == folded(other);
        if let Some(other) = others.find(|other| piece.files.iter().any(|file| near(&file.path, other))) {
            return Some(format!("its name is the same as that of {other} where case does not count; rename one"));
        }
        piece.is_skill.then(|| self.skill_elsewhere(piece)).flatten()
    }

    /// A skill of the same name in another folder of the canon.
    fn skill_elsewhere(&self, piece: &Piece) -> Option<String> {
        let name = piece.to.file_name_lossy().to_lowercase();
        let skills = self.ground.layout.skills();
        let all = self.ground.canon.keys().chain(self.planned.values().map(|(path, ..)| path));
        let folders = all.filter(|path| path.is_within(&skills) && is_skill_document(path)).filter_map(RepoPath::parent);
        let mut others = folders.filter(|folder| *folder != piece.to && !folder.is_within(&piece.to));
        let other = others.find(|folder| folder.file_name_lossy().to_lowercase() == name)?;
        Some(format!("a skill of this name is in {other}; rename one"))
    }

    /// The config is written where there is none, and told where something new was taken.
    fn config(&mut self, text: Option<String>) {
        let Some(text) = text.filter(|_| !self.import.edits.is_empty()) else { return };
        let path = self.ground.layout.config();
        let written = !self.ground.configured && !self.ground.canon.contains_key(&path) && (self.ground.blocked)(&path).is_none();
        if let Some(now) = self.ground.state_of(&text).filter(|_| written) {
            let content = Content::Bytes(text.clone().into_bytes());
            self.import.edits.push(Edit::Write { path: path.clone(), content, was: None, now });
        }
        self.import.config = Some(Config { path, text, written });
    }
}

/// The path as a file system compares it that ignores case.
fn folded(path: &RepoPath) -> String {
    path.to_display().to_lowercase()
}

/// The first of some files, by their paths below a folder; nothing where it is the file itself.
fn named<'p>(files: impl Iterator<Item = &'p RepoPath>, folder: &RepoPath) -> String {
    let below: Vec<String> = files.filter_map(|file| file.below(folder)).map(ToString::to_string).collect();
    let shown: Vec<&str> = below.iter().filter(|name| !name.is_empty()).take(NAMED).map(String::as_str).collect();
    match (shown.is_empty(), below.len() > NAMED) {
        (true, _) => String::new(),
        (false, more) => format!(" in {}{}", shown.join(", "), if more { ", …" } else { "" }),
    }
}
