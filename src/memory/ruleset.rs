//! The sets of rules for a dream.

/// The two sets of rules a dream can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ruleset {
    /// canonry's own rules.
    #[default]
    Current,
    /// The rules of the script that this memory layout comes from, reproduced exactly (`--compat seed`).
    Seed,
}
