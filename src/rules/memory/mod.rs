//! Memory: the rows of the episodic log, and the Markdown of all layers.

mod episode_duplicate_id;
mod episode_duplicate_row;
mod episode_schema;
mod episode_score;
mod episode_team_schema;
mod episode_unreadable;
mod lesson_episode_missing;
mod lessons_long;
mod lessons_opposed;
mod log_unreadable;
mod memory_conflict;
mod memory_unreadable;
mod shared;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[
    &log_unreadable::RULE,
    &episode_unreadable::RULE,
    &episode_score::RULE,
    &episode_schema::RULE,
    &episode_team_schema::RULE,
    &episode_duplicate_id::RULE,
    &episode_duplicate_row::RULE,
    &memory_unreadable::RULE,
    &memory_conflict::RULE,
    &lesson_episode_missing::RULE,
    &lessons_opposed::RULE,
    &lessons_long::RULE,
];
