//! Skills: document name, frontmatter and its fields.

mod allowed_tools_commas;
mod byte_order_mark;
mod compatibility_length;
mod compatibility_ungated;
mod description_missing;
mod description_too_long;
mod duplicate_key;
mod extension_key;
mod fence_trailing_space;
mod fields;
mod frontmatter_not_mapping;
mod frontmatter_unclosed;
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
