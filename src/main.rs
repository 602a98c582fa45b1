//! The `canonry` binary.

fn main() {}
