//! Adds the switches of tool files to an existing config.

use crate::plan::edits::replace_text;
use crate::scaffold::NO_FILES;
use crate::{Error, Workspace};
use canonry_model::canon::Blob;
use canonry_model::edit::Edit;
use canonry_repo::view::load::DOCUMENT_LIMIT;

/// The change of an existing config.
#[derive(Default)]
pub struct ConfigChange {
    /// Replaces the line without switches, which a config of `init` has.
    pub edit: Option<Edit>,
    /// The lines to add by hand, if a person has written another `files:`.
    pub by_hand: Option<String>,
}

impl ConfigChange {
    /// Adds a section `files:`; nothing if it is empty.
    ///
    /// # Errors
    /// The config is below a link, or another process changed it.
    pub fn add_files(workspace: &Workspace, section: String) -> Result<Self, Error> {
        if section.is_empty() {
            return Ok(Self::default());
        }
        let path = workspace.layout.config();
        let Blob::Bytes(bytes) = workspace.view.read(&path, DOCUMENT_LIMIT) else {
            return Ok(Self { edit: None, by_hand: Some(section) });
        };
        let text = String::from_utf8_lossy(&bytes);
        let Some((before, after)) = text.split_once(&format!("\n{NO_FILES}")) else {
            return Ok(Self { edit: None, by_hand: Some(section) });
        };
        let edit = replace_text(workspace, &path, &text, format!("{before}\n{section}{after}"))?;
        Ok(Self { edit: Some(edit), by_hand: None })
    }
}
