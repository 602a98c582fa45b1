//! Whether a workspace has a canon, and what to do if it has none.

use crate::canon_location::check_place;
use crate::canons::unlisted;
use crate::{Basis, Environment, Error, ErrorKind, RepositoryScope, Workspace};
use canonry_mirror::MirrorRoot;
use canonry_model::canon::presence::{has_skill, is_canon};
use canonry_repo::view::PathKind;

impl Workspace {
    /// Whether there is a canon. A folder that the config names with `root:` needs no document of one.
    pub fn has_canon(&self) -> bool {
        let view = &self.view;
        let layout = &self.layout;
        match view.root(&layout.skills()) {
            MirrorRoot::Submodule(by) if layout.root().is_within(&by) => false,
            MirrorRoot::LinkInside(skills) => is_canon(view, layout) || has_skill(view, &skills),
            _ if self.names_canon() => view.kind(layout.root()) == PathKind::Folder,
            _ => is_canon(view, layout),
        }
    }

    /// Whether there is a canon, or the config says that there should be one.
    pub fn expects_canon(&self) -> bool {
        self.names_canon() || !self.view.base().is_empty() || self.has_canon()
    }

    /// Whether the config or the user names the folder of the canon.
    fn names_canon(&self) -> bool {
        self.env.scope == RepositoryScope::User || self.config.root.is_some()
    }

    /// Why there is no canon.
    pub fn absence(&self) -> String {
        let root = self.view.full(self.layout.root());
        if self.view.is_submodule(self.layout.root()) {
            return format!("`{root}` is a submodule");
        }
        if self.view.is_other_repository(self.layout.root()) {
            return format!("`{root}` is a separate repository");
        }
        match self.view.kind(self.layout.root()) {
            PathKind::Nothing => format!("no folder `{root}`"),
            PathKind::File => format!("`{root}` is no folder"),
            PathKind::Folder => format!("`{root}` has no config, lock, skill or other document of one"),
        }
    }

    /// Opens the work tree of a repository that has a canon.
    ///
    /// # Errors
    /// There is no repository or no canon, or the config cannot be read.
    pub fn open_canon(env: &Environment) -> Result<Self, Error> {
        let workspace = Self::open(env, &Basis::WorkTree)?;
        workspace.require_canon()?;
        Ok(workspace)
    }

    /// Checks that there is a canon.
    ///
    /// # Errors
    /// There is no canon, it is outside the checkout, or its folder is no folder of this repository.
    pub fn require_canon(&self) -> Result<(), Error> {
        check_place(self)?;
        if self.has_canon() {
            return self.require_checked_out();
        }
        let message = format!("no canon found: {}", self.absence());
        let mut help = "run `canonry init`, or add a skill as agent/skills/<name>/SKILL.md; if the canon is elsewhere, set `root:` in canonry.yaml; or name the paths to check".to_owned();
        if let Some(nested) = self.nested_canons_help() {
            help = format!("{nested}; for a canon of the whole repository, run `canonry init`");
        }
        Err(Error::new(ErrorKind::Unreadable, message).help(help))
    }

    /// The canons in folders below, and the config line that has canonry see them; `None` if there are none.
    pub fn nested_canons_help(&self) -> Option<String> {
        let bases = unlisted(self);
        if bases.is_empty() {
            return None;
        }
        let names: Vec<String> = bases.iter().map(ToString::to_string).collect();
        let all = names.join(", ");
        let (noun, verb) = if names.len() == 1 { ("a canon", "it") } else { ("canons", "them") };
        Some(format!(
            "there {} {noun} in {all}: to use {verb}, write `canons: [{all}]` into a canonry.yaml at the top",
            if names.len() == 1 { "is" } else { "are" }
        ))
    }
}
