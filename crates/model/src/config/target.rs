//! The targets: tools, or groups of tools, with a mirror of their own.

use crate::tools::{SHARED_MIRROR, ToolRow};
use crate::tools::{TOOLS, tool_row};
use bstr::ByteSlice;
use canonry_text::RepoPath;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// A target: the id of a row with a mirror of its own, in canonry's table or in the config.
///
/// Sorted like the table, then by name. Two targets are equal if their names and mirrors are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target {
    /// The position in the table; [`CUSTOM`] for a row of the config.
    position: u8,
    name: &'static str,
    mirror: &'static str,
}

/// The position of every row of a config.
const CUSTOM: u8 = u8::MAX;
/// The number of rows with a mirror of their own.
const COUNT: usize = count();

impl Target {
    /// `.claude/skills`
    pub const CLAUDE: Self = Self::named("claude");
    /// `.gemini/skills`
    pub const GEMINI: Self = Self::named("gemini");
    /// `.cursor/skills`
    pub const CURSOR: Self = Self::named("cursor");
    /// `.codex/skills`
    pub const CODEX: Self = Self::named("codex");
    /// `.antigravity/skills`
    pub const ANTIGRAVITY: Self = Self::named("antigravity");
    /// `.opencode/skills`
    pub const OPENCODE: Self = Self::named("opencode");
    /// `.agents/skills`, which many tools read.
    pub const AGENTS: Self = Self::named("agents");

    /// Every target of the table.
    pub const ALL: [Self; COUNT] = all();
    /// The default targets of a repository.
    pub const DEFAULT: [Self; 5] = [Self::CLAUDE, Self::GEMINI, Self::CURSOR, Self::CODEX, Self::ANTIGRAVITY];

    /// Does not compile for a name that no row has, because the index leaves the table.
    const fn named(name: &str) -> Self {
        let mut at = 0;
        while !is_same(TOOLS[at].id, name) {
            at += 1;
        }
        Self { position: at as u8, name: TOOLS[at].id, mirror: TOOLS[at].skills.mirror }
    }

    /// A row of a config. The strings are interned: a process sees few different rows, and a target stays [`Copy`].
    pub fn custom(name: &str, mirror: &str) -> Self {
        Self { position: CUSTOM, name: intern(name), mirror: intern(mirror) }
    }

    /// The target of a tool in the table: its own, or `agents` if it reads `.agents/skills`.
    pub fn of_tool(id: &str) -> Option<Self> {
        let row = tool_row(id)?;
        let id = if row.is_through_agents() { Self::AGENTS.name } else { row.id };
        Self::ALL.into_iter().find(|target| target.name == id)
    }

    /// The name in the config.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Whether it is a row of the config.
    pub fn is_custom(self) -> bool {
        self.position == CUSTOM
    }

    /// The row of the table; `None` for a row of the config.
    pub fn row(self) -> Option<&'static ToolRow> {
        TOOLS.get(usize::from(self.position))
    }

    /// The name for people.
    pub fn title(self) -> &'static str {
        self.row().map_or(self.name, |row| row.name)
    }

    /// The folder of the mirror.
    pub fn skills_root(self) -> RepoPath {
        RepoPath::from(self.mirror)
    }

    /// The folder of the mirror as text.
    pub fn mirror(self) -> &'static str {
        self.mirror
    }

    /// The target of the table whose mirror contains `path`, or is `path`.
    pub fn holding(path: &RepoPath) -> Option<Self> {
        // Called for every line of a lock, so it does not allocate.
        Self::ALL.into_iter().find(|target| target.contains(path))
    }

    /// Whether the mirror contains `path`, or is `path`.
    pub fn contains(self, path: &RepoPath) -> bool {
        let rest = path.as_bstr().strip_prefix(self.mirror.as_bytes());
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    }

    /// The targets with a mirror at one of `mirrors`, and those of the table.
    pub fn with_all(more: impl IntoIterator<Item = Self>) -> BTreeSet<Self> {
        Self::ALL.into_iter().chain(more).collect()
    }

    /// The target with its mirror in another folder, as in the user's home.
    #[must_use]
    pub fn with_mirror(self, mirror: &str) -> Self {
        Self { mirror: intern(mirror), ..self }
    }
}

/// A name in a config. A name that the table does not have is a row of the config, whose mirror is filled in later.
impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        Ok(Self::of_tool(&name).unwrap_or_else(|| Self::custom(&name, "")))
    }
}

/// The longest path of a mirror in a config, in parts.
pub(super) const MIRROR_DEPTH: usize = 4;

/// Whether a mirror may contain `path`: one of the table, or a folder of the form `.NAME/skills` or `.NAME/FOLDER/skills`,
/// which all mirrors of a config have. So a lock alone tells its mirrors from other files, even after a row was removed
/// from the config.
///
/// Only for paths of a lock, or of files that a sync found: the canon's own folder may have the same form.
pub fn is_mirror_path(path: &RepoPath) -> bool {
    Target::holding(path).is_some() || root_depth(path).is_some()
}

/// The number of parts of the folder of the mirror that contains `path`.
fn root_depth(path: &RepoPath) -> Option<usize> {
    let mut parts = path.components();
    let tool = parts.next().filter(|tool| tool.starts_with(b"."))?;
    // Called for every line of a lock, so it does not allocate.
    let between = parts.by_ref().take(MIRROR_DEPTH - 1).position(|part| part == "skills")?;
    let is_list = parts.next().is_some_and(|name| name == "_index.md" || name == "_manifest.jsonl");
    // The tools of the table have other files in their folders.
    let is_known = || TOOLS.iter().any(|row| tool.to_str().is_ok_and(|tool| row.has_folder(tool)));
    (!is_list && (between == 0 || !is_known())).then_some(between + 2)
}

/// The folder of the mirror that contains `path`. See [`is_mirror_path`].
pub fn mirror_root(path: &RepoPath) -> Option<RepoPath> {
    let depth = root_depth(path).or_else(|| Target::holding(path).map(|_| 2))?;
    let mut parts = path.components().take(depth);
    let first = RepoPath::new(parts.next()?);
    Some(parts.fold(first, |above, part| above.join(part)))
}

/// A text of a config that lives as long as the process, in a list that only grows.
struct Interned {
    text: String,
    next: OnceLock<Box<Interned>>,
}

pub(super) fn intern(text: &str) -> &'static str {
    static FIRST: OnceLock<Box<Interned>> = OnceLock::new();
    let mut slot = &FIRST;
    loop {
        let interned = slot.get_or_init(|| Box::new(Interned { text: text.to_owned(), next: OnceLock::new() }));
        if interned.text == text {
            return &interned.text;
        }
        slot = &interned.next;
    }
}

const fn is_same(a: &str, b: &str) -> bool {
    let a = a.as_bytes();
    let b = b.as_bytes();
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

const fn has_own_mirror(row: &ToolRow) -> bool {
    !is_same(row.skills.mirror, SHARED_MIRROR) || is_same(row.id, "agents")
}

const fn count() -> usize {
    let mut at = 0;
    let mut count = 0;
    while at < TOOLS.len() {
        count += has_own_mirror(&TOOLS[at]) as usize;
        at += 1;
    }
    count
}

const fn all() -> [Target; COUNT] {
    let mut targets = [Target { position: 0, name: "", mirror: "" }; COUNT];
    let mut at = 0;
    let mut next = 0;
    while at < TOOLS.len() {
        if has_own_mirror(&TOOLS[at]) {
            targets[next] = Target::named(TOOLS[at].id);
            next += 1;
        }
        at += 1;
    }
    targets
}

#[cfg(test)]
#[path = "target_tests.rs"]
mod tests;
