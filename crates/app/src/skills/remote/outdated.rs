//! `skills outdated`: which skills have another version at their source.

use super::pins::{load_lock, select};
use super::source::{LatestCommits, open_cache};
use super::unfetched::unfetched;
use super::upstream::{Upstream, look};
use crate::{Error, ErrorKind, Progress, Workspace};
use canonry_exchange::remote_skills::{DiscoveredSkill, PinnedSkill, RemoteItem};
use canonry_repo::git::source_cache::SourceCache;
use canonry_text::RepoPath;
use gix::ObjectId;
use std::collections::BTreeMap;

/// The skills by name, with what their sources have.
#[derive(Clone, Debug, Default)]
pub struct OutdatedSkills {
    pub skills: BTreeMap<RemoteItem, (PinnedSkill, Freshness)>,
    /// Sources in `extends` that the canon has nothing from yet.
    pub unfetched: Vec<String>,
}

/// State of a pinned skill compared with its source.
#[derive(Clone, Debug)]
pub enum Freshness {
    Current,
    /// The source has another version.
    Outdated {
        commit: ObjectId,
        /// The files that differ, relative to the skill's folder; `None` if the pinned version is not in the cache.
        changed: Option<Vec<RepoPath>>,
        /// Its new folder, if it moved.
        moved_to: Option<RepoPath>,
    },
    /// The source has no such skill any more.
    Gone {
        similar: Option<DiscoveredSkill>,
    },
    /// The source did not answer.
    Unknown(Error),
}

/// Asks each source of the named skills, or of all, once. Changes nothing but the cache.
///
/// # Errors
/// The lock cannot be read, a name is not in it, or the run was interrupted.
pub fn run(workspace: &Workspace, names: &[String], progress: &dyn Progress) -> Result<OutdatedSkills, Error> {
    let lock = load_lock(workspace)?;
    let selected = select(workspace, &lock, names)?;
    let unfetched = if names.is_empty() { unfetched(workspace) } else { Vec::new() };
    let mut outcome = OutdatedSkills { unfetched, ..OutdatedSkills::default() };
    progress.start("skills", selected.len());
    for (url, pins) in by_url(&selected) {
        let mut latest = LatestCommits::default();
        let cache = open_cache(workspace, url);
        for (item, pin) in pins {
            progress.advance(1);
            let fresh = match &cache {
                Ok(cache) => freshness(cache, &mut latest, item, pin),
                Err(error) => Err(error.clone()),
            };
            let fresh = match fresh {
                Err(error) if error.kind == ErrorKind::Interrupted => return Err(error),
                Err(error) => Freshness::Unknown(error),
                Ok(fresh) => fresh,
            };
            outcome.skills.insert(item.clone(), (pin.clone(), fresh));
        }
    }
    progress.finish();
    Ok(outcome)
}

/// The skills of each address.
pub fn by_url(pins: &BTreeMap<RemoteItem, PinnedSkill>) -> BTreeMap<&str, Vec<(&RemoteItem, &PinnedSkill)>> {
    let mut by_url: BTreeMap<&str, Vec<(&RemoteItem, &PinnedSkill)>> = BTreeMap::new();
    pins.iter().for_each(|(item, pin)| by_url.entry(pin.source.url.as_str()).or_default().push((item, pin)));
    by_url
}

fn freshness(
    cache: &SourceCache<'_>,
    latest: &mut LatestCommits,
    item: &RemoteItem,
    pin: &PinnedSkill,
) -> Result<Freshness, Error> {
    let commit = latest.fetch(cache, pin.source.reference.as_deref())?;
    Ok(match look(cache, commit, item, pin)? {
        Upstream::Same => Freshness::Current,
        Upstream::Gone { similar } => Freshness::Gone { similar },
        Upstream::New { source, tree } => {
            let pinned = super::pinned::cached_tree(cache, item, pin);
            Freshness::Outdated {
                commit,
                changed: pinned.map(|pinned| pinned.changed_paths(&tree)),
                moved_to: (source.path != pin.source.path).then_some(source.path),
            }
        }
    })
}
