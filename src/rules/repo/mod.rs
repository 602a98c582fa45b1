//! The repository as a whole.

mod skill_name_clash;
mod unreadable_folder;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[&skill_name_clash::RULE, &unreadable_folder::RULE];
