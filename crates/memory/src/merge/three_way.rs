//! The three-way merge of sequences: which elements are kept, and in which order.

use std::collections::HashMap;
use std::hash::Hash;

/// An element of a file: a row, a list item, a line.
pub(super) trait Element: Copy {
    /// Identifies the element in other versions.
    type Key: Eq + Hash + Copy;
    fn key(&self) -> Self::Key;
    /// Whether two versions of the element have the same content.
    fn is_unchanged(&self, other: &Self) -> bool;
}

/// The merge result for one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Resolution<E> {
    Keep(E),
    /// Both sides changed it, or one changed it and the other removed it (`None`).
    Conflict(Option<E>, Option<E>),
    Drop,
}

/// Three versions of a sequence, indexed by key.
pub(super) struct ThreeWay<'a, E: Element> {
    pub base: HashMap<E::Key, E>,
    pub ours: &'a [E],
    pub theirs: &'a [E],
    in_ours: HashMap<E::Key, E>,
    in_theirs: HashMap<E::Key, E>,
}

fn by_key<E: Element>(elements: &[E]) -> HashMap<E::Key, E> {
    elements.iter().map(|element| (element.key(), *element)).collect()
}

impl<'a, E: Element> ThreeWay<'a, E> {
    pub fn new(base: &[E], ours: &'a [E], theirs: &'a [E]) -> Self {
        Self { base: by_key(base), in_ours: by_key(ours), in_theirs: by_key(theirs), ours, theirs }
    }

    /// Whether both sides have the element.
    pub fn is_common(&self, element: &E) -> bool {
        self.in_ours.contains_key(&element.key()) && self.in_theirs.contains_key(&element.key())
    }

    pub fn is_in_either(&self, key: &E::Key) -> bool {
        self.in_ours.contains_key(key) || self.in_theirs.contains_key(key)
    }

    /// Takes a change or a removal that only one side made.
    pub fn resolve(&self, key: E::Key) -> Resolution<E> {
        let base = self.base.get(&key);
        let ours = self.in_ours.get(&key);
        let theirs = self.in_theirs.get(&key);
        let is_unchanged = |side: &E| base.is_some_and(|base| base.is_unchanged(side));
        match (ours, theirs) {
            (Some(ours), Some(theirs)) if ours.is_unchanged(theirs) || is_unchanged(theirs) => Resolution::Keep(*ours),
            (Some(ours), Some(theirs)) if is_unchanged(ours) => Resolution::Keep(*theirs),
            (None, None) => Resolution::Drop,
            (Some(one), None) | (None, Some(one)) if base.is_none() => Resolution::Keep(*one),
            (Some(one), None) | (None, Some(one)) if is_unchanged(one) => Resolution::Drop,
            (ours, theirs) => Resolution::Conflict(ours.copied(), theirs.copied()),
        }
    }

    /// Merges the sequences. Common elements keep our order; `order` merges the runs that each side has between two of them.
    pub fn merge(
        &self,
        order: impl Fn(Vec<Resolution<E>>, Vec<Resolution<E>>) -> Vec<Resolution<E>>,
    ) -> Vec<Resolution<E>> {
        let mut theirs = self.runs(self.theirs);
        let mut ours = self.runs(self.ours);
        let mut take = |anchor: Option<E::Key>| {
            let ours = ours.remove(&anchor);
            let theirs = theirs.remove(&anchor);
            order(ours.unwrap_or_default(), theirs.unwrap_or_default())
        };
        let mut out = take(None);
        for element in self.ours.iter().filter(|element| self.is_common(element)) {
            out.push(self.resolve(element.key()));
            out.extend(take(Some(element.key())));
        }
        out
    }

    /// The elements that only this side has and that are not dropped, by the common element before them.
    fn runs(&self, side: &[E]) -> HashMap<Option<E::Key>, Vec<Resolution<E>>> {
        let mut runs: HashMap<Option<E::Key>, Vec<Resolution<E>>> = HashMap::new();
        let mut anchor = None;
        for element in side {
            if self.is_common(element) {
                anchor = Some(element.key());
                continue;
            }
            match self.resolve(element.key()) {
                Resolution::Drop => {}
                resolution => runs.entry(anchor).or_default().push(resolution),
            }
        }
        runs
    }
}
