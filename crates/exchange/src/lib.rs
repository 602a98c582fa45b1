//! Import from other tools, skills from elsewhere, and plugins.

pub mod import;
pub mod lock_document;
pub mod pack;
pub mod remote_skills;
