//! Floor 3: what the nightly dream decides. Time and text come in; which rows leave the log and which lessons are
//! written goes out.

pub mod decide;
pub mod dialect;
pub mod failing;
pub mod lessons;
pub mod policy;
pub mod quarantine;
pub mod reading;
pub mod row;
pub mod workspace;

pub use decide::{Decision, Leaving, Night, Pattern, decide};
pub use dialect::Dialect;
pub use policy::{Policy, Scoring};
pub use row::{BadLine, Chunk, Extent, Row, RowId, scan};
