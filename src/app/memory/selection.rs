//! Which candidates a decision is about.

use super::queue::ReviewFiles;
use crate::app::{Error, ErrorKind};
use crate::memory::review::{CandidateKind, QueueEntry};

/// The candidates of a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// These candidates, by their names or unambiguous prefixes.
    Named(Vec<String>),
    /// The pending candidates of the group with this name.
    Group(String),
    /// All pending candidates of a kind.
    Kind(CandidateKind),
    /// All pending candidates.
    All,
}

impl Selection {
    /// The names of the selected candidates in the order of the queue or the request, each once. `find` gets a name or prefix.
    ///
    /// # Errors
    /// [`ErrorKind::Unreadable`] if a name or a group identifies no candidate; [`ErrorKind::Usage`] if no name is given.
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
                .help("name candidates, or select them with `--all`, `--kind` or `--group`")),
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
            Self::Group(group) => {
                let found = pending(&|entry| group_of(entry) == Some(group));
                if found.is_empty() {
                    return Err(Error::new(
                        ErrorKind::Unreadable,
                        format!("no candidate of a group `{group}` waits for a decision"),
                    )
                    .help("run `canonry memory review` to list the groups"));
                }
                Ok(found)
            }
            Self::Kind(kind) => Ok(pending(&|entry| entry.staged.kind == *kind)),
            Self::All => Ok(pending(&|_| true)),
        }
    }
}

/// The group of a candidate: candidates of the same group are decided together.
pub fn group_of(entry: &QueueEntry) -> Option<&str> {
    entry.staged.group.as_deref()
}
