//! The skills that a command lists.

use crate::app::Error;
use crate::app::Workspace;
use crate::canon::inventory::Inventory;
use crate::registry::ManifestEntry;
use crate::view::registry::{Skills, cards};
use crate::view::survey::mirrored;
use crate::view::{IgnoreMode, ListedFile};

/// The skills below `skills/`.
pub struct Listing {
    listed: Vec<ListedFile>,
    /// Which of the files are skills.
    pub inventory: Inventory,
}

impl Listing {
    /// Looks.
    ///
    /// # Errors
    /// Git's own files cannot be read.
    pub fn see(context: &Workspace) -> Result<Self, Error> {
        let listing = context.view.list(&context.layout.skills(), IgnoreMode::Exclude)?;
        let entries = listing.entries();
        let inventory = mirrored(&entries, Inventory::from_entries(&entries, &context.layout), &context.layout);
        Ok(Self { listed: listing.files, inventory })
    }

    /// What is listed of them.
    pub fn cards(&self, context: &Workspace) -> Vec<ManifestEntry> {
        let skills = Skills { layout: &context.layout, listed: &self.listed, inventory: &self.inventory };
        cards(&context.view, skills)
    }
}
