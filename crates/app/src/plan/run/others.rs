//! Commits on the branch that the run did not make: a person's, or those of a worker that left its work tree. Who made them
//! cannot be proved, so they stop nothing.

use super::world::RepoWorld;
use crate::{Error, Workspace};
use canonry_repo::git::history::commits_since;
use canonry_runs::exec::ExecEvent;

/// The most commits that are named.
const NAMED: usize = 5;

impl RepoWorld<'_> {
    /// Reports the commits since the last look.
    pub(super) fn report_commits(&self, workspace: &Workspace) -> Result<(), Error> {
        let repo = workspace.repo()?;
        let now = super::tip(repo);
        let before = self.tip.replace(now);
        let (Some(before), Some(now)) = (before, now) else { return Ok(()) };
        if before == now {
            return Ok(());
        }
        let unreadable =
            |e: gix::Error| Error::new(crate::ErrorKind::Internal, format!("the branch cannot be read: {e}"));
        let commits = commits_since(repo, before, now).map_err(unreadable)?;
        let branch = self.onto.as_deref().unwrap_or("HEAD");
        for commit in commits.iter().take(NAMED) {
            let id = commit.id.to_hex_with_len(7);
            let text = format!(
                "{branch} has a commit that this run did not make: {id} \"{}\" by {}",
                commit.subject, commit.committer
            );
            self.observer.event(&ExecEvent::Notice(text));
        }
        if let Some(more) = commits.len().checked_sub(NAMED).filter(|more| *more > 0) {
            let text = format!(
                "{branch} has {more} more; `git log {}` shows them",
                before.to_hex_with_len(7).to_string() + ".."
            );
            self.observer.event(&ExecEvent::Notice(text));
        }
        if commits.is_empty() {
            let text = format!("{branch} was moved back to {}", now.to_hex_with_len(7));
            self.observer.event(&ExecEvent::Notice(text));
        }
        Ok(())
    }

    /// Remembers the branch after the run itself moved it.
    pub(super) fn own_tip(&self, workspace: &Workspace) -> Result<(), Error> {
        self.tip.set(super::tip(workspace.repo()?));
        Ok(())
    }
}
