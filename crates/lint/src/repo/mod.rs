//! The repository as a whole.

rule_table! {
    dead_skill_link,
    skill_name_clash,
    subagent_name_clash,
    special_file,
    unreadable_folder,
    description_near_duplicate,
    trigger_duplicate,
    listing_budget,
    seen_twice,
    link_not_followed,
    ignored_mirror,
    skill_setting_unknown,
    skill_untouched,
    skill_review_due,
    replacement_missing,
    deprecated_skill_used,
    overlay_unused,
    overlay_unusable,
    registry_stale,
    pack_stale,
}
