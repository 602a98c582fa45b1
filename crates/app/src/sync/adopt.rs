//! `--adopt`: takes files of a mirror into the canon.

use crate::sync::renamed::renamed_skill;
use crate::sync::request::AdoptRequest;
use crate::sync::reverse_merge::{merge_into_canon, renders_unchanged};
use crate::sync::state::SyncState;
use crate::sync::write::write_adoption;
use crate::{Error, ErrorKind, Progress, Workspace};
use canonry_agents::{self as toolfiles, ManagedPart, ToolFileContext};
use canonry_mirror::adopt::{AdoptContext, AdoptReader, Adoption, adopt, claim_all};
use canonry_mirror::{DesiredFile, Lock};
use canonry_repo::apply::Session;
use canonry_repo::view::{Basis, View};
use canonry_text::RepoPath;
use gix::ObjectId;
use std::path::PathBuf;

/// Lines of a merge conflict that are shown.
const MAX_CONFLICT_LINES: usize = 40;

/// The outcome of an adoption.
pub struct Adopted {
    /// The work tree after the adoption.
    pub view: View,
    /// Canon files that were written.
    pub files: Vec<RepoPath>,
    /// Files that canonry now owns, if no canon file had to change.
    pub claimed: Option<usize>,
    /// The sides of conflicts that were given up, each with its backup.
    pub backups: Vec<(RepoPath, PathBuf)>,
}

/// Adopts the requested paths, or claims every mirrored file that equals the canon.
///
/// # Errors
/// A path is not in a mirror, or adopting it would lose content of the canon.
pub fn adopt_paths(
    request: &AdoptRequest,
    workspace: &Workspace,
    session: &mut Session,
    state: &SyncState,
    progress: &dyn Progress,
) -> Result<Adopted, Error> {
    let adoption = plan_adoption(request, workspace, state, progress)?;
    let applied = write_adoption(workspace, session, &adoption, &[])?;
    let claimed = adoption.edits.is_empty().then(|| newly_owned(&state.survey.lock, &adoption.lock));
    let view = workspace.open_view(&Basis::WorkTree)?;
    Ok(Adopted { view, files: applied.written, claimed, backups: applied.backups })
}

/// Plans the adoption of the requested paths.
///
/// # Errors
/// See [`adopt_paths`].
pub fn plan_adoption(
    request: &AdoptRequest,
    workspace: &Workspace,
    state: &SyncState,
    progress: &dyn Progress,
) -> Result<Adoption, Error> {
    let survey = &state.survey;
    let lock = &survey.lock;
    let prefer = request.prefer;
    let context = AdoptContext { desired: &survey.desired, state: &survey.actual, lock, prefer };
    let link_text = |path: &RepoPath| state.link_text(&workspace.view, path);
    let merge = |want: &DesiredFile, path: &RepoPath, base: ObjectId| {
        merge_into_canon(&workspace.view, state, want, path, base)
    };
    let is_settled = |path: &RepoPath, canon: &RepoPath| renders_unchanged(&workspace.view, state, path, canon);
    let renamed = |folder: &RepoPath| renamed_skill(&workspace.view, state, folder);
    let canon_state = |path: &RepoPath| workspace.view.probe().state(path);
    let reader = AdoptReader {
        link_text: &link_text,
        merge: &merge,
        renders_unchanged: &is_settled,
        canon_state: &canon_state,
        renamed: &renamed,
    };
    let paths = request.paths.iter().map(|path| workspace.inside(path)).collect::<Result<Vec<RepoPath>, Error>>()?;
    let adoption = if request.claim_equal {
        claim_equal_files(workspace, state, &context)
    } else {
        adopt(&paths, &context, &workspace.layout.skills(), &reader)
    };
    if let Some((path, error)) = adoption.refused.first() {
        for lines in adoption.refused.iter().filter_map(|(_, error)| error.lines()) {
            progress.notice(&conflict_excerpt(lines));
        }
        let message = format!("{}: {error}", workspace.view.full(path));
        return Err(Error::new(ErrorKind::Refused, message).help(error.help()));
    }
    Ok(adoption)
}

/// Claims mirrored files, and the managed parts of tool files.
fn claim_equal_files(workspace: &Workspace, state: &SyncState, context: &AdoptContext<'_>) -> Adoption {
    let adoption = claim_all(context);
    let tool_files = &state.survey.tool_files;
    let parts = toolfiles::claim_parts(&ToolFileContext {
        desired: &tool_files.desired,
        files: &tool_files.actual,
        owned: &[],
        was_there: &|_, _| false,
        hash: workspace.view.object_hash(),
    });
    Adoption { lock: adoption.lock.with(parts), ..adoption }
}

fn newly_owned(before: &Lock, after: &Lock) -> usize {
    let is_new = |path: &RepoPath| !before.owns(path) && ManagedPart::from_lock_path(path).is_none();
    after.entries().iter().filter(|(path, _)| is_new(path)).count()
}

fn conflict_excerpt(lines: &str) -> String {
    let more = lines.lines().count().saturating_sub(MAX_CONFLICT_LINES);
    let mut text: String = lines.split_inclusive('\n').take(MAX_CONFLICT_LINES).collect();
    if more > 0 {
        text.push_str(&format!("… {more} more lines\n"));
    }
    text
}
