//! See `name_invalid.md`.

use super::{
    name_case, name_characters, name_compatibility, name_hyphens, name_not_ascii, name_not_nfc, name_reserved,
    name_reserved_word,
};
use crate::{Check, Defaults, Rule};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "name-invalid",
    summary: "skill name is invalid or not portable",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("name_invalid.md"),
    check: Check::Each(&[
        Check::Skill(name_case::check),
        Check::Skill(name_characters::check),
        Check::Skill(name_hyphens::check),
        Check::Skill(name_compatibility::check),
        Check::At(Defaults::both(Severity::Warning), &Check::Skill(name_not_ascii::check)),
        Check::At(Defaults::both(Severity::Warning), &Check::Skill(name_not_nfc::check)),
        Check::At(Defaults::both(Severity::Warning), &Check::Skill(name_reserved::check)),
        Check::At(Defaults::both(Severity::Info), &Check::Skill(name_reserved_word::check)),
    ]),
};
