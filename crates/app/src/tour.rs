//! The scratch repositories of `tour`: a project with the bundled example, and a repository of a team with one skill.

use crate::commit::{self, CommitRequest, CommitSelection, GitHooks};
use crate::skills::remote::source::file_url;
use crate::{Environment, Error, ErrorKind};
use gix::bstr::BString;
use std::fmt::Display;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// A line that the tour adds to a file.
pub struct AddedLine {
    /// The file.
    pub path: &'static str,
    /// The line.
    pub line: &'static str,
}

/// The edit of a mirror that the tour makes to show drift.
pub const MIRROR_EDIT: AddedLine = AddedLine { path: ".claude/skills/deploy/SKILL.md", line: "4. Tell the team." };

/// A file of the example. `include_str!` does not keep the executable bit, so `is_executable` restores it.
struct ExampleFile {
    path: &'static str,
    text: &'static str,
    is_executable: bool,
}

impl ExampleFile {
    const fn text(path: &'static str, text: &'static str) -> Self {
        Self { path, text, is_executable: false }
    }

    const fn script(path: &'static str, text: &'static str) -> Self {
        Self { path, text, is_executable: true }
    }
}

/// The canon of the project: two targets, and a skill with a mistake.
const CANON: [ExampleFile; 2] = [
    ExampleFile::text("agent/canonry.yaml", "targets: [claude, agents]\n"),
    ExampleFile::text("agent/skills/deploy/SKILL.md", include_str!("../tour/deploy/SKILL.md")),
];

/// The skill of the team.
const TEAM_SKILL: [ExampleFile; 2] = [
    ExampleFile::text("skills/release-notes/SKILL.md", include_str!("../tour/release-notes/SKILL.md")),
    ExampleFile::script(
        "skills/release-notes/scripts/collect.sh",
        include_str!("../tour/release-notes/scripts/collect.sh"),
    ),
];

/// The episodes of three days.
const LOG: [ExampleFile; 1] =
    [ExampleFile::text("agent/memory/episodic/AGENT_LEARNINGS.jsonl", include_str!("../tour/AGENT_LEARNINGS.jsonl"))];

/// The plan of the example, who executes it, and a script that stands in for a coding agent.
const PLAN: [ExampleFile; 3] = [
    ExampleFile::text("agent/plans/release/plan.yaml", include_str!("../tour/plan/plan.yaml")),
    ExampleFile::text("agent/owners.yaml", include_str!("../tour/plan/owners.yaml")),
    ExampleFile::text("agent/worker.sh", include_str!("../tour/plan/worker.sh")),
];

/// git's settings of a scratch repository: an author, and overrides of user settings that would change the output.
const GIT_CONFIG: &str = "[user]\n\tname = Canonry Tour\n\temail = tour@example.com\n[core]\n\tautocrlf = false\n\texcludesFile = /dev/null\n[commit]\n\tgpgSign = false\n";

/// The scratch repositories.
pub struct ScratchRepositories {
    /// The work tree of the project, without links.
    pub project: PathBuf,
    team: PathBuf,
}

impl ScratchRepositories {
    /// Creates both repositories in the directory for temporary files. They are kept after the tour, for the user to
    /// explore.
    ///
    /// # Errors
    /// The file system or git refused, or the environment points git to another repository.
    pub fn create(environment: &Environment) -> Result<Self, Error> {
        let directory =
            tempfile::Builder::new().prefix("canonry-tour-").tempdir().map_err(failed("create a directory"))?;
        let top = fs::canonicalize(directory.path()).map_err(failed("create a directory"))?;
        let scratch = Self { project: top.join("project"), team: top.join("team") };
        for repository in [&scratch.project, &scratch.team] {
            let repo = gix::init(repository).map_err(failed("create a git repository"))?;
            append(&repo.git_dir().join("config"), GIT_CONFIG)?;
            require_own_git_directory(repository)?;
        }
        write(&scratch.project, &CANON)?;
        write(&scratch.team, &TEAM_SKILL)?;
        commit(environment, &scratch.team, &TEAM_SKILL, "Add release-notes")?;
        let _ = directory.keep();
        Ok(scratch)
    }

    /// The address of the repository of the team.
    pub fn team_url(&self) -> String {
        file_url(&self.team)
    }

    /// Adds the memory log.
    ///
    /// # Errors
    /// The file system refused.
    pub fn add_log(&self) -> Result<(), Error> {
        write(&self.project, &LOG)
    }

    /// Adds the plan and commits it.
    ///
    /// # Errors
    /// The file system or git refused.
    pub fn add_plan(&self, environment: &Environment) -> Result<(), Error> {
        write(&self.project, &PLAN)?;
        commit(environment, &self.project, &PLAN, "Plan the release notes")
    }

    /// Appends a line to a file of the project.
    ///
    /// # Errors
    /// The file system refused.
    pub fn append(&self, added: &AddedLine) -> Result<(), Error> {
        append(&self.project.join(added.path), &format!("{}\n", added.line))
    }
}

/// With `GIT_DIR` and similar variables, every command would work in the repository that they name.
fn require_own_git_directory(top: &Path) -> Result<(), Error> {
    let repo = canonry_repo::git::open::open(top)?;
    let is_inside = |path: &Path| fs::canonicalize(path).is_ok_and(|path| path.starts_with(top));
    let index = repo.index_path();
    let paths = [repo.workdir(), Some(repo.git_dir()), index.parent(), Some(repo.objects.store_ref().path())];
    if paths.iter().all(|path| path.is_some_and(is_inside)) {
        return Ok(());
    }
    let message = "the environment names another git repository, where the tour would write";
    Err(Error::new(ErrorKind::Unreadable, message).help("unset GIT_DIR and similar variables"))
}

fn write(top: &Path, files: &[ExampleFile]) -> Result<(), Error> {
    for file in files {
        let path = top.join(file.path);
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory).map_err(failed("unpack the example"))?;
        }
        fs::write(&path, file.text).map_err(failed("unpack the example"))?;
        if file.is_executable {
            let executable = fs::Permissions::from_mode(0o755);
            fs::set_permissions(&path, executable).map_err(failed("make the script executable"))?;
        }
    }
    Ok(())
}

fn commit(environment: &Environment, top: &Path, files: &[ExampleFile], message: &str) -> Result<(), Error> {
    let paths: Vec<BString> = files.iter().map(|file| BString::from(file.path)).collect();
    let request = CommitRequest { selection: CommitSelection::Literal(&paths), message, hooks: GitHooks::Off };
    let inside = Environment { cwd: top.to_owned(), ..environment.clone() };
    commit::run(&inside, &request).map(|_| ())
}

fn append(path: &Path, text: &str) -> Result<(), Error> {
    let mut file = fs::OpenOptions::new().append(true).open(path).map_err(failed("write to the example"))?;
    file.write_all(text.as_bytes()).map_err(failed("write to the example"))
}

/// An error in a repository that was just created is a fault of the system or of canonry.
fn failed<E: Display>(action: &'static str) -> impl Fn(E) -> Error {
    move |error| Error::new(ErrorKind::Internal, format!("the tour could not {action}: {error}"))
}
