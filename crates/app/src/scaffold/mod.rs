//! Plans the files of a new canon. Existing files are never changed. Pure.

mod files;
pub mod switches;

pub use files::{NO_FILES, ScaffoldRole};

use canonry_model::canon::Layout;
use canonry_model::config::Target;
use canonry_model::config::modeline::MODELINE;
use canonry_model::config::switches::Switch;
use canonry_model::edit::Edit;
use canonry_text::RepoPath;
use files::{DEFAULT_TARGETS, FILES, ScaffoldFile};
use gix::hash::Kind;
use std::collections::BTreeSet;
use switches::section;

/// A part of a new canon that a team chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CanonPart {
    /// The config, and the skills that tools already have. Always written.
    Skills,
    /// The root instructions.
    Instructions,
    /// Seven skills from a request to a report, with their policies and schemas.
    Workflow,
    /// Permissions, and the hooks that enforce them.
    Hooks,
    /// The log of episodes, lessons, and the skills that keep them.
    Memory,
}

impl CanonPart {
    pub const ALL: [Self; 5] = [Self::Skills, Self::Instructions, Self::Workflow, Self::Hooks, Self::Memory];

    /// The name in `--with`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Skills => "skills",
            Self::Instructions => "instructions",
            Self::Workflow => "workflow",
            Self::Hooks => "hooks",
            Self::Memory => "memory",
        }
    }

    /// The part with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|part| part.name() == name)
    }
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
    pub parts: &'a [CanonPart],
    pub layout: &'a Layout,
    pub hash: Kind,
    /// The targets in the config; `None` for the default.
    pub targets: Option<&'a [Target]>,
    /// The switches that the config turns on.
    pub switches: &'a [Switch],
    /// Whether git ignores mirrors, so that each clone makes its own.
    pub git_ignores_mirrors: bool,
    /// Returns the status of a path.
    pub status: &'a dyn Fn(&RepoPath) -> PathStatus,
    /// Whether the config is elsewhere, so that only a document makes the folder a canon.
    pub needs_document: bool,
    /// Checks whether the team already has a file of this role, so that the scaffold omits it.
    pub has_own: &'a dyn Fn(ScaffoldRole) -> bool,
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

impl Scaffold {
    /// The new files of a part.
    pub fn paths_of<'a>(&'a self, part: CanonPart, layout: &'a Layout) -> impl Iterator<Item = &'a RepoPath> {
        let of_part = FILES.iter().filter(|file| file.part == part);
        let paths: BTreeSet<RepoPath> = of_part.map(|file| layout.root().join(file.path)).collect();
        self.edits.iter().map(Edit::path).filter(move |path| paths.contains(*path))
    }
}

/// Plans the scaffold.
pub fn plan_scaffold(request: &ScaffoldRequest<'_>) -> Scaffold {
    let mut scaffold = Scaffold::default();
    for file in FILES.iter().filter(|file| request.holds(file)) {
        let path = request.layout.root().join(file.path);
        match (request.status)(&path) {
            PathStatus::Taken => scaffold.kept.push(path),
            _ if (request.has_own)(file.role) => {}
            PathStatus::Blocked(by) => scaffold.blocked.push((path, by)),
            PathStatus::Free => {
                let bytes = request.text(file).into_bytes();
                scaffold.edits.push(Edit::write(path, bytes, None, file.mode, request.hash));
            }
        }
    }
    scaffold.edits.sort_by(|a, b| a.path().cmp(b.path()));
    scaffold.kept.sort();
    scaffold
}

/// Lists the paths of all scaffold files.
pub fn scaffold_paths(layout: &Layout) -> impl Iterator<Item = (RepoPath, ScaffoldRole)> + use<'_> {
    FILES.iter().map(|file| (layout.root().join(file.path), file.role))
}

impl ScaffoldRequest<'_> {
    fn holds(&self, file: &ScaffoldFile) -> bool {
        let is_log = || self.layout.root().join(file.path) == self.layout.log();
        self.parts.contains(&file.part) || self.needs_document && is_log()
    }

    fn text(&self, file: &ScaffoldFile) -> String {
        let text = match file.role {
            ScaffoldRole::AgentsMd => self.instructions(file.text),
            ScaffoldRole::Config => self.config(file.text),
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
    /// The lines of the template for the chosen parts: a line that begins with `[workflow hooks]` is for either of these.
    fn instructions(&self, template: &str) -> String {
        let is_chosen = |names: &str| names.split(' ').filter_map(CanonPart::of_name).any(|p| self.parts.contains(&p));
        let line = |line| match str::strip_prefix(line, '[').and_then(|rest| rest.split_once(']')) {
            Some((names, rest)) => is_chosen(names).then_some(rest),
            None => Some(line),
        };
        template.split_inclusive('\n').filter_map(line).collect()
    }

    fn config(&self, template: &str) -> String {
        let mut text = format!("{MODELINE}{template}");
        if let Some(targets) = self.targets {
            let names: Vec<&str> = targets.iter().map(|target| target.name()).collect();
            text = text.replace(DEFAULT_TARGETS, &format!("targets: [{}]\n", names.join(", ")));
        }
        if self.switches.is_empty() && !self.git_ignores_mirrors {
            return text;
        }
        let mut files = section(self.switches);
        if self.git_ignores_mirrors {
            files.push_str("  git:\n    ignore: true        # git ignores mirrors, so each clone makes its own with `canonry sync`\n");
        }
        text.replace(NO_FILES, &files)
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
