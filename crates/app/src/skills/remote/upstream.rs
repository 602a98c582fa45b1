//! Current content of a source at the place of a pinned skill.

use crate::Error;
use canonry_exchange::remote_skills::{
    DiscoveredSkill, PinnedSkill, RemoteItem, SkillChoice, SkillSource, SkillTree, choose, find_shared_files,
    find_skills,
};
use canonry_repo::git::source_cache::{SourceCache, list_files, read_file, read_item};
use canonry_text::RepoPath;
use canonry_text::closest_match;
use gix::ObjectId;

/// Current content of a source.
#[derive(Clone, Debug)]
pub enum Upstream {
    /// The pinned content.
    Same,
    /// Another version, perhaps in another folder.
    New { source: SkillSource, tree: SkillTree },
    /// No skill with this folder or name. `similar` is probably its new name.
    Gone { similar: Option<DiscoveredSkill> },
}

/// Looks for a skill in a commit.
///
/// # Errors
/// The cache cannot be read.
pub fn look(
    cache: &SourceCache<'_>,
    commit: ObjectId,
    item: &RemoteItem,
    pin: &PinnedSkill,
) -> Result<Upstream, Error> {
    let repo = cache.repo();
    if let Some(tree) = item_at(cache, commit, item, &pin.source.path)? {
        return Ok(if item.content_id(&tree) == pin.content {
            Upstream::Same
        } else {
            Upstream::New { source: pin.source.clone(), tree }
        });
    }
    let entries = list_files(repo, commit)?;
    let name = match item {
        RemoteItem::Skill(name) => name,
        RemoteItem::File(below) => {
            // The canon of the source may have moved.
            let moved = find_shared_files(&entries, &RepoPath::default(), |path| read_file(repo, commit, path));
            let Some(file) = moved.into_iter().find(|file| file.below == *below) else {
                return Ok(Upstream::Gone { similar: None });
            };
            let tree = item_at(cache, commit, item, &file.path)?.unwrap_or_default();
            return Ok(Upstream::New { source: SkillSource { path: file.path, ..pin.source.clone() }, tree });
        }
    };
    let document = |path: &RepoPath| read_file(repo, commit, path);
    let found = find_skills(&entries, &RepoPath::default(), pin.source.repository_name(), document);
    let named = choose(&found, &SkillChoice::Named(vec![name.clone()]), &RepoPath::default());
    if let Some(skill) = named.ok().and_then(|chosen| chosen.skills.into_iter().next())
        && let Some(tree) = item_at(cache, commit, item, &skill.path)?
    {
        return Ok(Upstream::New { source: SkillSource { path: skill.path, ..pin.source.clone() }, tree });
    }
    Ok(Upstream::Gone { similar: similar(cache, commit, item, pin, &found)? })
}

/// A file, or the files of a folder that is a skill.
fn item_at(
    cache: &SourceCache<'_>,
    commit: ObjectId,
    item: &RemoteItem,
    path: &RepoPath,
) -> Result<Option<SkillTree>, Error> {
    let tree = read_item(cache.repo(), commit, item, path)?;
    Ok(tree.filter(|tree| item.is_file() || tree.files.keys().any(|path| path == "SKILL.md")))
}

/// The skill with the same content in another folder, otherwise one with a similar name.
fn similar(
    cache: &SourceCache<'_>,
    commit: ObjectId,
    item: &RemoteItem,
    pin: &PinnedSkill,
    found: &[DiscoveredSkill],
) -> Result<Option<DiscoveredSkill>, Error> {
    for skill in found {
        if item_at(cache, commit, item, &skill.path)?.is_some_and(|tree| item.content_id(&tree) == pin.content) {
            return Ok(Some(skill.clone()));
        }
    }
    let near = closest_match(&item.to_string(), found.iter().map(|skill| skill.name.as_str()));
    Ok(found.iter().find(|skill| Some(skill.name.as_str()) == near).cloned())
}
