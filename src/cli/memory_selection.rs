//! The arguments that select candidates of the review queue.

use canonry_app::memory::decide::{CandidateKind, CandidateSelection};

/// Which candidates to decide about.
#[derive(Debug, clap::Args)]
#[group(id = "selection", required = true, multiple = false)]
pub struct SelectionArgs {
    /// Ids or prefixes, as in `canonry memory review`
    #[arg(value_name = "CANDIDATE")]
    candidates: Vec<String>,
    /// All waiting candidates
    #[arg(long)]
    all: bool,
    /// All waiting candidates of this kind
    #[arg(long, value_name = "KIND", value_enum)]
    kind: Option<CandidateKind>,
}

impl SelectionArgs {
    /// The selection.
    pub fn selection(&self) -> CandidateSelection {
        match (self.kind, self.all) {
            (Some(kind), _) => CandidateSelection::Kind(kind),
            (None, true) => CandidateSelection::All,
            (None, false) => CandidateSelection::Named(self.candidates.clone()),
        }
    }

    /// The only candidate that is named, if there is exactly one.
    pub fn only(&self) -> Option<&str> {
        match &self.candidates[..] {
            [one] => Some(one),
            _ => None,
        }
    }
}
