//! See `skill_schema.md`.

use super::{
    allowed_tools_commas, compatibility_length, description_missing, description_too_long, extension_key,
    frontmatter_not_mapping, metadata_flow_style, metadata_not_mapping, metadata_value_nested, metadata_value_scalar,
    name_missing, name_too_long, unknown_key, value_not_string,
};
use crate::{Check, Defaults, Rule};
use canonry_model::finding::Severity;

pub(super) static RULE: Rule = Rule {
    id: "skill-schema",
    summary: "frontmatter does not match the specification",
    severity: Defaults::both(Severity::Error),
    docs: include_str!("skill_schema.md"),
    check: Check::Each(&[
        Check::Skill(frontmatter_not_mapping::check),
        Check::Skill(name_missing::check),
        Check::Skill(name_too_long::check),
        Check::Skill(description_missing::check),
        Check::Skill(description_too_long::check),
        Check::Skill(value_not_string::check),
        Check::Skill(compatibility_length::check),
        Check::Skill(metadata_not_mapping::check),
        Check::At(
            Defaults { team: Severity::Info, spec: Severity::Error },
            &Check::Skill(metadata_value_nested::check),
        ),
        Check::At(Defaults::both(Severity::Info), &Check::Skill(metadata_value_scalar::check)),
        // Some tools document metadata on one line.
        Check::At(Defaults { team: Severity::Off, spec: Severity::Info }, &Check::Skill(metadata_flow_style::check)),
        // Claude Code documents commas, spaces and lists; other tools follow the specification.
        Check::At(
            Defaults { team: Severity::Off, spec: Severity::Warning },
            &Check::Skill(allowed_tools_commas::check),
        ),
        Check::At(Defaults { team: Severity::Warning, spec: Severity::Error }, &Check::Skill(unknown_key::check)),
        Check::At(Defaults { team: Severity::Off, spec: Severity::Error }, &Check::Skill(extension_key::check)),
    ]),
};
