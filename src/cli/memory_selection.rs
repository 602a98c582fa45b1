//! The arguments that select candidates of the review queue.

use crate::app::memory::decide::{CandidateKind, Selection};

/// Which candidates to decide about.
#[derive(Debug, clap::Args)]
#[group(id = "selection", required = true, multiple = false)]
pub struct SelectionArgs {
    /// Candidate ids or prefixes of them; `canonry memory review` lists the ids
    #[arg(value_name = "CANDIDATE")]
    candidates: Vec<String>,
    /// All candidates that wait
    #[arg(long)]
    all: bool,
    /// The waiting candidates of this kind
    #[arg(long, value_name = "KIND", value_enum)]
    kind: Option<Kind>,
}

/// A kind of candidate.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Kind {
    Lesson,
    Skill,
    Retire,
    Spec,
    Question,
    Upkeep,
}

impl SelectionArgs {
    /// The selection.
    pub fn selection(&self) -> Selection {
        match (self.kind, self.all) {
            (Some(kind), _) => Selection::Kind(match kind {
                Kind::Lesson => CandidateKind::Lesson,
                Kind::Skill => CandidateKind::Skill,
                Kind::Retire => CandidateKind::Retire,
                Kind::Spec => CandidateKind::Spec,
                Kind::Question => CandidateKind::Question,
                Kind::Upkeep => CandidateKind::Upkeep,
            }),
            (None, true) => Selection::All,
            (None, false) => Selection::Named(self.candidates.clone()),
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
