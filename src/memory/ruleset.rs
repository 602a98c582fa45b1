//! The two sets of rules.

/// Whose rules are followed where the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Ruleset {
    /// Our own.
    #[default]
    Current,
    /// Those of the system that others run already, exactly (`--compat seed`).
    Seed,
}
