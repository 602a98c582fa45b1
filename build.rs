//! Links debug builds of the binary at a fixed address. The tests start the program thousands of times, and the 200,000
//! relocations of a position-independent debug build take a third of a short run. Release builds are unaffected.

// Cargo reads instructions from stdout.
#![allow(clippy::print_stdout)]

use std::env::var;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| var(name).is_ok_and(|found| found == value);
    let is_known = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if is("PROFILE", "debug") && is_known && is("CARGO_CFG_TARGET_ARCH", "x86_64") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
