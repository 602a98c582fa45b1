//! `canonry schema`

use super::output::Out;
use super::status::Status;
use canonry_app::Error;
use canonry_app::schema::{SchemaKind, find};

/// Print the JSON schema of a kind of file
#[derive(Debug, clap::Args)]
#[command(
    after_help = "For editors with the YAML language server:\n\n    canonry schema plan > .vscode/plan.schema.json\n    # yaml-language-server: $schema=../../../.vscode/plan.schema.json"
)]
pub struct SchemaArgs {
    /// Name of the schema [default: list all]
    #[arg(value_name = "KIND")]
    kind: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// There is no such schema.
pub fn run(args: &SchemaArgs, out: &Out<'_>) -> Result<Status, Error> {
    match &args.kind {
        Some(name) => out.result(find(name)?.built_in_text()),
        None => SchemaKind::ALL.into_iter().for_each(|kind| out.result(&format!("{}\n", kind.name()))),
    }
    Ok(Status::Done)
}
