//! Generated input for the tests and benchmarks of several crates.

// As in tests, a wrong row of the generator ends the test.
#![allow(clippy::unwrap_used)]

pub mod episodes;
pub mod generated;
pub mod markdown;
pub mod random;
pub mod seed_oracle;

/// The number of cases of a property: `PROPTEST_CASES`, which the nightly run sets, or the default.
pub fn cases(default: u32) -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(default)
}
