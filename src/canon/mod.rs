//! Floor 1: the typed model of a canon. Everything in it knows where it stands.

pub mod blob;
pub mod entry;
pub mod episode;
pub mod inventory;
pub mod layout;
pub mod plan;
pub mod schema;
pub mod schema_file;
pub mod skill;
pub mod stamp;
pub mod templates;
pub mod workflow;

pub use blob::Blob;
pub use entry::{Entry, Mode, State};
pub use layout::Layout;
