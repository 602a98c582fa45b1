//! Skills: the file's name, the frontmatter and its fields.

mod allowed_tools_commas;
mod allowed_tools_not_string;
mod body_too_long;
mod byte_order_mark;
mod compatibility_length;
mod compatibility_not_string;
mod compatibility_ungated;
mod description_cut_off;
mod description_markup;
mod description_missing;
mod description_not_string;
mod description_too_long;
mod document_case;
mod document_lowercase;
mod duplicate_key;
mod extension_key;
mod fence_trailing_space;
mod fields;
mod frontmatter_missing;
mod frontmatter_not_mapping;
mod frontmatter_unclosed;
mod key_dropped;
pub mod known_keys;
mod license_not_string;
mod listing_cut_off;
mod metadata_flow_style;
mod metadata_not_mapping;
mod metadata_value_nested;
mod metadata_value_scalar;
mod name_case;
mod name_characters;
mod name_compatibility;
mod name_directory_mismatch;
mod name_hyphens;
mod name_missing;
mod name_not_ascii;
mod name_not_nfc;
mod name_not_string;
mod name_reserved;
mod name_too_long;
mod names;
mod section_malformed;
mod spelling;
mod target_unknown;
mod team_schema;
mod unknown_key;
mod version_malformed;
mod yaml_invalid;

use super::Rule;

/// The family's table.
pub static RULES: &[&Rule] = &[
    &document_lowercase::RULE,
    &document_case::RULE,
    &byte_order_mark::RULE,
    &frontmatter_missing::RULE,
    &frontmatter_unclosed::RULE,
    &fence_trailing_space::RULE,
    &yaml_invalid::RULE,
    &duplicate_key::RULE,
    &frontmatter_not_mapping::RULE,
    &name_missing::RULE,
    &name_not_string::RULE,
    &name_case::RULE,
    &name_characters::RULE,
    &name_hyphens::RULE,
    &name_too_long::RULE,
    &name_not_ascii::RULE,
    &name_not_nfc::RULE,
    &name_compatibility::RULE,
    &name_directory_mismatch::RULE,
    &description_missing::RULE,
    &description_not_string::RULE,
    &description_too_long::RULE,
    &description_cut_off::RULE,
    &description_markup::RULE,
    &license_not_string::RULE,
    &compatibility_length::RULE,
    &compatibility_not_string::RULE,
    &metadata_not_mapping::RULE,
    &metadata_value_nested::RULE,
    &metadata_value_scalar::RULE,
    &metadata_flow_style::RULE,
    &allowed_tools_not_string::RULE,
    &allowed_tools_commas::RULE,
    &unknown_key::RULE,
    &extension_key::RULE,
    &team_schema::RULE,
    &version_malformed::RULE,
    &name_reserved::RULE,
    &key_dropped::RULE,
    &body_too_long::RULE,
    &listing_cut_off::RULE,
    &section_malformed::RULE,
    &target_unknown::RULE,
    &compatibility_ungated::RULE,
];
