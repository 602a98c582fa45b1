//! Memory: the rows of the episodic log and of the review queue, and the Markdown files of all layers.

mod hidden_text;
pub(crate) mod log_rows;

rule_table! {
    episode_schema,
    episode_duplicate_id,
    lesson_episode_missing,
    lessons_opposed,
    lessons_long,
    memory_hidden_text,
    review_event_schema,
    decision_incomplete,
}
