//! The scratch repository of `tour`, with the bundled example: three skills, two of them with a mistake.

use crate::commit::{self, CommitRequest, CommitSelection, GitHooks};
use crate::{Environment, Error, ErrorKind};
use gix::bstr::BString;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A correction of one line of the example.
pub struct Correction {
    /// The file.
    pub path: &'static str,
    /// The line with the mistake.
    pub wrong: &'static str,
    /// The corrected line.
    pub right: &'static str,
}

/// The correction that only a person can make: `check --fix` does not know which file a link should lead to.
pub const CORRECTION: Correction = Correction {
    path: "agent/skills/deploy-check/SKILL.md",
    wrong: "Go through [the checklist](references/list.md), and stop at the first failure.",
    right: "Go through [the checklist](references/checklist.md), and stop at the first failure.",
};

/// A line that the tour adds to a file.
pub struct AddedLine {
    /// The file.
    pub path: &'static str,
    /// The line.
    pub line: &'static str,
}

/// The edit of a mirror that the tour makes to show drift.
pub const MIRROR_EDIT: AddedLine =
    AddedLine { path: ".claude/skills/release-notes/SKILL.md", line: "4. Thank whoever reported a bug." };

/// The lessons of the example.
pub const LESSONS: &str = "agent/memory/semantic/LESSONS.md";

const LOG: &str = "agent/memory/episodic/AGENT_LEARNINGS.jsonl";
/// A few weeks of episodes; the last line is incomplete, as after a crash.
const LOG_TEXT: &str = include_str!("../tour/AGENT_LEARNINGS.jsonl");

/// A file of the example. `include_str!` does not keep the executable bit, so `is_executable` restores it.
struct ExampleFile {
    path: &'static str,
    text: &'static str,
    is_executable: bool,
}

macro_rules! example_file {
    ($path:literal, executable: $is_executable:literal) => {
        ExampleFile {
            path: concat!("agent/skills/", $path),
            text: include_str!(concat!("../tour/", $path)),
            is_executable: $is_executable,
        }
    };
}

const FILES: [ExampleFile; 6] = [
    example_file!("release-notes/SKILL.md", executable: false),
    example_file!("release-notes/references/format.md", executable: false),
    example_file!("release-notes/scripts/collect.sh", executable: true),
    example_file!("triage-bug/SKILL.md", executable: false),
    example_file!("deploy-check/SKILL.md", executable: false),
    example_file!("deploy-check/references/checklist.md", executable: false),
];

/// The plan of the example, who executes it, and a script that stands in for a coding agent.
const PLAN_FILES: [(&str, &str); 3] = [
    ("agent/plans/release/plan.yaml", include_str!("../tour/plan/plan.yaml")),
    ("agent/owners.yaml", include_str!("../tour/plan/owners.yaml")),
    ("agent/worker.sh", include_str!("../tour/plan/worker.sh")),
];

/// git's settings of the repository: an author, and overrides of user settings that would change the output.
const GIT_CONFIG: &str = "[user]\n\tname = Canonry Tour\n\temail = tour@example.com\n[core]\n\tautocrlf = false\n\texcludesFile = /dev/null\n[commit]\n\tgpgSign = false\n";

/// The scratch repository.
pub struct ScratchRepository {
    /// The top of the work tree, without links.
    pub top: PathBuf,
}

/// A summary of the last commit.
pub struct CommitSummary {
    /// The first ten digits of the id.
    pub id: String,
    /// The subject.
    pub subject: String,
    /// The number of files below `agent/`.
    pub canon_files: usize,
    /// The number of other files: the mirrors.
    pub mirror_files: usize,
    /// The directories of one skill by the first ten digits of their tree ids; the canon's comes first.
    pub skill_trees: BTreeMap<String, Vec<String>>,
}

impl ScratchRepository {
    /// Creates a repository with the example in the directory for temporary files. It is kept after the tour, for the user
    /// to explore.
    ///
    /// # Errors
    /// The file system refused, or the environment points git to another repository.
    pub fn create() -> Result<Self, Error> {
        let directory =
            tempfile::Builder::new().prefix("canonry-tour-").tempdir().map_err(failed("create a directory"))?;
        let top = fs::canonicalize(directory.path()).map_err(failed("create a directory"))?;
        let repo = gix::init(&top).map_err(failed("create a git repository"))?;
        append(&repo.git_dir().join("config"), GIT_CONFIG)?;
        let scratch = Self { top };
        scratch.require_own_git_directory()?;
        for file in &FILES {
            scratch.write(file.path, file.text)?;
            if file.is_executable {
                let executable = fs::Permissions::from_mode(0o755);
                fs::set_permissions(scratch.path(file.path), executable)
                    .map_err(failed("make the script executable"))?;
            }
        }
        let _ = directory.keep();
        Ok(scratch)
    }

    /// With `GIT_DIR` and similar variables, every command would work in the repository that they name.
    fn require_own_git_directory(&self) -> Result<(), Error> {
        let repo = canonry_repo::git::open::open(&self.top)?;
        let is_inside = |path: &Path| fs::canonicalize(path).is_ok_and(|path| path.starts_with(&self.top));
        let index = repo.index_path();
        let paths = [repo.workdir(), Some(repo.git_dir()), index.parent(), Some(repo.objects.store_ref().path())];
        if paths.iter().all(|path| path.is_some_and(is_inside)) {
            return Ok(());
        }
        let message = "the environment names another git repository, where the tour would write";
        Err(Error::new(ErrorKind::Unreadable, message).help("unset GIT_DIR and similar variables"))
    }

    fn path(&self, path: &str) -> PathBuf {
        self.top.join(path)
    }

    fn write(&self, path: &str, text: &str) -> Result<(), Error> {
        let path = self.path(path);
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).map_err(failed("unpack the example"))?;
        }
        fs::write(path, text).map_err(failed("unpack the example"))
    }

    /// Adds the memory log.
    ///
    /// # Errors
    /// The file system refused.
    pub fn add_log(&self) -> Result<(), Error> {
        self.write(LOG, LOG_TEXT)
    }

    /// Adds the plan and commits it.
    ///
    /// # Errors
    /// The file system or git refused.
    pub fn add_plan(&self, environment: &Environment) -> Result<(), Error> {
        for (path, text) in PLAN_FILES {
            self.write(path, text)?;
        }
        let paths = PLAN_FILES.map(|(path, _)| BString::from(path));
        let request = CommitRequest {
            selection: CommitSelection::Literal(&paths),
            message: "Plan the release notes",
            hooks: GitHooks::Off,
        };
        commit::run(environment, &request).map(|_| ())
    }

    /// Corrects a line.
    ///
    /// # Errors
    /// The file system refused.
    pub fn apply(&self, correction: &Correction) -> Result<(), Error> {
        let text = fs::read_to_string(self.path(correction.path)).map_err(failed("read the example"))?;
        self.write(correction.path, &text.replacen(correction.wrong, correction.right, 1))
    }

    /// Appends a line to a file.
    ///
    /// # Errors
    /// The file system refused.
    pub fn append(&self, added: &AddedLine) -> Result<(), Error> {
        append(&self.path(added.path), &format!("{}\n", added.line))
    }

    /// The last line of a file.
    ///
    /// # Errors
    /// The file system refused.
    pub fn last_line(&self, path: &str) -> Result<String, Error> {
        let text = fs::read_to_string(self.path(path)).map_err(failed("read the example"))?;
        Ok(text.lines().last().unwrap_or_default().to_owned())
    }

    /// Summarizes the last commit, with the trees of one skill.
    ///
    /// # Errors
    /// There is no commit, or it cannot be read.
    pub fn last_commit(&self, skill: &str) -> Result<CommitSummary, Error> {
        let repo = canonry_repo::git::open::open(&self.top)?;
        let commit = repo.head_commit().map_err(failed("read the commit"))?;
        let message = commit.message_raw().map_err(failed("read the commit"))?;
        let tree = commit.tree().map_err(failed("read the commit"))?;
        let entries = tree.traverse().breadthfirst.files().map_err(failed("read the commit"))?;
        let (files, directories): (Vec<_>, Vec<_>) = entries.into_iter().partition(|entry| !entry.mode.is_tree());
        let canon_files = files.iter().filter(|entry| entry.filepath.starts_with(b"agent/")).count();
        let suffix = format!("/skills/{skill}");
        let mut skill_trees: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for entry in directories.iter().filter(|entry| entry.filepath.ends_with(suffix.as_bytes())) {
            skill_trees.entry(entry.oid.to_hex_with_len(10).to_string()).or_default().push(entry.filepath.to_string());
        }
        skill_trees.values_mut().for_each(|paths| paths.sort_by_key(|path| !path.starts_with("agent/")));
        let subject = message.to_string().lines().next().unwrap_or_default().to_owned();
        let id = commit.id().to_hex_with_len(10).to_string();
        Ok(CommitSummary { id, subject, canon_files, mirror_files: files.len() - canon_files, skill_trees })
    }
}

fn append(path: &Path, text: &str) -> Result<(), Error> {
    let mut file = fs::OpenOptions::new().append(true).open(path).map_err(failed("write to the example"))?;
    file.write_all(text.as_bytes()).map_err(failed("write to the example"))
}

/// An error in a repository that was just created is a fault of the system or of canonry.
fn failed<E: Display>(action: &'static str) -> impl Fn(E) -> Error {
    move |error| Error::new(ErrorKind::Internal, format!("the tour could not {action}: {error}"))
}
