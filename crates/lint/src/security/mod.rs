//! Hidden content, secrets and dangerous commands in every file that an agent reads.

use crate::{Finding, Rule};
mod downloaded_file;
mod instructions;
mod published_installers;
mod shell_text;

pub(crate) use instructions::find as find_instructions;

use canonry_text::Source;
use std::sync::Arc;

/// The hidden characters of a text that agents read.
pub(crate) fn find_hidden_characters(rule: &'static Rule, source: &Arc<Source>) -> Vec<Finding> {
    hidden_unicode::find_in(rule, source)
}

rule_table! {
    hidden_unicode,
    hidden_comment,
    secret,
    pipe_to_shell,
    encoded_payload,
}
