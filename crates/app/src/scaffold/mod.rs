//! Plans the files of a new canon. Existing files are never changed. Pure.

mod files;
pub mod switches;

pub use files::ScaffoldPart;

use canonry_model::canon::{FileMode, FileState, Layout};
use canonry_model::config::Target;
use canonry_model::config::modeline::{MODELINE, config_schema};
use canonry_model::edit::{Edit, EditContent};
use canonry_text::RepoPath;
use files::{DEFAULT_TARGETS, FILES, MINIMAL_AGENTS_MD, NO_FILES, ScaffoldFile};
use gix::hash::Kind;
use switches::{Switch, section};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ScaffoldSize {
    /// All files.
    #[default]
    Full,
    /// Only what a team needs to mirror its skills.
    Minimal,
}

/// State of the path of a scaffold file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStatus {
    Free,
    /// A file with any content.
    Taken,
    /// Something that prevents a file at this path.
    Blocked(RepoPath),
}

/// The requested scaffold and the state of the repository.
pub struct ScaffoldRequest<'a> {
    pub size: ScaffoldSize,
    pub layout: &'a Layout,
    pub hash: Kind,
    /// The targets in the config; `None` for the default.
    pub targets: Option<&'a [Target]>,
    /// The switches that the config turns on.
    pub switches: &'a [&'static Switch],
    /// Returns the status of a path.
    pub status: &'a dyn Fn(&RepoPath) -> PathStatus,
    /// Whether the config is elsewhere, so that only a document makes the folder a canon.
    pub needs_document: bool,
    /// Checks whether the team already has a file of this role, so that the scaffold omits it.
    pub has_own: &'a dyn Fn(ScaffoldPart) -> bool,
}

/// The planned files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scaffold {
    /// New files. Each is written only if its path is still free.
    pub edits: Vec<Edit>,
    /// Existing files, which stay unchanged.
    pub kept: Vec<RepoPath>,
    /// Files that cannot be created, each with the obstacle.
    pub blocked: Vec<(RepoPath, RepoPath)>,
}

/// Plans the scaffold.
pub fn plan_scaffold(request: &ScaffoldRequest<'_>) -> Scaffold {
    let mut scaffold = Scaffold::default();
    for file in FILES.iter().filter(|file| request.holds(file)) {
        let path = request.layout.root().join(file.path);
        match (request.status)(&path) {
            PathStatus::Taken => scaffold.kept.push(path),
            _ if (request.has_own)(file.part) => {}
            PathStatus::Blocked(by) => scaffold.blocked.push((path, by)),
            PathStatus::Free => scaffold.edits.push(write(path, request.text(file), file.mode, request.hash)),
        }
    }
    scaffold.edits.sort_by(|a, b| a.path().cmp(b.path()));
    scaffold.kept.sort();
    scaffold
}

/// Lists the paths of all scaffold files.
pub fn scaffold_paths(layout: &Layout) -> impl Iterator<Item = (RepoPath, ScaffoldPart)> + use<'_> {
    FILES.iter().map(|file| (layout.root().join(file.path), file.part))
}

impl ScaffoldSize {
    fn holds(self, part: ScaffoldPart) -> bool {
        self == Self::Full || matches!(part, ScaffoldPart::AgentsMd | ScaffoldPart::Config)
    }
}

impl ScaffoldRequest<'_> {
    fn holds(&self, file: &ScaffoldFile) -> bool {
        let is_log = || self.layout.root().join(file.path) == self.layout.log();
        self.size.holds(file.part) || self.needs_document && is_log()
    }

    fn text(&self, file: &ScaffoldFile) -> String {
        let text = match (file.part, self.size) {
            (ScaffoldPart::AgentsMd, ScaffoldSize::Minimal) => MINIMAL_AGENTS_MD.to_owned(),
            (ScaffoldPart::Config, _) => self.config(file.text),
            // Equal to what `canonry schema config` prints, so that a refresh changes nothing.
            (ScaffoldPart::ConfigSchema, _) => return file.text.to_owned(),
            _ => file.text.to_owned(),
        };
        // The texts mention canonical files, which may have another root. If the repository itself is the canon, the
        // folder to name is that of the skills.
        let folder =
            if self.layout.root().is_empty() { "`skills/`".to_owned() } else { format!("`{}/`", self.layout.root()) };
        text.replace("`agent/`", &folder).replace("agent/", &self.layout.folder_prefix())
    }
}

impl ScaffoldRequest<'_> {
    fn has_config_schema(&self) -> bool {
        let status = (self.status)(&config_schema(self.layout));
        self.size.holds(ScaffoldPart::ConfigSchema)
            && !matches!(status, PathStatus::Blocked(_))
            && !(self.has_own)(ScaffoldPart::ConfigSchema)
    }

    fn config(&self, template: &str) -> String {
        let mut text = template.to_owned();
        if !self.has_config_schema() {
            text = text.replace(MODELINE, "");
        }
        if let Some(targets) = self.targets {
            let names: Vec<&str> = targets.iter().map(|target| target.name()).collect();
            text = text.replace(DEFAULT_TARGETS, &format!("targets: [{}]\n", names.join(", ")));
        }
        if self.switches.is_empty() { text } else { text.replace(NO_FILES, &section(self.switches)) }
    }
}

fn write(path: RepoPath, text: String, mode: FileMode, hash: Kind) -> Edit {
    let bytes = text.into_bytes();
    let id = gix::objs::compute_hash(hash, gix::objs::Kind::Blob, &bytes).expect("no template attacks SHA-1");
    Edit::Write { path, content: EditContent::Bytes(bytes), was: None, now: FileState { id, mode } }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
