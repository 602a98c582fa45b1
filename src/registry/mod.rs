//! Floor 3: the canon's skills as a list: for people, for programs, and for an agent that looks for the one that fits. Pure.

pub mod entry;
pub mod lists;
pub mod matching;
pub mod requirements;
pub mod seal;

pub use entry::ManifestEntry;
pub use lists::{parse_manifest, render_index, render_manifest, render_xml};
pub use matching::{MatchScore, SkillMatch, match_skills};
pub use requirements::{Requirement, parse_requirements};
