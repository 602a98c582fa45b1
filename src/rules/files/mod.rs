//! The files of a skill: what can be read, and what it points at.

mod bare;
mod broken_link;
mod document_unreadable;
mod home_path;
mod link_absolute;
mod link_outside_skill;
mod mentions;
mod not_utf8;
mod orphan_file;
mod path_control_character;
mod path_not_portable;
mod reference_chain;
mod script_not_executable;
mod script_prompts;
mod script_without_shebang;
mod shebang_crlf;
mod symlink_outside_repository;
mod symlink_outside_skill;
mod target;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[
    &document_unreadable::RULE,
    &not_utf8::RULE,
    &broken_link::RULE,
    &link_outside_skill::RULE,
    &link_absolute::RULE,
    &symlink_outside_repository::RULE,
    &symlink_outside_skill::RULE,
    &path_control_character::RULE,
    &path_not_portable::RULE,
    &reference_chain::RULE,
    &orphan_file::RULE,
    &script_not_executable::RULE,
    &script_without_shebang::RULE,
    &shebang_crlf::RULE,
    &script_prompts::RULE,
    &home_path::RULE,
];
