//! What an import looks at, read through the view.

use crate::app::Error;
use crate::app::Workspace;
use crate::app::configuration::Origin as ConfigAt;
use crate::canon::{Blob, FileState, Layout};
use crate::import::{Ground, Look, Origin};
use crate::mirror::{Lock, MirrorRoot};
use crate::syntax::RepoPath;
use crate::toolfiles::ManagedPart;
use crate::view::load::LOG_LIMIT;
use crate::view::{IgnoreMode, PathKind, View, tools::without_ours};
use std::collections::BTreeMap;

/// The origins and the canon at one moment.
pub struct Seen<'a> {
    view: &'a View,
    layout: &'a Layout,
    configured: bool,
    lock: Lock,
    files: BTreeMap<RepoPath, FileState>,
    canon: BTreeMap<RepoPath, FileState>,
    /// The origins that are here.
    pub found: Vec<Origin>,
}

impl<'a> Seen<'a> {
    /// Looks.
    ///
    /// # Errors
    /// Git's own files cannot be read.
    pub fn of(context: &'a Workspace) -> Result<Self, Error> {
        let view = &context.view;
        let lock = match view.read(&context.layout.lock(), u64::MAX) {
            Blob::Bytes(bytes) => Lock::parse(&bytes).unwrap_or_default(),
            Blob::Missing(_) => Lock::default(),
        };
        let mut files = BTreeMap::new();
        for place in Origin::ALL.iter().flat_map(|origin| origin.places()) {
            let place = RepoPath::from(*place);
            // What lies below a link may be anyone's; the link itself is told.
            match view.root(&place.parent().unwrap_or_default()) {
                MirrorRoot::Folder => files.extend(states(view, &place)?),
                MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) | MirrorRoot::NotAFolder(_) => {}
            }
        }
        // What sync wrote is the canon's already.
        files.retain(|path, _| !lock.owns(path) && !path.is_within(context.layout.root()));
        let mut seen = Self {
            view,
            layout: &context.layout,
            configured: context.origin != ConfigAt::Elsewhere,
            lock,
            files,
            canon: states(view, context.layout.root())?.into_iter().collect(),
            found: Vec::new(),
        };
        seen.leave_out_empty();
        seen.found = Origin::ALL.into_iter().filter(|origin| origin.is_there(&seen.ground())).collect();
        Ok(seen)
    }

    /// Shared files in which nothing is but what is ours.
    fn leave_out_empty(&mut self) {
        let of_parts = |path: &RepoPath| self.lock.entries().iter().any(|(entry, _)| is_part_of(entry, path));
        let ours: Vec<RepoPath> = self.files.keys().filter(|path| of_parts(path)).cloned().collect();
        for path in ours {
            if without_ours(self.view, &path, &self.lock).is_none_or(|text| text.trim().is_empty()) {
                self.files.remove(&path);
            }
        }
    }

    /// The same for the pure part.
    pub fn ground(&self) -> Ground<'_> {
        Ground {
            layout: self.layout,
            hash: self.view.object_hash(),
            files: &self.files,
            canon: &self.canon,
            look: self,
            configured: self.configured,
        }
    }

    /// The origins that are here besides one.
    pub fn others(&self, one: Origin) -> Vec<Origin> {
        self.found.iter().copied().filter(|origin| *origin != one).collect()
    }
}

fn is_part_of(entry: &RepoPath, file: &RepoPath) -> bool {
    ManagedPart::from_lock_path(entry).is_some_and(|(of, _)| of == *file)
}

fn states(view: &View, place: &RepoPath) -> Result<Vec<(RepoPath, FileState)>, Error> {
    let listing = view.list(place, IgnoreMode::Include)?;
    let states = view.states(&listing.files);
    Ok(listing.files.into_iter().zip(states).filter_map(|(file, state)| Some((file.entry.path, state?))).collect())
}

impl Look for Seen<'_> {
    /// Without what sync put into it.
    fn read(&self, path: &RepoPath) -> Result<Vec<u8>, String> {
        if self.lock.entries().iter().any(|(entry, _)| is_part_of(entry, path)) {
            let text = without_ours(self.view, path, &self.lock).map(String::into_bytes);
            return text.ok_or_else(|| "it cannot be read".to_owned());
        }
        match self.view.read(path, LOG_LIMIT) {
            Blob::Bytes(bytes) => Ok(bytes),
            Blob::Missing(missing) => Err(missing.to_string()),
        }
    }

    fn link(&self, path: &RepoPath) -> Option<RepoPath> {
        path.resolve_beside(&self.view.link_text(path)?)
    }

    fn blocked(&self, path: &RepoPath) -> Option<RepoPath> {
        let folder = path.parent().unwrap_or_default();
        match self.view.root(&folder) {
            MirrorRoot::NotAFolder(by) => Some(by),
            MirrorRoot::LinkInside(_) | MirrorRoot::LinkOutside(_) => Some(folder),
            MirrorRoot::Folder => (self.view.kind(path) == PathKind::Folder).then(|| path.clone()),
        }
    }
}
