//! Opening the canon of the current directory.

use canonry_app::{Environment, Error, Workspace};
use canonry_repo::view::Basis;

/// The work tree with its canon.
///
/// # Errors
/// There is no repository or no canon, or the config cannot be read.
pub fn open(env: &Environment) -> Result<Workspace, Error> {
    let workspace = Workspace::open(env, &Basis::WorkTree)?;
    workspace.require_canon()?;
    Ok(workspace)
}
