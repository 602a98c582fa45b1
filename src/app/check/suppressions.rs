//! What the judged files allow in their comments, gathered while they are at hand.

use crate::canon::suppression::Suppression;
use crate::finding::RawFinding;
use crate::syntax::Source;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Filled by all threads that judge.
#[derive(Default)]
pub struct Comments(Mutex<Vec<Suppression>>);

impl Comments {
    /// Looks through a text, where there is one.
    pub fn note(&self, source: Option<&Arc<Source>>) {
        let found = source.map(Suppression::find_all).unwrap_or_default();
        if !found.is_empty() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        }
    }

    /// All of them by path and place, with those of other files that something was found in.
    pub fn suppressions(self, drafts: &[(&'static str, RawFinding)]) -> Vec<Suppression> {
        let sources = drafts.iter().filter_map(|(_, draft)| draft.location.source.as_ref());
        let by_path: BTreeMap<_, _> = sources.map(|source| (source.path(), source)).collect();
        by_path.values().for_each(|source| self.note(Some(source)));
        let mut all = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.sort_by(|a, b| (a.source.path(), a.span).cmp(&(b.source.path(), b.span)));
        all.dedup_by(|a, b| (a.source.path(), a.span) == (b.source.path(), b.span));
        all
    }
}
