//! Floor 3: what a canon begins with, as edits that only add. Pure.

mod files;

pub use files::ScaffoldPart;

use crate::canon::{FileMode, FileState, Layout};
use crate::config::Target;
use crate::edit::{Edit, EditContent};
use crate::syntax::RepoPath;
use files::{DEFAULT_TARGETS, FILES, SMALL_MAP, ScaffoldFile};
use gix::hash::Kind;

/// How much is put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ScaffoldSize {
    /// All of it.
    #[default]
    Full,
    /// What a team needs that only wants its skills mirrored.
    Minimal,
}

/// What stands where a file of the scaffold would go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathStatus {
    /// Nothing.
    Free,
    /// A file, whatever it holds.
    Taken,
    /// Something because of which no file can be put there.
    Blocked(RepoPath),
}

/// What is asked for, and what is known of the repository.
pub struct ScaffoldRequest<'a> {
    /// How much.
    pub extent: ScaffoldSize,
    /// Where the canon is.
    pub layout: &'a Layout,
    /// The kind of object ids.
    pub hash: Kind,
    /// Targets that the config shall name; `None` for the default ones.
    pub targets: Option<&'a [Target]>,
    /// What stands at a path.
    pub standing: &'a dyn Fn(&RepoPath) -> PathStatus,
    /// Whether the team has its own of a part, so that ours is left out.
    pub has_own: &'a dyn Fn(ScaffoldPart) -> bool,
}

/// What to add.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scaffold {
    /// New files. Each is written only where still nothing stands.
    pub edits: Vec<Edit>,
    /// Files that are there already and stay as they are.
    pub kept: Vec<RepoPath>,
    /// Files that cannot be put there, each with what is in the way.
    pub blocked: Vec<(RepoPath, RepoPath)>,
}

/// Decides what to add.
pub fn plan_scaffold(wish: &ScaffoldRequest<'_>) -> Scaffold {
    let mut scaffold = Scaffold::default();
    for file in FILES.iter().filter(|file| wish.extent.holds(file.part)) {
        let path = wish.layout.root().join(file.path);
        match (wish.standing)(&path) {
            PathStatus::Taken => scaffold.kept.push(path),
            _ if (wish.has_own)(file.part) => {}
            PathStatus::Blocked(by) => scaffold.blocked.push((path, by)),
            PathStatus::Free => scaffold.edits.extend(write(path, wish.text(file), wish.hash)),
        }
    }
    scaffold.edits.sort_by(|a, b| a.path().cmp(b.path()));
    scaffold.kept.sort();
    scaffold
}

/// Where the files of the scaffold go.
pub fn scaffold_paths(layout: &Layout) -> impl Iterator<Item = (RepoPath, ScaffoldPart)> + use<'_> {
    FILES.iter().map(|file| (layout.root().join(file.path), file.part))
}

impl ScaffoldSize {
    fn holds(self, part: ScaffoldPart) -> bool {
        self == Self::Full || matches!(part, ScaffoldPart::Map | ScaffoldPart::Config)
    }
}

impl ScaffoldRequest<'_> {
    fn text(&self, file: &ScaffoldFile) -> String {
        let text = match (file.part, self.extent, self.targets) {
            (ScaffoldPart::Map, ScaffoldSize::Minimal, _) => SMALL_MAP.to_owned(),
            (ScaffoldPart::Config, _, Some(targets)) => {
                let names: Vec<&str> = targets.iter().map(|target| target.name()).collect();
                file.text.replace(DEFAULT_TARGETS, &format!("targets: [{}]\n", names.join(", ")))
            }
            _ => file.text.to_owned(),
        };
        // The texts name files of the canon, which may lie elsewhere.
        match self.layout == &Layout::default() {
            true => text,
            false => text.replace("agent/", &format!("{}/", self.layout.root())),
        }
    }
}

/// `None` where git cannot name the content, which it can of any text.
fn write(path: RepoPath, text: String, hash: Kind) -> Option<Edit> {
    let bytes = text.into_bytes();
    let id = gix::objs::compute_hash(hash, gix::objs::Kind::Blob, &bytes).ok()?;
    Some(Edit::Write {
        path,
        content: EditContent::Bytes(bytes),
        was: None,
        now: FileState { id, mode: FileMode::File },
    })
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
