//! `sync`: brings the mirrors and the managed parts of tool files in line with the canon.

pub mod plan;
pub mod state;
