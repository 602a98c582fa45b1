//! What rules about a whole repository look at.

use crate::canon::skill::Skill;
use crate::finding::Place;
use crate::mirror::{Decision, Desired};
use crate::syntax::RepoPath;

/// What is known of a repository once its files are judged.
#[derive(Debug, Default)]
pub struct Facts {
    /// The canon's skills, those nested in others left out.
    pub skills: Vec<SkillCard>,
    /// The mirrors; `None` where only parts of the repository are judged.
    pub mirrors: Option<Mirrors>,
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
}

/// The mirrors as a sync would find them.
#[derive(Debug)]
pub struct Mirrors {
    /// What they should hold.
    pub desired: Desired,
    /// What a sync would do.
    pub decision: Decision,
    /// Whether there was a sync before.
    pub history: History,
}

/// Whether a repository was ever synced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum History {
    /// There is no lock.
    NeverSynced,
    /// There is one.
    Synced,
}

impl SkillCard {
    /// Of a skill.
    pub fn of(skill: &Skill) -> Self {
        let named = skill.source().zip(skill.text_field("name"));
        Self {
            folder: skill.folder.path.clone(),
            name: named.map(|(_, (name, _))| name.to_owned()),
            // Of a card that may live to the end of the run only the place is kept, not the text.
            place: named.map_or_else(
                || Place::file(skill.path()),
                |(source, (_, span))| Place { source: None, ..Place::at(source, span) },
            ),
        }
    }
}
