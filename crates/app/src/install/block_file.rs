//! A file in which canonry manages a block of lines.

use super::InstallFileChange;
use crate::{Error, ErrorKind};
use canonry_agents::block::{self, BlockMarkers, MalformedBlock};
use canonry_repo::apply::standalone_file::Use;
use std::path::PathBuf;

pub(super) struct BlockFile {
    pub path: PathBuf,
    /// The path as a user writes it.
    pub name: String,
    pub markers: BlockMarkers,
    pub before: Option<Vec<u8>>,
}

impl BlockFile {
    /// The change that puts lines into the block.
    ///
    /// # Errors
    /// The file is not UTF-8, or the markers of the block do not match.
    pub fn insert(&self, lines: &str) -> Result<InstallFileChange, Error> {
        let text = block::insert(self.text()?, self.markers, lines).map_err(|error| self.malformed(&error))?;
        Ok(self.change(Some(text.into_bytes())))
    }

    /// The change that removes the block, and the file if nothing else remains: it was created for the block. A missing
    /// file stays missing.
    ///
    /// # Errors
    /// See [`Self::insert`].
    pub fn remove(&self) -> Result<InstallFileChange, Error> {
        let text = block::remove(self.text()?, self.markers).map_err(|error| self.malformed(&error))?;
        let is_unchanged = text.as_bytes() == self.before.as_deref().unwrap_or_default();
        if is_unchanged {
            return Ok(self.change(self.before.clone()));
        }
        Ok(self.change((!text.is_empty()).then(|| text.into_bytes())))
    }

    /// Writes a change of this file.
    ///
    /// # Errors
    /// The file cannot be written, or changed meanwhile.
    pub fn write(&self, change: &InstallFileChange) -> Result<(), Error> {
        change.write(&self.path, Use::Text)
    }

    fn text(&self) -> Result<&str, Error> {
        std::str::from_utf8(self.before.as_deref().unwrap_or_default())
            .map_err(|_| self.refused("it is not UTF-8").help("save it as UTF-8, then run this again"))
    }

    fn refused(&self, reason: &str) -> Error {
        Error::new(ErrorKind::Refused, format!("{} is unchanged: {reason}", self.name))
    }

    fn malformed(&self, error: &MalformedBlock) -> Error {
        self.refused(&error.to_string()).help("repair the block or remove its lines, then run this again")
    }

    fn change(&self, after: Option<Vec<u8>>) -> InstallFileChange {
        InstallFileChange { name: self.name.clone(), before: self.before.clone(), after }
    }
}
