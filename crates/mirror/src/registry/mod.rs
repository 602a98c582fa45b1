//! Lists the skills of the canon for people, for programs, and for agents that look for a suitable skill.
//! Pure.

pub mod entry;
pub mod lists;
pub mod matching;
pub mod requirements;
pub mod seal;
pub mod trigger_tests;

pub use entry::ManifestEntry;
pub use lists::{parse_manifest, render_index, render_manifest, render_xml, render_xml_within};
pub use matching::{SearchableSkill, has_answer, match_skills};
pub use requirements::{Requirement, parse_requirements};
