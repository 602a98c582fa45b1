//! The canon as a plugin. Decides which files a plugin has, which version it gets, and what is written. Pure.

pub mod lock;
pub mod manifest;
pub mod plan;
pub mod servers;
pub mod version;
