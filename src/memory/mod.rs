//! Floor 3: what the nightly dream decides, and what is recalled of the memory. Time and text come in; which rows leave the
//! log, which lessons are written and what an agent is to read goes out.

pub mod budget;
pub mod context;
pub mod decide;
pub mod dialect;
pub mod lessons;
pub mod policy;
pub mod quarantine;
pub mod recall;
pub mod row;
pub mod told;
pub mod workspace;

pub use decide::{Decision, Leaving, Night, Pattern, decide};
pub use dialect::Dialect;
pub use policy::{Policy, Scoring};
pub use row::{BadLine, Chunk, Extent, Row, RowId, scan};
