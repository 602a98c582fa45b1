//! The files of a skill: what can be read, and what it points at.

mod bare;
mod broken_link;
mod document_unreadable;
mod link_absolute;
mod link_outside_skill;
mod not_utf8;
mod path_control_character;
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
];
