//! Which pieces of two versions are kept, and in which order.

use std::collections::HashMap;
use std::hash::Hash;

/// A piece of a file: a row, an item, a line.
pub(super) trait Piece: Copy {
    /// What makes it the same piece in another version.
    type Key: Eq + Hash + Copy;
    fn key(&self) -> Self::Key;
    /// Whether two versions of a piece say the same.
    fn same(&self, other: &Self) -> bool;
}

/// What becomes of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate<P> {
    Keep(P),
    /// Both changed it, or one did and the other took it out.
    Clash(Option<P>, Option<P>),
    Drop,
}

/// The pieces of three versions by their keys.
pub(super) struct Versions<'a, P: Piece> {
    pub base: HashMap<P::Key, P>,
    pub ours: &'a [P],
    pub theirs: &'a [P],
    in_ours: HashMap<P::Key, P>,
    in_theirs: HashMap<P::Key, P>,
}

fn by_key<P: Piece>(pieces: &[P]) -> HashMap<P::Key, P> {
    pieces.iter().map(|piece| (piece.key(), *piece)).collect()
}

impl<'a, P: Piece> Versions<'a, P> {
    pub fn of(base: &[P], ours: &'a [P], theirs: &'a [P]) -> Self {
        Self { base: by_key(base), in_ours: by_key(ours), in_theirs: by_key(theirs), ours, theirs }
    }

    pub fn is_common(&self, piece: &P) -> bool {
        self.in_ours.contains_key(&piece.key()) && self.in_theirs.contains_key(&piece.key())
    }

    pub fn is_in_either(&self, key: &P::Key) -> bool {
        self.in_ours.contains_key(key) || self.in_theirs.contains_key(key)
    }

    /// What one side took out and the other left as it was is out; what one changed and the other left is changed.
    pub fn fate(&self, key: P::Key) -> Fate<P> {
        let (base, ours, theirs) = (self.base.get(&key), self.in_ours.get(&key), self.in_theirs.get(&key));
        let as_before = |side: &P| base.is_some_and(|base| base.same(side));
        match (ours, theirs) {
            (Some(ours), Some(theirs)) if ours.same(theirs) || as_before(theirs) => Fate::Keep(*ours),
            (Some(ours), Some(theirs)) if as_before(ours) => Fate::Keep(*theirs),
            (None, None) => Fate::Drop,
            (Some(one), None) | (None, Some(one)) if base.is_none() => Fate::Keep(*one),
            (Some(one), None) | (None, Some(one)) if as_before(one) => Fate::Drop,
            (ours, theirs) => Fate::Clash(ours.copied(), theirs.copied()),
        }
    }

    /// Every piece that is kept, once. What both have stands in our order; `join` orders what only one of them has
    /// between two such pieces.
    pub fn walk(&self, join: impl Fn(Vec<Fate<P>>, Vec<Fate<P>>) -> Vec<Fate<P>>) -> Vec<Fate<P>> {
        let mut theirs = self.runs(self.theirs);
        let mut ours = self.runs(self.ours);
        let mut take = |anchor: Option<P::Key>| {
            let (ours, theirs) = (ours.remove(&anchor), theirs.remove(&anchor));
            join(ours.unwrap_or_default(), theirs.unwrap_or_default())
        };
        let mut out = take(None);
        for piece in self.ours.iter().filter(|piece| self.is_common(piece)) {
            out.push(self.fate(piece.key()));
            out.extend(take(Some(piece.key())));
        }
        out
    }

    /// What only this side has and is not dropped, by the piece of both that it follows.
    fn runs(&self, side: &[P]) -> HashMap<Option<P::Key>, Vec<Fate<P>>> {
        let mut runs: HashMap<Option<P::Key>, Vec<Fate<P>>> = HashMap::new();
        let mut anchor = None;
        for piece in side {
            if self.is_common(piece) {
                anchor = Some(piece.key());
                continue;
            }
            match self.fate(piece.key()) {
                Fate::Drop => {}
                fate => runs.entry(anchor).or_default().push(fate),
            }
        }
        runs
    }
}
