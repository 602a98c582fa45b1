//! Memory: the rows of the episodic log and of the review queue, and the Markdown files of all layers.

pub(in crate::rules) mod log_rows;

rule_table! {
    episode_score,
    episode_schema,
    episode_duplicate_id,
    episode_duplicate_row,
    memory_conflict,
    lesson_episode_missing,
    lessons_opposed,
    lessons_long,
    review_event_schema,
    decision_incomplete,
    workspace_headings,
}
