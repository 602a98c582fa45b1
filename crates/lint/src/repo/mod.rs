//! The repository as a whole.

rule_table! {
    skill_name_clash,
    subagent_name_clash,
    trigger_duplicate,
    listing_budget,
    seen_twice,
    mirror_not_read,
    skill_setting_unknown,
    deprecated_skill,
    overlay_unusable,
    registry_stale,
    pack_stale,
}
