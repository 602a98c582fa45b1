//! The settings of a pack, with their defaults.

use crate::app::{Error, ErrorKind, Workspace};
use crate::config::{PackConfig, Target};
use crate::pack::manifest::Metadata;
use crate::syntax::RepoPath;
use semver::Version;
use std::path::Path;

/// The settings of a pack.
#[derive(Clone, Debug)]
pub(super) struct PackSettings {
    pub metadata: Metadata,
    /// The folder of the plugin.
    pub out: RepoPath,
    /// The folder of the marketplaces.
    pub marketplace: RepoPath,
    pub lowest: Option<Version>,
    pub skills: Option<Vec<String>>,
}

impl PackSettings {
    pub fn resolve(workspace: &Workspace, out: Option<&Path>) -> Result<Self, Error> {
        let config = &workspace.config.pack;
        let name = match &config.name {
            Some(name) => name.clone(),
            None => default_name(workspace)?,
        };
        let (out, marketplace) = folders(workspace, config, &name, out)?;
        let metadata = Metadata {
            name,
            description: config.description.clone(),
            author: config.author.clone(),
            license: config.license.clone(),
            homepage: config.homepage.clone(),
            repository: config.repository.clone(),
            keywords: config.keywords.clone(),
        };
        let lowest = config.version.as_ref().map(|version| version.0.clone());
        Ok(Self { metadata, out, marketplace, lowest, skills: config.skills.clone() })
    }
}

/// The name of the repository's folder, as far as a plugin can have it.
fn default_name(workspace: &Workspace) -> Result<String, Error> {
    let folder = workspace.top()?.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let words = folder.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name: String = words.collect::<Vec<_>>().join("-").chars().take(64).collect();
    let name = name.trim_end_matches('-').to_owned();
    if name.is_empty() {
        return Err(Error::new(ErrorKind::Unreadable, "the plugin has no name, and the folder's name has no letters")
            .help("set `pack: {name: …}` in agent/canonry.yaml"));
    }
    Ok(name)
}

fn folders(
    workspace: &Workspace,
    config: &PackConfig,
    name: &str,
    out: Option<&Path>,
) -> Result<(RepoPath, RepoPath), Error> {
    let plain = |text: &str| {
        let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        RepoPath::from(parts.join("/").as_str())
    };
    let folder = match (out, &config.out) {
        (Some(out), _) => workspace.inside(out)?,
        (None, Some(out)) => plain(out),
        (None, None) => RepoPath::from(format!("plugins/{name}").as_str()),
    };
    let refused = |message: String| Error::new(ErrorKind::Refused, message);
    if folder.is_within(workspace.layout.root()) || folder == *workspace.layout.root() {
        return Err(refused(format!("{folder} is in the canon, which the plugin is made from"))
            .help("choose a folder beside it, such as plugins/"));
    }
    if folder.components().any(|part| part.eq_ignore_ascii_case(b".git"))
        || Target::holding(&folder.join("x")).is_some()
    {
        return Err(refused(format!("{folder} belongs to git or to the mirrors")).help("choose another folder"));
    }
    // A folder that was named for one run also gets the marketplaces.
    let marketplace = match (&config.marketplace, out) {
        (Some(marketplace), None) => plain(marketplace),
        _ => folder.clone(),
    };
    let contains = marketplace.is_empty() || folder == marketplace || folder.is_within(&marketplace);
    match contains {
        true => Ok((folder, marketplace)),
        false => Err(refused(format!("the marketplaces in {marketplace} cannot name a plugin in {folder}")).help(
            "set `pack.marketplace` to the folder of the plugin or one above it; `.` is the top of the repository",
        )),
    }
}
