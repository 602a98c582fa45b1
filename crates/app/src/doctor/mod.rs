//! `doctor`: shows for each coding agent whether canonry's hooks protect a repository, and what it reads there.

mod memories;
mod program;
mod readings;
mod restrictions;

pub use crate::last_seen::LastSeen;
pub use canonry_agents::hook_state::HookState;
pub use canonry_agents::hook_trust::Trust;
pub use memories::KeptMemory;
pub use program::ToolProgram;
pub(crate) use readings::LISTING_BUDGET;
pub use readings::{FolderReading, FolderState, ToolReading, ToolReadings};
pub use restrictions::ToolLimit;

use crate::plain_repository::PlainRepository;
use crate::{Environment, Error, ErrorKind, last_seen};
use canonry_agents::hook_state::hook_state;
use canonry_agents::hook_trust::TrustFiles;
use canonry_model::config::{Config, HookTool, HookTrust, HooksConfig, SharedByWorktrees};
use canonry_model::tools::tool_formats::TrustRecord;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The largest file of a tool that is read, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Findings of `doctor`.
#[derive(Debug)]
pub struct DoctorOutcome {
    /// The top of the repository.
    pub top: PathBuf,
    /// The canonry that hooks run: the first on PATH.
    pub canonry: ToolProgram,
    /// Every tool that canonry has hooks for.
    pub tools: Vec<ToolHealth>,
    /// Files and folders that the tools read.
    pub readings: ToolReadings,
    /// The memories that the tools keep themselves.
    pub memories: Vec<KeptMemory>,
    /// Why the config is invalid; then the tools are compared with the default config.
    pub config_error: Option<String>,
}

/// The state of a tool.
#[derive(Debug)]
pub struct ToolHealth {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Whether it is installed.
    pub program: ToolProgram,
    /// The file of its hooks, from the top of the repository.
    pub hook_file: &'static str,
    /// Its hooks in this repository.
    pub hooks: HookState,
    /// Whether it runs them; `None` if there are none to run.
    pub trust: Option<Trust>,
    /// When one of its hooks last ran, in any repository.
    pub last_seen: Option<LastSeen>,
    /// Advice for a person, one sentence each.
    pub advice: Vec<String>,
}

impl DoctorOutcome {
    /// Whether a tool runs hooks, but no canonry is on PATH.
    pub fn lacks_canonry(&self) -> bool {
        let runs_hooks = |tool: &ToolHealth| tool.program != ToolProgram::Missing && tool.trust.is_some();
        self.canonry == ToolProgram::Missing && self.tools.iter().any(runs_hooks)
    }

    /// Whether there is something to do.
    pub fn has_problems(&self) -> bool {
        self.config_error.is_some()
            || self.lacks_canonry()
            || self.readings.is_stale()
            || self.tools.iter().any(|tool| !tool.advice.is_empty())
    }
}

/// Examines every tool.
///
/// # Errors
/// The folder is in no repository with a work tree, or `.git` cannot be read.
pub fn run(environment: &Environment) -> Result<DoctorOutcome, Error> {
    let shown = environment.cwd.display();
    let repository = PlainRepository::find(&environment.cwd, environment)
        .ok_or_else(|| Error::new(ErrorKind::Unreadable, format!("{shown} is not in a git repository")))?;
    let canonry: &[&str] = &["canonry"];
    let names = [canonry].into_iter().chain(HookTool::all().iter().map(|tool| tool.row.programs));
    let mut programs = program::find_all(environment, names).into_iter();
    let canonry = programs.next().unwrap_or(ToolProgram::Missing);
    let tools = HookTool::all()
        .iter()
        .zip(programs)
        .map(|(tool, program)| Examination { environment, repository: &repository, tool: *tool }.run(program));
    Ok(DoctorOutcome {
        tools: tools.collect(),
        readings: readings::examine(environment, &repository),
        memories: memories::examine(environment, &repository),
        config_error: repository.config_error.as_ref().map(|error| error.message.clone()),
        top: repository.top,
        canonry,
    })
}

/// A tool to examine.
struct Examination<'a> {
    environment: &'a Environment,
    repository: &'a PlainRepository,
    tool: HookTool,
}

impl Examination<'_> {
    fn run(&self, program: ToolProgram) -> ToolHealth {
        let main = main_checkout(self.repository);
        let HookTool { row, hooks: hook_row } = self.tool;
        let top = main.as_deref().filter(|_| self.shared_by_worktrees() == SharedByWorktrees::TrustAndHooks);
        let text = read(&top.unwrap_or(&self.repository.top).join(hook_row.path));
        let Config { files, hooks: HooksConfig { fail, .. }, .. } = &self.repository.config;
        let hooks = match &text {
            Ok(text) => hook_state(self.tool, text.as_deref(), files, *fail),
            Err(error) => HookState::Unreadable(error.to_string()),
        };
        let has_hooks = !matches!(hooks, HookState::Off | HookState::Missing | HookState::Unreadable(_));
        let trust = has_hooks.then(|| self.trust(text.ok().flatten(), main.as_deref()));
        // A tool that is not installed needs nothing.
        let advice = match program {
            ToolProgram::Missing => Vec::new(),
            ToolProgram::Found { .. } => self.advice(&hooks, trust.as_ref()),
        };
        ToolHealth {
            name: row.id,
            title: row.name,
            program,
            hook_file: hook_row.path,
            hooks,
            trust,
            last_seen: last_seen::read(self.environment, self.tool),
            advice,
        }
    }

    fn shared_by_worktrees(&self) -> SharedByWorktrees {
        match self.tool.hooks.trust {
            HookTrust::Recorded { worktrees, .. } => worktrees,
            HookTrust::Always | HookTrust::Unknown(_) | HookTrust::Undocumented => SharedByWorktrees::Nothing,
        }
    }

    fn trust(&self, hooks: Option<String>, main: Option<&Path>) -> Trust {
        match self.tool.hooks.trust {
            HookTrust::Always => Trust::Trusted,
            HookTrust::Unknown(reason) => Trust::Unknown(reason.to_owned()),
            HookTrust::Undocumented => {
                Trust::Unknown(format!("where {} records trust is not documented", self.tool.row.name))
            }
            HookTrust::Recorded { file, record, .. } => self.recorded_trust(file, record, hooks, main),
        }
    }

    /// Trust that the file `name` below the home records.
    fn recorded_trust(&self, name: &str, form: TrustRecord, hooks: Option<String>, main: Option<&Path>) -> Trust {
        let main = main.filter(|_| self.shared_by_worktrees() != SharedByWorktrees::Nothing);
        let mut tops: Vec<PathBuf> = Vec::new();
        for top in [Some(self.repository.top.as_path()), main].into_iter().flatten() {
            tops.push(top.to_owned());
            tops.extend(fs::canonicalize(top).ok().filter(|real| real != top));
        }
        let Some(file) = self.environment.user_file(name) else {
            return Trust::Unknown("the home directory is unknown".to_owned());
        };
        let trust = match read(&file) {
            Ok(record) => Trust::of_record(form, &TrustFiles { record, hooks, tops }),
            Err(error) => Trust::Unknown(format!("~/{name}: {error}")),
        };
        // The texts name the usual place.
        let is_usual = self.environment.home.as_ref().is_some_and(|home| file == home.join(name));
        let shown =
            |text: String| if is_usual { text } else { text.replace(&format!("~/{name}"), &file.to_string_lossy()) };
        match trust {
            Trust::Trusted => Trust::Trusted,
            Trust::Untrusted(text) => Trust::Untrusted(shown(text)),
            Trust::Unknown(text) => Trust::Unknown(shown(text)),
        }
    }

    /// Advice for a person.
    fn advice(&self, hooks: &HookState, trust: Option<&Trust>) -> Vec<String> {
        let path = self.tool.hooks.path;
        let of_hooks = match hooks {
            HookState::Off | HookState::Current => None,
            HookState::LeftOver(events) => Some(format!(
                "{path} still runs canonry at {}, but `files.{}.hooks` is off: run `canonry sync`, or remove the hooks",
                events.join(", "),
                self.tool.row.id
            )),
            HookState::Missing => Some(format!("{path} has no hooks of canonry: run `canonry sync`")),
            HookState::Stale(events) => Some(format!(
                "{path} does not have what `canonry sync` writes at {}: run `canonry sync`",
                events.join(", ")
            )),
            HookState::Unreadable(error) => Some(format!("{path}: {error}")),
        };
        let of_trust = match (trust, self.tool.hooks.trust) {
            (Some(Trust::Untrusted(what)), HookTrust::Recorded { remedy, .. }) => Some(format!("{what}: {remedy}")),
            _ => None,
        };
        of_hooks.into_iter().chain(of_trust).collect()
    }
}

/// The top of the main checkout, if this is another worktree of the repository and git's file about it can be read.
fn main_checkout(repository: &PlainRepository) -> Option<PathBuf> {
    let git_dir = repository.git_dir.as_ref()?;
    let common = fs::read_to_string(git_dir.join("commondir")).ok()?;
    let common = fs::canonicalize(git_dir.join(common.trim_end())).ok()?;
    // Another name is that of a repository without a main checkout.
    if common.ends_with(".git") { common.parent().map(Path::to_owned) } else { None }
}

/// A regular file as text; `None` if it does not exist.
fn read(path: &Path) -> io::Result<Option<String>> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(e) if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(None),
        Err(e) => return Err(e),
    };
    if !meta.is_file() || meta.len() > MAX_BYTES {
        return Err(io::Error::other("it is not a file, or too large"));
    }
    Ok(Some(canonry_repo::fs::read_to_string(path)?.trim_start_matches('\u{feff}').to_owned()))
}
