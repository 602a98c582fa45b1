//! Mirrors that differ from the canon.

mod grouping;

rule_table! {
    mirror_missing,
    mirror_stale,
    mirror_orphan,
    mirror_edited,
    mirror_lock,
    mirror_occupied,
    mirror_skipped,
    mirror_unowned,
    mirror_never_synced,
    tool_file_omitted,
}
