//! One canon for every coding agent: checks, mirrors and commits the skills, plans and policies a team keeps in git.

pub mod git;
