//! Floor 3: what the tools read besides skills, each made from one file of the canon. Pure.

pub mod block;
pub mod json;
