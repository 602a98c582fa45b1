//! Lists, matches and shows the skills of a canon.

pub mod list;
pub mod matching;
pub mod show;

pub use crate::app::sync::registry::{RegistryOutcome, write_registry};
pub use crate::registry::ManifestEntry;
