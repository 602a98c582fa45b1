//! Which candidates a decision is about.

use super::queue::ReviewFiles;
use crate::{Error, ErrorKind};
use canonry_memory::review::{CandidateKind, QueueEntry};

/// The candidates of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CandidateSelection {
    /// These candidates, by their names or unambiguous prefixes.
    Named(Vec<String>),
    /// All pending candidates of a kind.
    Kind(CandidateKind),
    /// All pending candidates.
    All,
}

impl CandidateSelection {
    /// The names of the selected candidates in the order of the queue or the request, each once. `find` gets a name or prefix.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if a name identifies no candidate; [`ErrorKind::Usage`] if no name is given.
    pub(super) fn resolve(
        &self,
        files: &ReviewFiles,
        find: impl Fn(&str) -> Result<String, Error>,
    ) -> Result<Vec<String>, Error> {
        let pending = |is_selected: &dyn Fn(&QueueEntry) -> bool| -> Vec<String> {
            let entries = files.queue.pending().filter(|entry| is_selected(entry));
            entries.map(|entry| entry.staged.candidate.clone()).collect()
        };
        match self {
            Self::Named(names) if names.is_empty() => Err(Error::new(ErrorKind::Usage, "no candidate is selected")
                .help("name candidates, or select them with `--all` or `--kind`")),
            Self::Named(names) => {
                let mut found: Vec<String> = Vec::new();
                for name in names {
                    let candidate = find(name)?;
                    if !found.contains(&candidate) {
                        found.push(candidate);
                    }
                }
                Ok(found)
            }
            Self::Kind(kind) => Ok(pending(&|entry| entry.staged.kind == *kind)),
            Self::All => Ok(pending(&|_| true)),
        }
    }
}
