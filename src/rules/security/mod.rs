//! Hidden content, secrets and dangerous commands in skills.

mod commands;
mod instructions;

rule_table! {
    hidden_unicode,
    hidden_comment,
    secret,
    pipe_to_shell,
    encoded_payload,
    download_executable,
}
