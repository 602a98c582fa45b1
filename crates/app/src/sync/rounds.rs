//! The rounds of a sync: each one syncs all canons, and a commit may need another one.

use super::{CanonResult, CanonSync, SyncCommit, SyncRequest, sync_canon};
use crate::canons::innermost;
use crate::sync::commit::{CommitAttempt, try_commit};
use crate::sync::commit_paths::CommitPaths;
use crate::sync::request::{AdoptRequest, SyncCommitRequest};
use crate::{Environment, Error, ErrorKind, Progress, Workspace};
use canonry_repo::git::commit::Committed;
use canonry_repo::view::Basis;
use canonry_text::RepoPath;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Rounds before a commit is given up. A save since the last one, or a hook, can make another one necessary.
const MAX_ROUNDS: usize = 3;

/// A request, and the canons that it is for.
pub struct SyncRun<'a> {
    pub request: &'a SyncRequest,
    /// The folders of several canons; `None` for the only one.
    pub bases: Option<&'a [RepoPath]>,
    pub progress: &'a dyn Progress,
}

/// One sync of all canons.
pub struct Round {
    pub canons: Vec<CanonSync>,
    paths: CommitPaths,
}

impl Round {
    fn is_interrupted(&self) -> bool {
        let is_interrupted = |canon: &CanonSync| matches!(&canon.result, CanonResult::Failed(error) if error.kind == ErrorKind::Interrupted);
        self.canons.iter().any(is_interrupted)
    }

    /// Whether there is something that a commit can hold.
    pub fn can_be_committed(&self) -> bool {
        !self.is_interrupted() && self.canons.iter().any(|canon| matches!(canon.result, CanonResult::Synced(_)))
    }

    /// The paths that the sync left alone.
    fn refused(&self) -> BTreeSet<RepoPath> {
        let synced = self.canons.iter().filter_map(|canon| match &canon.result {
            CanonResult::Synced(outcome) => Some(outcome),
            CanonResult::NotStaged | CanonResult::Failed(_) => None,
        });
        synced.flat_map(|canon| canon.refused.iter().map(|refusal| canon.full(&refusal.path))).collect()
    }

    /// Adds what the next round did.
    fn follow(&mut self, next: Self) {
        self.paths.extend(next.paths);
        for (canon, next) in self.canons.iter_mut().zip(next.canons) {
            match (&mut canon.result, next.result) {
                (CanonResult::Synced(outcome), CanonResult::Synced(next)) => outcome.follow(*next),
                (result, next) => *result = next,
            }
        }
    }
}

impl SyncRun<'_> {
    /// Syncs the canons one after the other. One of several that fails does not stop the others, unless the run was
    /// interrupted.
    ///
    /// # Errors
    /// The only canon failed.
    pub fn round(&self, request: &SyncRequest, workspace: &Workspace) -> Result<Round, Error> {
        let mut round = Round { canons: Vec::new(), paths: CommitPaths::default() };
        let Some(bases) = self.bases else {
            let folder = workspace.view.full(workspace.layout.root());
            let result = sync_canon(request, workspace, &mut round.paths, self.progress)?;
            round.canons.push(CanonSync { folder, result });
            return Ok(round);
        };
        for base in bases {
            let request = for_canon(request, workspace, bases, base)?;
            let env = Environment { base: base.clone(), ..workspace.env.clone() };
            let canon = Workspace::open(&env, if request.staged { &Basis::Index } else { &Basis::WorkTree });
            let folder = match &canon {
                Ok(canon) => canon.view.full(canon.layout.root()),
                Err(_) => base.clone(),
            };
            let result = canon.and_then(|canon| sync_canon(&request, &canon, &mut round.paths, self.progress));
            round.canons.push(CanonSync { folder, result: result.unwrap_or_else(CanonResult::Failed) });
            if round.is_interrupted() {
                break;
            }
        }
        Ok(round)
    }

    /// Commits what `round` synced.
    pub fn commit(&self, request: &SyncCommitRequest, workspace: Workspace, round: &mut Round) -> SyncCommit {
        let committed = self.commit_in_order(request, workspace, round);
        let left_out = round.paths.left_out.iter().cloned().collect();
        match committed {
            Ok((commit, drift)) => SyncCommit { result: Ok(commit), left_out, drift },
            Err(error) => SyncCommit { result: Err(error), left_out, drift: BTreeSet::new() },
        }
    }

    /// Commits, and returns the drift that the sync has reported. If the commit would have other drift, syncs again first.
    fn commit_in_order(
        &self,
        request: &SyncCommitRequest,
        mut workspace: Workspace,
        round: &mut Round,
    ) -> Result<(Option<Committed>, BTreeSet<RepoPath>), Error> {
        let refused = round.refused();
        let mut last = None;
        for _ in 1..MAX_ROUNDS {
            let drift = match try_commit(&round.paths, &workspace, request)? {
                CommitAttempt::Done { commit, drift } => return Ok((commit, drift)),
                CommitAttempt::Behind(drift) if last.as_ref() == Some(&drift) => return Err(drift.error()),
                CommitAttempt::Behind(drift) => drift,
            };
            workspace = Workspace::open(&workspace.env, &Basis::WorkTree)?;
            let next = self.round(&SyncRequest { adopt: None, ..self.request.clone() }, &workspace)?;
            // What a hook made of the mirrors would stay out of the commit.
            if next.refused() != refused {
                return Err(drift.error());
            }
            round.follow(next);
            last = Some(drift);
        }
        match try_commit(&round.paths, &workspace, request)? {
            CommitAttempt::Done { commit, drift } => Ok((commit, drift)),
            CommitAttempt::Behind(drift) => Err(drift.error()),
        }
    }
}

/// The request for one of several canons: it adopts the paths that belong to it.
fn for_canon(
    request: &SyncRequest,
    workspace: &Workspace,
    bases: &[RepoPath],
    base: &RepoPath,
) -> Result<SyncRequest, Error> {
    let Some(adopt) = request.adopt.as_ref().filter(|adopt| !adopt.paths.is_empty()) else {
        return Ok(request.clone());
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    for path in &adopt.paths {
        let full = workspace.inside(path)?;
        match innermost(bases, &full) {
            Some(owner) if owner == base => paths.push(path.clone()),
            Some(_) => {}
            None => {
                let message = format!("{full}: not in a mirror of any canon of this repository");
                return Err(Error::new(ErrorKind::Refused, message).help("name a file or a skill's folder in a mirror"));
            }
        }
    }
    let adopt = (!paths.is_empty()).then(|| AdoptRequest { paths, ..adopt.clone() });
    Ok(SyncRequest { adopt, ..request.clone() })
}
