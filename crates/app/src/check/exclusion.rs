//! Decides which files a check leaves out, and why.

use crate::{Error, ErrorKind};
use canonry_model::canon::PathKind;
use canonry_model::canon::context_file::ContextKind;
use canonry_model::config::{Config, ExcludePatterns, PatternMatch, TOOLS, ToolRow};
use canonry_repo::view::View;
use canonry_text::RepoPath;

/// Folders that by convention hold copies, former versions, dependencies, build output or test data. No agent reads skills in
/// them, and a maintainer does not edit them.
const CONVENTIONAL_FOLDERS: [&str; 19] = [
    ".venv",
    "archive",
    "archived",
    "archives",
    "backup",
    "backups",
    "bower_components",
    "build",
    "dist",
    "fixture",
    "fixtures",
    "node_modules",
    "site-packages",
    "target",
    "test-data",
    "test_data",
    "testdata",
    "vendor",
    "venv",
];

/// Folders with the tests of a project. An agent that works there reads its context files, but skills and plugins in them are
/// samples, unless the folder is a category of a collection: `skills/test/e2e`.
const TEST_FOLDERS: [&str; 5] = ["eval", "evals", "evaluations", "test", "tests"];

/// Folders of a skill with material for its work: a skill in them is what an agent fills in or imitates.
const MATERIAL_FOLDERS: [&str; 5] = ["assets", "examples", "samples", "template", "templates"];

/// Folders whose children are skills, plugins, subagents and commands, or categories of them.
const COLLECTION_FOLDERS: [&str; 4] = ["agents", "commands", "plugins", "skills"];

/// Folders that tools read besides those of the table.
const OTHER_TOOL_FOLDERS: [&str; 1] = [".agent/skills"];

/// Whether a tool reads what is in a folder, such as `.claude/skills`, whatever its name. Other folders next to it may hold anything.
fn is_tool_folder(folder: &RepoPath) -> bool {
    let mut of_tools = TOOLS.iter().flat_map(ToolRow::folders).chain(OTHER_TOOL_FOLDERS);
    of_tools.any(|tail| {
        let above = folder.as_bstr().strip_suffix(tail.as_bytes());
        above.is_some_and(|above| above.is_empty() || above.ends_with(b"/"))
    })
}

/// Excluded files of a run: patterns of the command line, then those of the config, then the conventional folders.
#[derive(Clone, Debug, Default)]
pub(super) struct Exclusion {
    given: ExcludePatterns,
    configured: ExcludePatterns,
    is_conventional: bool,
    /// The paths that the user named, or the top.
    tops: Vec<RepoPath>,
    /// Folders below the top that have canons of their own and are checked with them.
    nested_canons: Vec<RepoPath>,
}

/// Way in which a file is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileArea {
    /// In the canon, where only patterns count: a skill may be called `build`.
    Canon,
    /// Anywhere else in the repository.
    Repository,
}

impl Exclusion {
    /// Combines the config with the patterns of the command line. With `includes_all`, only the latter count.
    ///
    /// # Errors
    /// A pattern is invalid.
    pub fn new(config: &Config, given: &[String], includes_all: bool) -> Result<Self, Error> {
        let given = ExcludePatterns::try_from(given.to_vec())
            .map_err(|error| Error::new(ErrorKind::Usage, format!("`--exclude`: {error}")))?;
        let configured = if includes_all { ExcludePatterns::default() } else { config.exclude.clone() };
        Ok(Self {
            given,
            configured,
            is_conventional: !includes_all,
            tops: vec![RepoPath::default()],
            nested_canons: Vec::new(),
        })
    }

    /// The same for one of several canons that are checked one by one. `folders` are those of canons in its folder.
    pub fn with_nested_canons(mut self, folders: Vec<RepoPath>) -> Self {
        self.nested_canons = folders;
        self
    }

    /// Whether folders with canons of their own are left to them.
    pub fn has_nested_canons(&self) -> bool {
        !self.nested_canons.is_empty()
    }

    /// Whether a path is in a folder with a canon of its own.
    pub fn is_in_nested_canon(&self, path: &RepoPath) -> bool {
        self.nested_canons.iter().any(|folder| path.is_within(folder))
    }

    /// The same for these named paths, which are always checked.
    pub fn with_tops(mut self, tops: Vec<RepoPath>) -> Self {
        self.tops = tops;
        self
    }

    /// Adds a folder that is checked because a file in it is named.
    pub fn add_top(&mut self, top: RepoPath) {
        self.tops.push(top);
    }

    /// Whether git-ignored files and conventional folders are checked too.
    pub fn includes_all(&self) -> bool {
        !self.is_conventional
    }

    /// The pattern or the name of the folder that excludes a file below `top`. For a skill, `path` is its document.
    pub fn reason(&self, view: &View, path: &RepoPath, top: &RepoPath, place: FileArea) -> Option<String> {
        match self.pattern(path, top) {
            PatternMatch::Excluded(pattern) => return Some(pattern.to_owned()),
            PatternMatch::Included => return None,
            PatternMatch::None => {}
        }
        if place == FileArea::Canon || !self.is_conventional {
            return None;
        }
        let is_skill = |folder: &RepoPath| view.kind(&folder.join("SKILL.md")) == PathKind::File;
        conventional_folder(path, top, is_skill)
    }

    /// Whether a pattern excludes the findings in a file.
    pub fn excludes_findings(&self, path: &RepoPath) -> bool {
        if self.given.is_empty() && self.configured.is_empty() {
            return false;
        }
        // A file is checked if it is checked for one of the named paths. Findings elsewhere concern the repository.
        let around: Vec<&RepoPath> = self.tops.iter().filter(|top| path.is_within(top)).collect();
        let top = RepoPath::default();
        let tops = if around.is_empty() { vec![&top] } else { around };
        tops.iter().all(|top| matches!(self.pattern(path, top), PatternMatch::Excluded(_)))
    }

    fn pattern(&self, path: &RepoPath, top: &RepoPath) -> PatternMatch<'_> {
        match self.given.find(path, top) {
            PatternMatch::None => self.configured.find(path, top),
            found => found,
        }
    }
}

/// The conventional folder between `top` and a path. A folder with a `SKILL.md` of its own is a skill, whatever its name.
fn conventional_folder(path: &RepoPath, top: &RepoPath, is_skill: impl Fn(&RepoPath) -> bool) -> Option<String> {
    let below = path.below(top)?;
    let is_context = ContextKind::from_path(path).is_some();
    let mut folder = top.clone();
    let mut in_collection = false;
    for part in RepoPath::new(below).components() {
        folder = folder.join(part);
        if is_tool_folder(&folder) {
            return None;
        }
        // `_fixtures`, `@archive`
        let name = part.to_string();
        let bare = name.trim_matches(['_', '@', '-']);
        let is_one_of = |names: &[&str]| names.iter().any(|known| bare.eq_ignore_ascii_case(known));
        // The skill at the top of a repository may be the index of a collection.
        let above = || std::iter::successors(folder.parent(), RepoPath::parent).filter(|above| !above.is_empty());
        let is_below_skill = || above().any(|above| is_skill(&above));
        let is_test = is_one_of(&TEST_FOLDERS) && (!in_collection || is_below_skill());
        let is_sample = !is_context && (is_test || is_one_of(&MATERIAL_FOLDERS) && is_below_skill());
        if (is_one_of(&CONVENTIONAL_FOLDERS) || is_sample) && !is_skill(&folder) {
            return Some(name);
        }
        in_collection |= is_one_of(&COLLECTION_FOLDERS);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conventional_folders_are_excluded_unless_they_are_named_or_used() {
        for (path, top, want) in [
            ("backups/2026/skills/pdf", "", Some("backups")),
            ("web/node_modules/tool/skills/pdf", "", Some("node_modules")),
            ("web/node_modules/tool/skills/pdf", "web", Some("node_modules")),
            ("fixtures/pdf", "", Some("fixtures")),
            ("lib/Fixtures/pdf", "", Some("Fixtures")),
            ("lib/_fixtures/skills/pdf", "", Some("_fixtures")),
            ("__fixtures__/skills/pdf", "", Some("__fixtures__")),
            ("@archive/skills/pdf", "", Some("@archive")),
            ("tests/cases/skills/pdf/SKILL.md", "", Some("tests")),
            ("src/__tests__/plugin/plugin.json", "", Some("__tests__")),
            ("evals/plugin/skills/pdf/SKILL.md", "", Some("evals")),
            // The samples of a skill, and the categories of a collection.
            ("skills/build/tests/bad/SKILL.md", "", Some("tests")),
            ("skills/build/templates/skill.md", "", Some("templates")),
            ("skills/templates/pdf/SKILL.md", "", None),
            ("templates/skills/pdf/SKILL.md", "", None),
            ("skills/test/e2e/SKILL.md", "", None),
            ("plugins/tests/skills/pdf/SKILL.md", "", None),
            ("agents/review/test/coverage.md", "", None),
            // What an agent reads there.
            ("tests/AGENTS.md", "", None),
            ("tests/.cursor/rules/style.mdc", "", None),
            ("unit-tests/skills/pdf", "", None),
            ("skills/pdf/archive/v1.0", "", Some("archive")),
            ("tests/fixtures/pdf", "tests/fixtures", None),
            ("tests/fixtures/pdf", "tests/fixtures/pdf", None),
            ("fixtures/a/dist/b", "fixtures/a", Some("dist")),
            ("skills/builder", "", None),
            // A skill of that name.
            ("skills/build", "", None),
            ("skills/build/pages/dist/pdf", "", Some("dist")),
            // What a tool reads.
            (".claude/skills/vendor/pdf", "", None),
            (".claude/commands/build/deploy.md", "", None),
            ("web/.cursor/rules/build/style.mdc", "", None),
            ("backups/.claude/skills/pdf", "", Some("backups")),
            (".cursor/scripts/tests/fixtures/style.mdc", "", Some("fixtures")),
            ("AGENTS.md", "", None),
        ] {
            let is_skill = |folder: &RepoPath| *folder == RepoPath::from("skills/build");
            let found = conventional_folder(&RepoPath::from(path), &RepoPath::from(top), is_skill);
            assert_eq!(found.as_deref(), want, "{path} below {top:?}");
        }
    }

    #[test]
    fn findings_of_named_paths_are_kept() {
        let config =
            Config { exclude: ExcludePatterns::try_from(vec!["old".to_owned()]).unwrap(), ..Config::default() };
        let exclusion = |tops: &[&str]| {
            let tops = tops.iter().map(|top| RepoPath::from(*top)).collect();
            Exclusion::new(&config, &["gone/*".to_owned()], false).unwrap().with_tops(tops)
        };
        for (tops, path, want) in [
            (&[""][..], "a/old/x.md", true),
            (&[""], "gone/x.md", true),
            (&[""], "a/x.md", false),
            (&["a/old"], "a/old/x.md", false),
            (&["a", "a/old"], "a/old/x.md", false),
            (&["b"], "a/old/x.md", true),
        ] {
            assert_eq!(exclusion(tops).excludes_findings(&RepoPath::from(path)), want, "{tops:?} {path}");
        }
        assert!(Exclusion::new(&config, &["../x".to_owned()], false).is_err());
        let all = Exclusion::new(&config, &["gone".to_owned()], true).unwrap();
        assert!(!all.excludes_findings(&RepoPath::from("old/x")) && all.excludes_findings(&RepoPath::from("gone/x")));
    }
}
