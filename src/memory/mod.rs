//! Floor 3: what the nightly dream decides. Time and text come in; which rows leave the log and which lessons are
//! written goes out.

mod alike;
pub mod briefing;
pub mod decide;
pub mod dialect;
pub mod failing;
pub mod lessons;
pub mod merge;
pub mod overview;
pub mod policy;
pub mod quarantine;
pub mod row;
pub mod standing;
pub mod wording;
pub mod workspace;

pub use decide::{Decision, Leaving, Night, Pattern, decide, recurring, weighed};
pub use dialect::Dialect;
pub use policy::{Policy, Scoring, Terms};
pub use row::{BadLine, Chunk, Extent, Row, RowId, scan};
