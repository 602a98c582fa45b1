//! What was collected, held against the canon.

use super::basket::{ImportPlan, Piece};
use super::config::text;
use super::ground::Ground;
use super::origin::Origin;
use super::outcome::{Config, Import, Refused, Taken};
use crate::canon::FileState;
use crate::canon::inventory::is_skill_document;
use crate::edit::{Edit, EditContent};
use crate::syntax::RepoPath;
use std::collections::BTreeMap;

/// Files that are named in a refusal.
const NAMED: usize = 3;

/// Decides.
pub(super) fn settle(basket: ImportPlan<'_>, origin: Origin) -> Import {
    let config = text(&basket, origin.name());
    let ImportPlan { ground, pieces, left, refused, next, .. } = basket;
    let import = Import { left, refused, next, ..Import::default() };
    let mut run = Run { ground, planned: BTreeMap::new(), names: Names::of(ground), at: BTreeMap::new(), import };
    pieces.into_iter().for_each(|piece| run.piece(piece));
    run.config(config);
    let Run { mut import, .. } = run;
    import.next.extend(origin.switch_off().iter().map(|advice| (*advice).to_owned()));
    import
}

struct Run<'a> {
    ground: &'a Ground<'a>,
    /// What goes where, by the path without case.
    planned: BTreeMap<String, (RepoPath, FileState, RepoPath)>,
    names: Names,
    /// Where in what was taken a place of the canon is.
    at: BTreeMap<RepoPath, usize>,
    import: Import,
}

/// The names in the canon, as it is and as it will be.
#[derive(Default)]
struct Names {
    /// Paths, by themselves without case.
    paths: BTreeMap<String, RepoPath>,
    /// Folders of skills, by their names without case.
    skills: BTreeMap<String, RepoPath>,
}

impl Names {
    fn of(ground: &Ground<'_>) -> Self {
        let mut names = Self::default();
        ground.canon.keys().for_each(|path| names.add(path, &ground.layout.skills()));
        names
    }

    fn add(&mut self, path: &RepoPath, skills: &RepoPath) {
        self.paths.insert(folded(path), path.clone());
        if let Some(folder) = path.parent().filter(|_| path.is_within(skills) && is_skill_document(path)) {
            self.skills.entry(folder.file_name_lossy().to_lowercase()).or_insert(folder);
        }
    }
}

impl Run<'_> {
    fn piece(&mut self, piece: Piece) {
        if let Some(at) = self.at.get(&piece.to).copied() {
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
            self.names.add(&file.path, &self.ground.layout.skills());
            self.planned.insert(folded(&file.path), (file.path.clone(), file.state, piece.from.clone()));
            if !self.ground.canon.contains_key(&file.path) {
                new += 1;
                self.import.edits.push(Edit::Write {
                    path: file.path,
                    content: file.content,
                    was: None,
                    now: file.state,
                });
            }
        }
        let Piece { from, to, changes, .. } = piece;
        self.at.insert(to.clone(), self.import.taken.len());
        self.import.taken.push(Taken { from: vec![from], to, files: count, new, changes });
    }

    fn refuse(&mut self, piece: Piece, why: String) {
        self.import.refused.push(Refused { from: piece.from, to: piece.to, why });
    }

    /// Why a piece that is for the place of another one is not the same.
    fn other_of_this_run(&self, piece: &Piece) -> Option<String> {
        let of_piece = |path: &RepoPath| piece.files.iter().any(|file| file.path == *path);
        let start = folded(&piece.to);
        let theirs = self.planned.range(start.clone()..).take_while(|(path, _)| path.starts_with(&start));
        let theirs = theirs.map(|(_, planned)| planned).filter(|(path, ..)| path.is_within(&piece.to));
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
        let taken = self.at.get(to).and_then(|at| self.import.taken.get(*at));
        taken.and_then(|taken| taken.from.first()).cloned().unwrap_or_default()
    }

    /// What of the canon, or of what was taken before, is in the way.
    fn obstacle(&self, piece: &Piece) -> Option<String> {
        let by = piece.files.iter().find_map(|file| self.ground.look.blocked(&file.path));
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
        let other = |path: &RepoPath| self.names.paths.get(&folded(path)).filter(|other| *other != path);
        if let Some(other) = piece.files.iter().find_map(|file| other(&file.path)) {
            return Some(format!("its name is the same as that of {other} where case does not count; rename one"));
        }
        piece.is_skill.then(|| self.skill_elsewhere(piece)).flatten()
    }

    /// A skill of the same name in another folder of the canon.
    fn skill_elsewhere(&self, piece: &Piece) -> Option<String> {
        let other = self.names.skills.get(&piece.to.file_name_lossy().to_lowercase())?;
        if other.is_within(&piece.to) {
            return None;
        }
        Some(format!("a skill of this name is in {other}; rename one"))
    }

    /// The config is written where there is none, and told where something new was taken.
    fn config(&mut self, text: Option<String>) {
        let Some(text) = text.filter(|_| !self.import.edits.is_empty()) else { return };
        let path = self.ground.layout.config();
        let written = !self.ground.configured
            && !self.ground.canon.contains_key(&path)
            && self.ground.look.blocked(&path).is_none();
        if let Some(now) = self.ground.state_of(&text).filter(|_| written) {
            let content = EditContent::Bytes(text.clone().into_bytes());
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
