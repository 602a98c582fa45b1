//! git's merge driver for the memory files.

use super::{FileChange, InstallOutcome, InstallStep, IntegrationDetails, content_of_file, display_name, repository};
use crate::app::{Environment, Error, ErrorKind, Workspace};
use crate::apply::standalone_file::{self, Use};
use crate::git::config;
use crate::git::config::real;
use crate::install::merge_driver::{self, MergeDriver};
use crate::toolfiles::block::{self, BlockMarkers, MalformedBlock};
use crate::view::Basis;
use std::path::PathBuf;

/// A file that contains a block for the merge driver.
struct BlockFile {
    path: PathBuf,
    /// The path as a user writes it.
    name: String,
    /// The content of the block.
    block: String,
    before: Option<Vec<u8>>,
}

impl BlockFile {
    fn text(&self) -> Result<&str, Error> {
        std::str::from_utf8(self.before.as_deref().unwrap_or_default())
            .map_err(|_| self.refused("it is not UTF-8").help("save it as UTF-8, then run this again"))
    }

    fn refused(&self, reason: &str) -> Error {
        Error::new(ErrorKind::Refused, format!("{} is unchanged: {reason}", self.name))
    }

    fn malformed(&self, error: MalformedBlock) -> Error {
        self.refused(&error.to_string()).help("repair the block or remove its lines, then run this again")
    }

    fn change(&self, after: Option<String>) -> FileChange {
        FileChange { name: self.name.clone(), before: self.before.clone(), after: after.map(String::into_bytes) }
    }

    fn insert_block(&self) -> Result<FileChange, Error> {
        let text =
            block::insert(self.text()?, BlockMarkers::MergeDriver, &self.block).map_err(|e| self.malformed(e))?;
        Ok(self.change(Some(text)))
    }

    /// Removes the block, and the file if nothing else remains. A missing file stays missing.
    fn remove_block(&self) -> Result<FileChange, Error> {
        let text = block::remove(self.text()?, BlockMarkers::MergeDriver).map_err(|e| self.malformed(e))?;
        let is_unchanged = text.as_bytes() == self.before.as_deref().unwrap_or_default();
        if is_unchanged {
            return Ok(FileChange { name: self.name.clone(), before: self.before.clone(), after: self.before.clone() });
        }
        Ok(self.change((!text.is_empty()).then_some(text)))
    }
}

/// The three files with a block. The attributes of the clone take precedence over the committed ones: canonry merges where
/// the driver is installed, and git's union everywhere else.
fn block_files(environment: &Environment) -> Result<(gix::Repository, Vec<BlockFile>), Error> {
    let (repo, top) = repository(environment)?;
    let common = real(repo.common_dir())?;
    let workspace = Workspace::open(environment, &Basis::WorkTree)?;
    let attributes = |driver| merge_driver::attributes(&workspace.layout, workspace.view.base(), driver);
    let blocks = [
        (common.join("config"), merge_driver::config_section()),
        (common.join("info/attributes"), attributes(MergeDriver::Canonry)),
        (top.join(".gitattributes"), attributes(MergeDriver::Union)),
    ];
    let mut files = Vec::new();
    for (path, block) in blocks {
        let name = display_name(&path, &top);
        let before = content_of_file(&name, standalone_file::read_path(&path)?)?;
        files.push(BlockFile { path, name, block, before });
    }
    Ok((repo, files))
}

pub(super) fn install(environment: &Environment, dry_run: bool) -> Result<InstallOutcome, Error> {
    let (repo, files) = block_files(environment)?;
    // Compute every change before the first write, so that a refusal changes nothing.
    let changes = files.iter().map(BlockFile::insert_block).collect::<Result<Vec<_>, _>>()?;
    let _lock = config::hold(&repo)?;
    if !dry_run {
        files.iter().zip(&changes).try_for_each(|(file, change)| change.write(&file.path, Use::Text))?;
    }
    let steps = changes.into_iter().map(InstallStep::File).collect();
    Ok(InstallOutcome { steps, details: IntegrationDetails::MergeDriver, conflict: None })
}

pub(super) fn uninstall(environment: &Environment, dry_run: bool) -> Result<InstallOutcome, Error> {
    let (repo, files) = block_files(environment)?;
    let changes = files.iter().map(BlockFile::remove_block).collect::<Result<Vec<_>, _>>()?;
    let _lock = config::hold(&repo)?;
    let mut steps = Vec::new();
    // The attributes go first: without its driver, an attribute would make git merge line by line.
    for (file, change) in files.iter().zip(changes).rev().filter(|(_, change)| !change.is_unchanged()) {
        if !dry_run {
            change.write(&file.path, Use::Text)?;
        }
        steps.push(InstallStep::File(change));
    }
    Ok(InstallOutcome { steps, details: IntegrationDetails::MergeDriver, conflict: None })
}
