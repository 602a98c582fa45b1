//! Skills from elsewhere: added from other repositories, pinned in `skills.lock`, and updated without losing local edits.

pub mod add;
pub mod extend;
pub mod install;
pub mod list;
mod local;
pub(crate) mod origin;
pub mod outdated;
mod pinned;
pub(crate) mod pins;
pub mod remove;
pub mod review;
mod scripts;
pub(crate) mod source;
pub(crate) mod unfetched;
pub mod update;
mod upstream;
mod write;

pub use local::LocalState;
pub use scripts::ScriptSummary;
pub use write::Written;

use crate::{Error, ErrorKind};
use canonry_repo::exec::git::GitError;
use canonry_repo::git::source_cache::FetchError;

impl From<FetchError> for Error {
    fn from(error: FetchError) -> Self {
        let described = |kind, help: &str| Self::new(kind, error.to_string()).help(help);
        match &error {
            FetchError::Busy => described(ErrorKind::Contention, "wait for it and run this again"),
            FetchError::NoReference(_) => {
                described(ErrorKind::Unreadable, "name a branch, a tag, or a whole commit id")
            }
            FetchError::Vanished(_) => described(
                ErrorKind::Unreadable,
                "its history was rewritten; `canonry skills update` moves the skill to a commit that exists",
            ),
            FetchError::Exec(GitError::Interrupted) => {
                Self::new(ErrorKind::Interrupted, "interrupted; nothing was changed")
            }
            FetchError::Exec(_) => {
                described(ErrorKind::Unreadable, "install git, and check that the source can be reached")
            }
            FetchError::Failed { .. } => described(
                ErrorKind::Unreadable,
                "check the address and your access: canonry lets git use its credential helpers and ssh keys, but never asks for a password",
            ),
            FetchError::Io { .. } | FetchError::Git { .. } => Self::new(ErrorKind::Internal, error.to_string()),
        }
    }
}

/// The answer to the question whether reviewed skills are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncomingApproval {
    Accepted,
    Declined,
    /// Nobody can answer, and the request does not say yes.
    NobodyToAsk,
}

/// Shows skills before they are written, and asks.
pub trait Approver {
    /// Shows the reviews and waits for an answer.
    ///
    /// # Errors
    /// The terminal cannot be read.
    fn approve(&mut self, reviews: &[review::IncomingReview]) -> Result<IncomingApproval, Error>;
}

/// Shows candidates and asks for approval. Returns those that the checks block, which are no longer candidates, and the
/// answer. Blocked ones are shown too: the reasons of a refusal are in the review.
fn ask<C>(
    candidates: &mut Vec<C>,
    review: impl Fn(&C) -> &review::IncomingReview,
    approver: &mut dyn Approver,
) -> Result<(Vec<C>, IncomingApproval), Error> {
    let reviews: Vec<review::IncomingReview> = candidates.iter().map(|candidate| review(candidate).clone()).collect();
    let blocked = candidates.extract_if(.., |candidate| !review(candidate).blocked.is_empty()).collect();
    Ok((blocked, approver.approve(&reviews)?))
}
