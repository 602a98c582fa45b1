//! Files of the memory as they are before anyone wrote into them.
//!
//! `init` begins with them, and the dream puts the first two back once it has archived what stood there.

/// `memory/working/WORKSPACE.md` while nothing is in progress.
pub const WORKSPACE: &str = include_str!("templates/WORKSPACE.md");
/// `memory/working/ACTIVE_PLAN.md` while no plan is active.
pub const ACTIVE_PLAN: &str = include_str!("templates/ACTIVE_PLAN.md");
/// `memory/semantic/LESSONS.md` before the first lesson.
pub const LESSONS: &str = include_str!("templates/LESSONS.md");

#[cfg(test)]
mod tests {
    use super::*;

    /// The dream compares with these: a changed byte would make each untouched workspace look like someone's work.
    #[test]
    fn are_to_the_byte_what_was_agreed_on() {
        assert_eq!(WORKSPACE, "# Workspace\n\nNothing is in progress.\n");
        assert_eq!(ACTIVE_PLAN, "# Active plan\n\nNo plan is active.\n");
        assert_eq!(
            LESSONS,
            "# Lessons\n\nPromoted from episodes by `canonry dream`. Edit freely: what a person wrote stays.\n"
        );
    }
}
