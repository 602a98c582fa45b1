//! `canonry memory` end to end: lessons become rules in the files that agents follow.
#![cfg(unix)]

mod place;
