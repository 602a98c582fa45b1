//! What rules about a whole repository look at.

use super::triggers;
use crate::canon::blob::BlobError;
use crate::canon::io_diagnosis::IoDiagnosis;
use crate::canon::skill::Skill;
use crate::config::{Config, Target};
use crate::finding::Location;
use crate::mirror::document::may_render_differently;
use crate::mirror::overlay::UnusedOverlay;
use crate::mirror::{SyncPlan, fold_name};
use crate::syntax::{RepoPath, Source, Span, yaml};
use std::sync::Arc;

/// What is configured, as far as it matters to a skill of the canon. Of a skill elsewhere nothing is.
#[derive(Clone, Debug, Default)]
pub struct Setting {
    /// The targets it is mirrored to.
    pub targets: Vec<Target>,
}

impl Setting {
    /// Of a skill's folder in the canon.
    pub fn of(config: &Config, folder: &RepoPath) -> Self {
        let name = folder.file_name_lossy();
        Self { targets: config.targets.iter().copied().filter(|target| config.admits(&name, *target)).collect() }
    }
}

/// What is known of a repository once its files are judged.
#[derive(Debug, Default)]
pub struct RepoContext {
    /// The canon's skills, those nested in others left out.
    pub skills: Vec<SkillSummary>,
    /// What is known of the canon as a whole; `None` where only some of its skills are judged.
    pub canon: Option<Canon>,
    /// The mirrors; `None` where only parts of the repository are judged.
    pub mirrors: Option<Mirrors>,
    /// Links in the place of a skill that lead to nothing, and why.
    pub dead_links: Vec<(RepoPath, BlobError)>,
    /// Pipes, sockets and devices.
    pub odd: Vec<RepoPath>,
    /// Folders that could not be listed, and why.
    pub unreadable: Vec<(RepoPath, IoDiagnosis)>,
    /// Overlays that do nothing, and why.
    pub unused_overlays: Vec<(RepoPath, UnusedOverlay)>,
    /// Files of overlays that cannot be used, and why.
    pub unusable_overlays: Vec<(RepoPath, String)>,
    /// Episodes that lessons name and that are nowhere, each with its id.
    pub lost_episodes: Vec<(Location, String)>,
    /// Lists of the skills that do not say what the skills do.
    pub stale_lists: Vec<StaleRegistry>,
}

/// A list of the skills that does not say what the skills do.
#[derive(Clone, Debug)]
pub struct StaleRegistry {
    /// Where it lies.
    pub path: RepoPath,
    /// What it says; `None` where only the other one is there.
    pub source: Option<Arc<Source>>,
    /// What it should say.
    pub wanted: String,
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
    pub targets_at: Location,
    /// All that is configured.
    pub config: Config,
    /// The names of links that stand for skills.
    pub linked: Vec<String>,
    /// Folders of skills that no commit has changed for [`UNTOUCHED_DAYS`]; empty where nobody asks.
    pub untouched: Vec<RepoPath>,
    /// The text that configures it, where the repository has one.
    pub source: Option<Arc<Source>>,
}

impl Canon {
    /// Of skills in a folder and what is configured; `source` is the text that does, where there is one.
    pub fn new(skills: RepoPath, config: Config, source: Option<Arc<Source>>) -> Self {
        let (targets, targets_at) = (config.targets.clone(), Location::file(&skills));
        let canon = Self { skills, targets, targets_at, config, linked: Vec::new(), untouched: Vec::new(), source };
        Self { targets_at: canon.configured_at(&["targets"]), ..canon }
    }

    /// Where a key is configured, named by the keys that lead to it; the folder of the skills where it is not.
    pub fn configured_at(&self, keys: &[&str]) -> Location {
        let at = self.source.as_ref().and_then(|source| {
            let document = yaml::parse(source.text(), 0).ok()?;
            let (last, above) = keys.split_last()?;
            let node = above.iter().try_fold(&document.root, |node, key| node.get(key))?;
            Some(Location::at(source, node.as_mapping()?.get(last)?.key_span))
        });
        at.unwrap_or_else(|| Location::file(&self.skills))
    }
}

/// What is kept of a skill.
#[derive(Clone, Debug)]
pub struct SkillSummary {
    /// Its folder.
    pub folder: RepoPath,
    /// The name it gives itself.
    pub name: Option<String>,
    /// Where that name stands, or the document as a whole.
    pub location: Location,
    /// Its description, and where that stands.
    pub description: Option<(String, Location)>,
    /// The words that are to start it, and where they stand.
    pub triggers: Vec<(String, Location)>,
    /// Whether no tool could read it.
    pub broken: bool,
    /// Whether a tool may have to get something else than its document.
    pub marked: bool,
}

/// The mirrors as a sync would find them.
#[derive(Debug)]
pub enum Mirrors {
    /// There is no lock, so nothing is drift.
    NeverSynced,
    /// There was a sync before; this is what the next one would do.
    Synced(SyncPlan),
}

impl SkillSummary {
    /// Of a skill.
    pub fn of(skill: &Skill) -> Self {
        let text = |key: &str| skill.source().zip(skill.text_field(key));
        let named = text("name");
        Self {
            folder: skill.folder.path.clone(),
            broken: skill.is_broken(),
            marked: skill.source().is_some_and(|source| may_render_differently(source.text().as_bytes())),
            name: named.map(|(_, (name, _))| name.to_owned()),
            location: named.map_or_else(|| Location::file(skill.path()), |(source, (_, span))| spot(source, span)),
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
        fold_name(self.shown_name().as_bytes()) == fold_name(other.shown_name().as_bytes())
            || fold_name(self.folder.file_name()) == fold_name(other.folder.file_name())
    }
}

/// Of a card that may live to the end of the run only the place is kept, not the text.
fn spot(source: &Arc<Source>, span: Span) -> Location {
    Location { source: None, ..Location::at(source, span) }
}
