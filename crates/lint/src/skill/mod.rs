//! Skills: document name, frontmatter and its fields.

mod allowed_tools_commas;
mod compatibility_length;
mod description_missing;
mod description_too_long;
mod duplicate_key;
mod extension_key;
mod fields;
mod frontmatter_not_mapping;
mod metadata_flow_style;
mod metadata_not_mapping;
mod metadata_value_nested;
mod metadata_value_scalar;
mod name_case;
mod name_characters;
mod name_compatibility;
mod name_hyphens;
mod name_missing;
mod name_not_ascii;
mod name_not_nfc;
mod name_reserved;
mod name_reserved_word;
mod name_too_long;
mod names;
mod unknown_key;
mod value_not_string;

pub mod known_keys;

rule_table! {
    name_invalid,
    skill_schema,
    document_case,
    byte_order_mark,
    frontmatter_missing,
    frontmatter_unclosed,
    fence_trailing_space,
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
    compatibility_ungated,
    compatibility_unmet,
    skill_version_bump,
    skill_changelog_behind,
}
