//! What a sync looks at.

use crate::app::Error;
use crate::app::Workspace;
use crate::app::sync::plan::decide;
use crate::canon::inventory::{Inventory, SkillFolder};
use crate::canon::io_diagnosis::IoDiagnosis;
use crate::canon::{FileMode, FileState, Layout};
use crate::edit::OverwriteMode;
use crate::mirror::SyncPlan;
use crate::syntax::RepoPath;
use crate::view::survey::{self, Asked, Looks, Purpose, Survey, mirrored, survey};
use crate::view::{IgnoreMode, View, load};
use gix::bstr::BString;

/// The canon and its mirrors at one moment.
pub struct Seen {
    /// What there is and what should be.
    pub survey: Survey,
    /// Where the canon is.
    pub layout: Layout,
    /// The canon's skills.
    pub inventory: Inventory,
    /// Folders of the canon that could not be listed, and why.
    pub unreadable: Vec<(RepoPath, IoDiagnosis)>,
    /// The kind of object ids.
    pub hash: gix::hash::Kind,
}

/// Looks. `pending`: what an unfinished run may have left.
///
/// # Errors
/// A lock that cannot be read, or git's own files.
pub fn see(context: &Workspace, view: &View, pending: Vec<(RepoPath, FileState)>) -> Result<Seen, Error> {
    see_as(context, view, pending, &|folder, asked| load::looks(view, folder, asked))
}

/// The same with another way to look at documents.
///
/// # Errors
/// As of [`see`].
pub fn see_as(
    context: &Workspace,
    view: &View,
    pending: Vec<(RepoPath, FileState)>,
    looks: &(dyn Fn(&SkillFolder, Asked) -> Looks + Sync),
) -> Result<Seen, Error> {
    let listing = view.list(&context.layout.skills(), IgnoreMode::Exclude)?;
    let entries = listing.entries();
    let inventory = mirrored(&entries, Inventory::from_entries(&entries, &context.layout), &context.layout);
    let scope = survey::Scope {
        layout: &context.layout,
        targets: &context.config.targets,
        config: &context.config,
        unreadable: &listing.unreadable,
        pending,
        purpose: Purpose::Sync,
        looks,
    };
    let survey = survey(view, &listing.files, &inventory, scope)?;
    let (layout, hash) = (context.layout.clone(), view.object_hash());
    Ok(Seen { survey, layout, inventory, unreadable: listing.unreadable, hash })
}

impl Seen {
    /// The text of a mirror's link; `None` where no link stands there.
    pub fn link_text(&self, view: &View, path: &RepoPath) -> Option<BString> {
        let is_link = self.survey.actual.state(path).is_some_and(|state| state.mode == FileMode::Link);
        is_link.then(|| view.link_text(path)).flatten()
    }

    /// What a sync does about it.
    pub fn decide(&self, consent: OverwriteMode) -> SyncPlan {
        decide(&self.survey, consent, self.hash)
    }
}
