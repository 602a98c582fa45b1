//! What rules about a whole repository look at.

use crate::canon::blob::Missing;
use crate::canon::skill::Skill;
use crate::config::Target;
use crate::finding::Place;
use crate::mirror::Decision;
use crate::syntax::RepoPath;

/// What is configured, as far as it matters to a skill of the canon. Of a skill elsewhere nothing is.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// The targets it is mirrored to.
    pub targets: Vec<Target>,
}

/// What is known of a repository once its files are judged.
#[derive(Debug, Default)]
pub struct Facts {
    /// The canon's skills, those nested in others left out.
    pub skills: Vec<SkillCard>,
    /// The mirrors; `None` where only parts of the repository are judged.
    pub mirrors: Option<Mirrors>,
    /// Links in the place of a skill that lead to nothing, and why.
    pub dead_links: Vec<(RepoPath, Missing)>,
    /// Pipes, sockets and devices.
    pub odd: Vec<RepoPath>,
    /// Folders that could not be listed, and why.
    pub unreadable: Vec<(RepoPath, String)>,
}

/// What is kept of a skill.
#[derive(Clone, Debug)]
pub struct SkillCard {
    /// Its folder.
    pub folder: RepoPath,
    /// The name it gives itself.
    pub name: Option<String>,
    /// Where that name stands, or the document as a whole.
    pub place: Place,
    /// Whether no tool could read it.
    pub broken: bool,
}

/// The mirrors as a sync would find them.
#[derive(Debug)]
pub enum Mirrors {
    /// There is no lock, so nothing is drift.
    NeverSynced,
    /// There was a sync before; this is what the next one would do.
    Synced(Decision),
}

impl SkillCard {
    /// Of a skill.
    pub fn of(skill: &Skill) -> Self {
        let named = skill.source().zip(skill.text_field("name"));
        Self {
            folder: skill.folder.path.clone(),
            broken: skill.is_broken(),
            name: named.map(|(_, (name, _))| name.to_owned()),
            // Of a card that may live to the end of the run only the place is kept, not the text.
            place: named.map_or_else(
                || Place::file(skill.path()),
                |(source, (_, span))| Place { source: None, ..Place::at(source, span) },
            ),
        }
    }
}
