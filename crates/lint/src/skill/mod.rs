//! Skills: document name, frontmatter and its fields.

mod allowed_tools_commas;
mod duplicate_key;
mod fields;
mod metadata_flow_style;
mod metadata_value_nested;
mod metadata_value_scalar;
mod names;
mod skill_changelog_behind;
mod unknown_key;
mod value_not_string;

pub mod known_keys;

rule_table! {
    name_invalid,
    skill_schema,
    document_case,
    frontmatter_missing,
    yaml_invalid,
    name_directory_mismatch,
    description_cut_off,
    description_markup,
    version_malformed,
    key_dropped,
    body_too_long,
    code_replaced_by_arguments,
    listing_cut_off,
    section_malformed,
    target_unknown,
    compatibility_unmet,
    skill_version_bump,
}
