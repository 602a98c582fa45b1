//! The repository as a whole.

mod dead_skill_link;
mod description_near_duplicate;
mod ignored_mirror;
mod likeness;
mod link_not_followed;
mod listing_budget;
mod overlay_unusable;
mod overlay_unused;
mod registry_stale;
mod seen_twice;
mod skill_name_clash;
mod skill_setting_unknown;
mod skill_untouched;
mod special_file;
mod trigger_duplicate;
mod unreadable_folder;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[
    &dead_skill_link::RULE,
    &skill_name_clash::RULE,
    &special_file::RULE,
    &unreadable_folder::RULE,
    &description_near_duplicate::RULE,
    &trigger_duplicate::RULE,
    &listing_budget::RULE,
    &seen_twice::RULE,
    &link_not_followed::RULE,
    &ignored_mirror::RULE,
    &skill_setting_unknown::RULE,
    &skill_untouched::RULE,
    &overlay_unused::RULE,
    &overlay_unusable::RULE,
    &registry_stale::RULE,
];
