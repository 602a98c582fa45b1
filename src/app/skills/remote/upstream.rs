//! What a source now has where a pinned skill was.

use crate::app::Error;
use crate::config::closest_match;
use crate::git::source_cache::{SourceCache, list_files, read_file, read_skill};
use crate::remote_skills::{FoundSkill, PinnedSkill, SkillChoice, SkillSource, SkillTree, choose, find_skills};
use crate::syntax::RepoPath;
use gix::ObjectId;

/// What a source has now.
#[derive(Clone, Debug)]
pub enum Upstream {
    /// What is pinned.
    Same,
    /// Another version, perhaps in another folder.
    New { source: SkillSource, tree: SkillTree },
    /// No skill with this folder or name. `similar` is probably its new name.
    Gone { similar: Option<FoundSkill> },
}

/// Looks for a skill in a commit.
///
/// # Errors
/// The cache cannot be read.
pub fn look(cache: &SourceCache<'_>, commit: ObjectId, name: &str, pin: &PinnedSkill) -> Result<Upstream, Error> {
    let repo = cache.repo();
    if let Some(tree) = skill_at(cache, commit, &pin.source.path)? {
        return Ok(match tree.content_id() == pin.content {
            true => Upstream::Same,
            false => Upstream::New { source: pin.source.clone(), tree },
        });
    }
    let entries = list_files(repo, commit)?;
    let document = |path: &RepoPath| read_file(repo, commit, path);
    let found = find_skills(&entries, &RepoPath::default(), pin.source.repository_name(), document);
    let named = choose(&found, &SkillChoice::Named(vec![name.to_owned()]), &RepoPath::default());
    if let Some(skill) = named.ok().and_then(|chosen| chosen.skills.into_iter().next())
        && let Some(tree) = skill_at(cache, commit, &skill.path)?
    {
        return Ok(Upstream::New { source: SkillSource { path: skill.path, ..pin.source.clone() }, tree });
    }
    Ok(Upstream::Gone { similar: similar(cache, commit, name, pin, &found)? })
}

/// The files of a folder that is a skill.
fn skill_at(cache: &SourceCache<'_>, commit: ObjectId, path: &RepoPath) -> Result<Option<SkillTree>, Error> {
    let tree = read_skill(cache.repo(), commit, path)?;
    Ok(tree.filter(|tree| tree.files.keys().any(|path| path == "SKILL.md")))
}

/// The skill with the same content in another folder, otherwise one with a similar name.
fn similar(
    cache: &SourceCache<'_>,
    commit: ObjectId,
    name: &str,
    pin: &PinnedSkill,
    found: &[FoundSkill],
) -> Result<Option<FoundSkill>, Error> {
    for skill in found {
        if skill_at(cache, commit, &skill.path)?.is_some_and(|tree| tree.content_id() == pin.content) {
            return Ok(Some(skill.clone()));
        }
    }
    let near = closest_match(name, found.iter().map(|skill| skill.name.as_str()));
    Ok(found.iter().find(|skill| Some(skill.name.as_str()) == near).cloned())
}
