//! The content of a plugin: skills, what tools read besides them, the licence, and the manifests.

use super::settings::PackSettings;
use super::text_file::text_file;
use super::{skills, tool_files};
use crate::{Error, Workspace};
use canonry_exchange::pack::manifest::{self, Components, Generated, Metadata};
use canonry_exchange::pack::plan::{LICENCES, PackContent, PackFile};
use canonry_model::canon::FileMode;
use canonry_model::edit::EditContent;
use canonry_text::RepoPath;
use gix::hash::Kind;
use semver::Version;
use std::collections::BTreeMap;

/// Reads the canon. Returns the content, the names of the skills, and what is left out.
pub(super) fn load(
    workspace: &Workspace,
    settings: &PackSettings,
) -> Result<(PackContent, Vec<String>, Vec<String>), Error> {
    let mut files = BTreeMap::new();
    let mut notes = Vec::new();
    let names = skills::add(workspace, settings, &mut files, &mut notes)?;
    let mut components = Components { skills: !names.is_empty(), ..Components::default() };
    tool_files::add(workspace, settings, &mut files, &mut components, &mut notes)?;
    add_licence(workspace, settings, &mut files);
    Ok((PackContent { metadata: settings.metadata.clone(), components, files }, names, notes))
}

/// Every file of the plugin and its marketplaces.
pub(super) fn with_version(
    content: &PackContent,
    settings: &PackSettings,
    version: &Version,
    hash: Kind,
) -> BTreeMap<RepoPath, PackFile> {
    let mut files = content.files.clone();
    let manifests = manifest::manifests(&content.metadata, content.components, version);
    files.extend(manifests.into_iter().map(|file| generated(&settings.out, file, hash)));
    files.extend(marketplaces(&content.metadata, settings, hash));
    files
}

/// The files of the marketplaces.
pub(super) fn marketplaces(metadata: &Metadata, settings: &PackSettings, hash: Kind) -> BTreeMap<RepoPath, PackFile> {
    let plugin = settings.out.below(&settings.marketplace).map(RepoPath::new).unwrap_or_default();
    let files = manifest::marketplaces(metadata, &plugin);
    files.into_iter().map(|file| generated(&settings.marketplace, file, hash)).collect()
}

fn generated(folder: &RepoPath, (below, text): Generated, hash: Kind) -> (RepoPath, PackFile) {
    (folder.join(below), text_file(text, hash))
}

/// The licence of the repository, unless the plugin is in the same folder.
fn add_licence(workspace: &Workspace, settings: &PackSettings, files: &mut BTreeMap<RepoPath, PackFile>) {
    let mut probe = workspace.view.probe();
    for name in LICENCES {
        let path = RepoPath::from(name);
        let state = probe.state(&path).filter(|state| state.mode == FileMode::File);
        if let Some(state) = state.filter(|_| !settings.out.is_empty()) {
            files.insert(settings.out.join(name), PackFile { content: EditContent::CopyOf(path), state });
        }
    }
}
