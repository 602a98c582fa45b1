//! What rules about a whole repository look at.

use super::triggers;
use crate::canon::blob::Missing;
use crate::canon::skill::Skill;
use crate::canon::trouble::Trouble;
use crate::config::Target;
use crate::finding::Place;
use crate::mirror::{Decision, folded};
use crate::syntax::{RepoPath, Source, Span, yaml};
use std::sync::Arc;

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
    /// What is known of the canon as a whole; `None` where only some of its skills are judged.
    pub canon: Option<Canon>,
    /// The mirrors; `None` where only parts of the repository are judged.
    pub mirrors: Option<Mirrors>,
    /// Links in the place of a skill that lead to nothing, and why.
    pub dead_links: Vec<(RepoPath, Missing)>,
    /// Pipes, sockets and devices.
    pub odd: Vec<RepoPath>,
    /// Folders that could not be listed, and why.
    pub unreadable: Vec<(RepoPath, Trouble)>,
    /// Episodes that lessons name and that are nowhere, each with its id.
    pub lost_episodes: Vec<(Place, String)>,
}

/// Days without a change after which a skill counts as untouched.
pub const UNTOUCHED_DAYS: u32 = 60;

/// The canon as a whole.
#[derive(Clone, Debug)]
pub struct Canon {
    /// The folder of its skills.
    pub skills: RepoPath,
    /// The targets that are configured.
    pub targets: Vec<Target>,
    /// Where they are configured; the folder of the skills where they are not.
    pub targets_at: Place,
    /// Folders of skills that no commit has changed for [`UNTOUCHED_DAYS`]; empty where nobody asks.
    pub untouched: Vec<RepoPath>,
}

impl Canon {
    /// Of skills in a folder and what is configured; `config` is the text that does, where there is one.
    pub fn new(skills: RepoPath, targets: Vec<Target>, config: Option<&Arc<Source>>) -> Self {
        let at = config.and_then(|config| {
            let document = yaml::parse(config.text(), 0).ok()?;
            Some(Place::at(config, document.root.as_mapping()?.get("targets")?.key_span))
        });
        let targets_at = at.unwrap_or_else(|| Place::file(&skills));
        Self { skills, targets, targets_at, untouched: Vec::new() }
    }
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
    /// Its description, and where that stands.
    pub description: Option<(String, Place)>,
    /// The words that are to start it, and where they stand.
    pub triggers: Vec<(String, Place)>,
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
        let text = |key: &str| skill.source().zip(skill.text_field(key));
        let named = text("name");
        Self {
            folder: skill.folder.path.clone(),
            broken: skill.is_broken(),
            name: named.map(|(_, (name, _))| name.to_owned()),
            place: named.map_or_else(|| Place::file(skill.path()), |(source, (_, span))| spot(source, span)),
            description: text("description").map(|(source, (text, span))| (text.to_owned(), spot(source, span))),
            triggers: triggers::of(skill).into_iter().map(|(text, source, span)| (text, spot(source, span))).collect(),
        }
    }

    /// The name it gives itself, else its folder's.
    pub fn shown_name(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.folder.file_name_lossy())
    }

    /// Whether another skill has its name, so that it is told of anyway.
    pub fn is_namesake(&self, other: &Self) -> bool {
        folded(self.shown_name().as_bytes()) == folded(other.shown_name().as_bytes())
            || folded(self.folder.file_name()) == folded(other.folder.file_name())
    }
}

/// Of a card that may live to the end of the run only the place is kept, not the text.
fn spot(source: &Arc<Source>, span: Span) -> Place {
    Place { source: None, ..Place::at(source, span) }
}
