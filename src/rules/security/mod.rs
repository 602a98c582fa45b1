//! What a person who reads a skill cannot see, and an agent does.

mod commands;
mod download_executable;
mod encoded_payload;
mod hidden_comment;
mod hidden_unicode;
mod instructions;
mod pipe_to_shell;
mod redact;
mod secret;
mod tokens;

use super::Rule;
pub use redact::redact;

/// The family's table.
pub static RULES: &[&Rule] = &[
    &hidden_unicode::RULE,
    &hidden_comment::RULE,
    &secret::RULE,
    &pipe_to_shell::RULE,
    &encoded_payload::RULE,
    &download_executable::RULE,
];
