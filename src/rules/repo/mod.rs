//! The repository as a whole.

mod dead_skill_link;
mod skill_name_clash;
mod special_file;
mod unreadable_folder;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] =
    &[&dead_skill_link::RULE, &skill_name_clash::RULE, &special_file::RULE, &unreadable_folder::RULE];
