//! git's merge driver for the memory files.

use super::block_file::BlockFile;
use super::{InstallOutcome, InstallStep, IntegrationDetails, content_of_file, display_name, repository};
use crate::install_text::merge_driver::{self, MergeDriver};
use crate::{Environment, Error, Workspace};
use canonry_agents::block::BlockMarkers;
use canonry_repo::apply::standalone_file;
use canonry_repo::git::config;
use canonry_repo::git::config::real;
use canonry_repo::view::Basis;

/// The three files with a block, and its lines. The attributes of the clone take precedence over the committed ones: canonry merges where
/// the driver is installed, and git's union everywhere else.
fn block_files(environment: &Environment) -> Result<(gix::Repository, Vec<(BlockFile, String)>), Error> {
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
        files.push((BlockFile { path, name, markers: BlockMarkers::MergeDriver, before }, block));
    }
    Ok((repo, files))
}

pub(super) fn install(environment: &Environment, dry_run: bool) -> Result<InstallOutcome, Error> {
    let (repo, files) = block_files(environment)?;
    // Compute every change before the first write, so that a refusal changes nothing.
    let changes = files.iter().map(|(file, lines)| file.insert(lines)).collect::<Result<Vec<_>, _>>()?;
    let _lock = config::hold(&repo)?;
    if !dry_run {
        files.iter().zip(&changes).try_for_each(|((file, _), change)| file.write(change))?;
    }
    let steps = changes.into_iter().map(InstallStep::File).collect();
    Ok(InstallOutcome { steps, details: IntegrationDetails::MergeDriver, conflict: None })
}

pub(super) fn uninstall(environment: &Environment, dry_run: bool) -> Result<InstallOutcome, Error> {
    let (repo, files) = block_files(environment)?;
    let changes = files.iter().map(|(file, _)| file.remove()).collect::<Result<Vec<_>, _>>()?;
    let _lock = config::hold(&repo)?;
    let mut steps = Vec::new();
    // The attributes go first: without its driver, an attribute would make git merge line by line.
    for ((file, _), change) in files.iter().zip(changes).rev().filter(|(_, change)| !change.is_unchanged()) {
        if !dry_run {
            file.write(&change)?;
        }
        steps.push(InstallStep::File(change));
    }
    Ok(InstallOutcome { steps, details: IntegrationDetails::MergeDriver, conflict: None })
}
