//! Hidden content, secrets and dangerous commands in skills.

mod commands;
mod installers;
mod instructions;
mod samples;

pub(in crate::rules) use instructions::find as find_instructions;
pub(in crate::rules) use samples::is_called_wrong;

use crate::finding::RawFinding;
use crate::syntax::Source;
use std::sync::Arc;

/// The hidden characters of a text that agents read.
pub(in crate::rules) fn find_hidden_characters(source: &Arc<Source>) -> Vec<RawFinding> {
    hidden_unicode::find_in(source)
}

rule_table! {
    hidden_unicode,
    zero_width_character,
    hidden_comment,
    secret,
    secret_in_sample,
    pipe_to_shell,
    installer_piped_to_shell,
    encoded_payload,
    download_executable,
}
