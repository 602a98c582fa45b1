//! The sets of rules for a dream.

/// The two sets of rules a dream can follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Ruleset {
    // canonry's own rules.
    #[default]
    #[value(skip)]
    Current,
    /// The script that introduced this memory layout: literal keys, linear decay, lessons compared by text
    Seed,
}
