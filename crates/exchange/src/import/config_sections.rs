//! The sections of a config that an import writes.

use canonry_model::config::Target;

/// The sections of a config.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigSections {
    /// A comment.
    pub(super) head: String,
    /// The targets of the skills; empty for the default.
    pub(super) targets: Vec<Target>,
    /// `files:` with its lines; empty without one.
    pub files: String,
    /// `skills:` with its lines; empty without one.
    pub(super) skills: String,
}

impl ConfigSections {
    /// The lines of a new config.
    pub fn to_text(&self) -> String {
        format!("{}{}", self.head, self.without_head(&[]))
    }

    /// The lines for an existing config with these targets.
    pub fn without_head(&self, configured: &[Target]) -> String {
        let are_new = !self.targets.iter().all(|target| configured.contains(target));
        let targets = if are_new { format!("targets: [{}]\n", names(&self.targets)) } else { String::new() };
        format!("{targets}{}{}", self.files, self.skills)
    }
}

pub(super) fn names(targets: &[Target]) -> String {
    targets.iter().map(|target| target.name()).collect::<Vec<_>>().join(", ")
}
