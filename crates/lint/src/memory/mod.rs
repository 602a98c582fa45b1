//! Memory: the rows of the episodic log and of the review queue, and the Markdown files of all layers.

mod episode_score;
mod hidden_text;
pub(crate) mod log_rows;

rule_table! {
    episode_schema,
    episode_duplicate_id,
    episode_duplicate_row,
    lesson_episode_missing,
    lessons_opposed,
    lessons_long,
    lesson_hidden_text,
    review_event_schema,
    review_hidden_text,
    decision_incomplete,
    workspace_headings,
}
