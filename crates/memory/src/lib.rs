//! The memory. Pure functions decide what a dream archives, promotes and stages, what `recall` finds, and what an
//! agent's context contains. Time, policy and text are arguments; nothing here reads a file or a clock.

pub mod budget;
pub mod candidates;
pub mod clock;
pub mod consolidation;
pub mod constraints;
pub mod context;
pub mod dream_counts;
pub mod evidence;
pub mod failures;
pub mod lesson_rule;
mod lesson_salience;
pub mod lessons;
pub mod log;
pub mod merge;
pub mod nights;
pub mod opposites;
pub mod outdated_lessons;
pub mod overview;
pub mod pages;
pub mod policy;
pub mod promotion;
pub mod proposals;
pub mod questions;
pub mod recall;
pub mod review;
pub mod row;
mod ruleset;
pub mod skill_candidates;
pub mod skill_knowledge;
pub mod skill_usage;
pub mod spec_learnings;
pub mod tokens;
pub mod withdrawn_lessons;
pub mod working_memory;

pub use consolidation::{DepartingLine, DreamDecision, DreamParams, Pattern, consolidate};
pub use log::ParsedLog;
pub use policy::{MemoryPolicy, SalienceFactors, Scoring};
pub use row::{EpisodeRow, InvalidLine, LineExtent, RowId};
pub use ruleset::Ruleset;
