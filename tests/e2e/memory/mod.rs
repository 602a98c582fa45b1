//! `canonry memory` end to end: decisions about candidates, and what they change.
#![cfg(unix)]

mod bulk;
mod interactive;
mod messages;
mod place;
