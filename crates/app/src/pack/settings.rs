//! The settings of a pack, with their defaults.

use crate::{Error, ErrorKind, Workspace};
use canonry_exchange::pack::lock::PackLock;
use canonry_exchange::pack::manifest::Metadata;
use canonry_model::config::{PackConfig, Target};
use canonry_text::RepoPath;
use semver::Version;
use std::path::Path;

/// The settings of a pack.
#[derive(Clone, Debug)]
pub(super) struct PackSettings {
    pub metadata: Metadata,
    /// The folder of the plugin.
    pub out: RepoPath,
    /// The folder, if the user named it now or in an earlier run, and it is not the configured one.
    pub named_out: Option<RepoPath>,
    /// The folder of the marketplaces.
    pub marketplace: RepoPath,
    pub lowest: Option<Version>,
    pub skills: Option<Vec<String>>,
}

impl PackSettings {
    /// `lock` is the last pack: its name stays, and so does a folder that the user named.
    pub fn resolve(workspace: &Workspace, out: Option<&Path>, lock: Option<&PackLock>) -> Result<Self, Error> {
        let config = &workspace.config.pack;
        let packed = || lock.and_then(|lock| plugin_name(lock.name.as_deref()?));
        let name = match config.name.clone().or_else(packed) {
            Some(name) => name,
            None => default_name(workspace)?,
        };
        let named = match out {
            Some(out) => Some(workspace.inside(out)?),
            None => lock.and_then(|lock| lock.out.clone()),
        };
        let (out, marketplace, named_out) = folders(workspace, config, &name, named)?;
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
        Ok(Self { metadata, out, named_out, marketplace, lowest, skills: config.skills.clone() })
    }
}

/// The name of the repository: that of its remote, which all clones share, otherwise that of the folder of the main work tree.
fn default_name(workspace: &Workspace) -> Result<String, Error> {
    let repo = workspace.repo()?;
    let url = repo.config_snapshot().string("remote.origin.url").map(|url| url.to_string());
    let remote = url.as_deref().and_then(repository_name);
    let common = std::fs::canonicalize(repo.common_dir()).ok();
    let main = common.filter(|folder| folder.ends_with(".git")).and_then(|folder| folder.parent().map(Path::to_owned));
    let folder = || main.or_else(|| workspace.top().ok());
    let folder = || folder()?.file_name().and_then(|name| plugin_name(&name.to_string_lossy()));
    remote.or_else(folder).ok_or_else(|| {
        Error::new(ErrorKind::Unreadable, "the plugin has no name, and the repository's name has no letters")
            .help("set `pack: {name: …}` in agent/canonry.yaml")
    })
}

/// The name of a repository in its address.
fn repository_name(url: &str) -> Option<String> {
    let url = url.trim_end_matches('/');
    let name = url.rsplit(['/', ':', '\\']).next()?;
    plugin_name(name.strip_suffix(".git").unwrap_or(name))
}

/// A text, as far as a plugin can be named so.
fn plugin_name(text: &str) -> Option<String> {
    let text = text.to_lowercase();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name: String = words.collect::<Vec<_>>().join("-").chars().take(64).collect();
    Some(name.trim_end_matches('-').to_owned()).filter(|name| !name.is_empty())
}

/// The folder of the plugin, that of the marketplaces, and the first if it is `named` and not the configured one.
fn folders(
    workspace: &Workspace,
    config: &PackConfig,
    name: &str,
    named: Option<RepoPath>,
) -> Result<(RepoPath, RepoPath, Option<RepoPath>), Error> {
    let plain = |text: &str| {
        let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
        RepoPath::from(parts.join("/").as_str())
    };
    let configured = match &config.out {
        Some(out) => plain(out),
        None => RepoPath::from(format!("plugins/{name}").as_str()),
    };
    let named = named.filter(|named| *named != configured);
    let folder = named.clone().unwrap_or(configured);
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
    // A folder that the user named also gets the marketplaces.
    let marketplace = match (&config.marketplace, &named) {
        (Some(marketplace), None) => plain(marketplace),
        _ => folder.clone(),
    };
    let contains = marketplace.is_empty() || folder == marketplace || folder.is_within(&marketplace);
    if contains {
        Ok((folder, marketplace, named))
    } else {
        Err(refused(format!("the marketplaces in {marketplace} cannot name a plugin in {folder}")).help(
            "set `pack.marketplace` to the folder of the plugin or one above it; `.` is the top of the repository",
        ))
    }
}
