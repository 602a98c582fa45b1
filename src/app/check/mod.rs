//! `check`: what the rules find in a canon, or in single files.

pub mod citations;
pub mod evaluate;
pub mod mirrors;
pub mod overlays;
pub mod scope;
pub mod suppressions;
