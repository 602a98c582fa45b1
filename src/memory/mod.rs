//! Floor 3: what the nightly dream decides, and what is recalled of the memory. Time and text come in; which rows leave the
//! log, which lessons are written and what an agent is to read goes out.

mod alike;
pub mod budget;
pub mod constraints;
pub mod context;
pub mod decide;
pub mod failing;
#[cfg(test)]
mod grouping_tests;
pub mod lessons;
pub mod merge;
pub mod notices;
pub mod opposing;
pub mod overview;
pub mod policy;
pub mod promotion;
pub mod quarantine;
pub mod recall;
pub mod retire;
pub mod review;
pub mod row;
pub mod ruleset;
pub mod skillforge;
pub mod standing;
pub mod told;
pub mod wording;
pub mod workspace;

pub use decide::{Decision, Leaving, Night, Pattern, decide, recurring, weighed};
pub use policy::{Policy, Scoring, Terms};
pub use row::{BadLine, Chunk, Extent, Row, RowId, Way, scan};
pub use ruleset::Ruleset;
