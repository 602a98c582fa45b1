//! Lists, matches, shows and counts the skills of a canon, and records what they learn.

pub mod learn;
pub mod list;
pub mod matching;
pub mod show;
pub mod stats;

pub use crate::app::sync::registry::{RegistryOutcome, write_registry};
pub use crate::registry::ManifestEntry;
