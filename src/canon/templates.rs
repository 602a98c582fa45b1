//! The texts that files of the memory begin with.

/// `working/WORKSPACE.md` with nothing in it; a stale one is reset to this.
pub const WORKSPACE: &str = include_str!("templates/WORKSPACE.md");
/// `working/ACTIVE_PLAN.md` with nothing in it; a stale one is reset to this.
pub const ACTIVE_PLAN: &str = include_str!("templates/ACTIVE_PLAN.md");
/// `semantic/LESSONS.md` before the first lesson.
pub const LESSONS: &str = include_str!("templates/LESSONS.md");
