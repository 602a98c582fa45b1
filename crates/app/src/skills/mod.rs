//! Lists, matches, shows and counts the skills of a canon, records what they learn, and adds skills from elsewhere.

pub mod learn;
pub mod list;
pub mod matching;
pub mod remote;
pub mod show;
pub mod stats;

pub use crate::sync::registry::{RegistryOutcome, write_registry};
pub use canonry_mirror::registry::ManifestEntry;
