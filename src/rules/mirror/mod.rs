//! The mirrors against the canon.

mod mirror_edited;
mod mirror_missing;
mod mirror_never_synced;
mod mirror_occupied;
mod mirror_orphan;
mod mirror_root;
mod mirror_stale;
mod mirror_unowned;
mod shared;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[
    &mirror_missing::RULE,
    &mirror_stale::RULE,
    &mirror_orphan::RULE,
    &mirror_edited::RULE,
    &mirror_occupied::RULE,
    &mirror_root::RULE,
    &mirror_unowned::RULE,
    &mirror_never_synced::RULE,
];
