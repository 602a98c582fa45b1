//! Folders of skills that each tool reads in a repository, and whether `canonry sync` wrote them.

use super::restrictions::{self, ToolLimit};
use crate::Quiet;
use crate::check::{self, CheckRequest};
use crate::claude_context::hides_agents_md;
use crate::hook::root_instructions::loads_root_instructions;
use crate::plain_repository::PlainRepository;
use crate::sync::{self, SyncRequest};
use crate::{Environment, Error};
use canonry_lint::Finding;
use canonry_mirror::repeated::{RepeatedReader, repeated_readers};
use canonry_model::config::{ContextMode, TOOLS, Target, ToolRow, ToolStatus, tool_row};
use canonry_repo::view::{DiskSource, View};
use canonry_text::RepoPath;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// The rule about the tools' lists of skills.
pub(crate) const LISTING_BUDGET: &str = "listing-budget";

/// Files and folders that the tools read.
#[derive(Debug)]
pub struct ToolReadings {
    /// The tools in use: their mirror is a target, or the repository has files of them.
    pub in_use: Vec<ToolReading>,
    /// The names of all other tools.
    pub unused: Vec<&'static str>,
    /// The tools that see each skill several times.
    pub repeated: Vec<RepeatedReader>,
    /// The parts of the canon that a tool does not follow.
    pub limits: Vec<ToolLimit>,
    /// Why it is unknown whether the mirrors are up to date.
    pub error: Option<String>,
}

/// Files and folders that one tool reads.
#[derive(Debug)]
pub struct ToolReading {
    /// The name in the config.
    pub id: &'static str,
    /// The name for people.
    pub title: &'static str,
    /// Successor or end of the tool, if it is not developed any more for everyone.
    pub note: Option<&'static str>,
    /// The folders of skills in the repository, its own first.
    pub folders: Vec<FolderReading>,
    /// The folder of the user's own skills, if it has any.
    pub user: Option<FolderReading>,
    /// The other files that the tool reads and that exist.
    pub files: Vec<&'static str>,
}

/// A folder of skills.
#[derive(Debug)]
pub struct FolderReading {
    pub path: String,
    /// The skills in it.
    pub skills: usize,
    /// Whether it is a mirror, and up to date.
    pub state: FolderState,
}

/// Whether a folder is a mirror, and up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderState {
    /// It is not among the targets.
    NotAMirror,
    Current,
    /// The number of files that the next sync would change.
    Stale(usize),
    /// No sync has written it in this clone; the number of its files.
    NeverSynced(usize),
    /// The canon or the lock cannot be read.
    Unknown,
}

impl ToolReadings {
    /// Whether the next sync would change a mirror.
    pub fn is_stale(&self) -> bool {
        let mut folders = self.in_use.iter().flat_map(|tool| &tool.folders);
        folders.any(|folder| matches!(folder.state, FolderState::Stale(_) | FolderState::NeverSynced(_)))
    }

    /// Whether no sync has written a mirror in this clone.
    pub fn is_never_synced(&self) -> bool {
        let mut folders = self.in_use.iter().flat_map(|tool| &tool.folders);
        folders.any(|folder| matches!(folder.state, FolderState::NeverSynced(_)))
    }
}

/// Examines every row of the table, and the rows of the config.
pub(super) fn examine(environment: &Environment, repository: &PlainRepository) -> ToolReadings {
    let top = &repository.top;
    let has_canon = repository.has_canon();
    let targets: &[Target] = if has_canon { &repository.config.targets } else { &[] };
    let changes =
        if has_canon { changes(environment, repository.layout.root()) } else { Ok(PendingChanges::default()) };
    let state = |folder: &str| match (targets.iter().any(|target| target.mirror() == folder), &changes) {
        (false, _) => FolderState::NotAMirror,
        (true, Err(_)) => FolderState::Unknown,
        (true, Ok(changes)) => {
            let root = RepoPath::from(folder);
            match changes.files.iter().filter(|path| path.is_within(&root)).count() {
                0 => FolderState::Current,
                count if changes.never_synced => FolderState::NeverSynced(count),
                count => FolderState::Stale(count),
            }
        }
    };
    let reading = |folder: &str| FolderReading {
        skills: count_skills(&top.join(folder)),
        state: state(folder),
        path: folder.to_owned(),
    };
    let mut readings = ToolReadings {
        in_use: Vec::new(),
        unused: Vec::new(),
        repeated: repeated_readers(targets),
        limits: Vec::new(),
        error: None,
    };
    for row in TOOLS {
        let own = reading(row.skills.mirror);
        let is_target = own.state != FolderState::NotAMirror && !row.is_through_agents();
        let has_traces = row.traces.iter().any(|trace| is_trace(top, trace));
        let has_skills = own.skills > 0 && !row.is_through_agents();
        if !(is_target || has_traces || has_skills) {
            // The row of the shared folder is no tool.
            readings.unused.extend((row.id != "agents").then_some(row.name));
            continue;
        }
        readings.in_use.push(tool_reading(environment, top, row, own, &reading));
    }
    for target in targets.iter().filter(|target| target.is_custom()) {
        readings.in_use.push(ToolReading {
            id: target.name(),
            title: target.title(),
            note: None,
            folders: vec![reading(target.mirror())],
            user: None,
            files: Vec::new(),
        });
    }
    if has_canon {
        let view = View::new(Arc::new(DiskSource::new(top)));
        let in_use: Vec<&'static ToolRow> = readings.in_use.iter().filter_map(|tool| tool_row(tool.id)).collect();
        readings.limits = hidden_instructions(environment, repository, &view).into_iter().collect();
        readings.limits.extend(restrictions::examine(repository, &view, &in_use));
    }
    readings.limits.extend(partial_listings(environment));
    readings.error = changes.err().map(|error| error.message);
    readings
}

/// The tools that do not list all descriptions, as `check` reports them.
fn partial_listings(environment: &Environment) -> Vec<ToolLimit> {
    let request = CheckRequest { select: vec![LISTING_BUDGET.to_owned()], ..CheckRequest::default() };
    let Ok(report) = check::run(environment, &request, &Quiet) else { return Vec::new() };
    let limit = |finding: Finding| {
        let tool = TOOLS.iter().find(|row| finding.message.starts_with(row.name))?;
        Some(ToolLimit {
            tool: tool.id,
            text: format!("{} (`canonry check --select {LISTING_BUDGET}`)", finding.message),
        })
    };
    report.findings.into_iter().filter_map(limit).collect()
}

/// The file that keeps Claude Code from reading the root instructions, although the config gives it those.
fn hidden_instructions(environment: &Environment, repository: &PlainRepository, view: &View) -> Option<ToolLimit> {
    let PlainRepository { top, layout, config, .. } = repository;
    let home = environment.home.as_deref();
    let hiding = hides_agents_md(top, home)?;
    let claude = tool_row(Target::CLAUDE.name())?;
    let is_wanted = config.files.tool(claude.id).context == ContextMode::Import && top.join("AGENTS.md").exists();
    if !is_wanted || loads_root_instructions(view, layout, claude, top, home) {
        return None;
    }
    let hiding = hiding.strip_prefix(top).unwrap_or(&hiding).display();
    let text = format!(
        "it does not read AGENTS.md beside {hiding}: run `canonry sync`, or write `@AGENTS.md` into CLAUDE.local.md"
    );
    Some(ToolLimit { tool: claude.id, text })
}

fn tool_reading(
    environment: &Environment,
    top: &Path,
    row: &'static ToolRow,
    own: FolderReading,
    reading: &dyn Fn(&str) -> FolderReading,
) -> ToolReading {
    let others = row.skills.also_reads.iter().map(|folder| reading(folder)).filter(|folder| folder.skills > 0);
    let user = row.skills.user.and_then(|folder| {
        let path = environment.user_file(folder)?;
        let skills = count_skills(&path);
        (skills > 0).then(|| FolderReading { path: path.display().to_string(), skills, state: FolderState::NotAMirror })
    });
    let is_hidden = row.id == Target::CLAUDE.name() && hides_agents_md(top, environment.home.as_deref()).is_some();
    let context = row.context.iter().map(|file| file.file).filter(|file| !(is_hidden && *file == "AGENTS.md"));
    let servers = row.mcp.iter().map(|mcp| mcp.path);
    let commands = row.commands.iter().map(|commands| commands.folder);
    let mut files: Vec<&'static str> = Vec::new();
    let subagents = row.subagents.iter().map(|subagents| subagents.folder);
    for file in context.chain(servers).chain(subagents).chain(commands).chain(row.also_reads.iter().copied()) {
        if !files.contains(&file) && top.join(file).exists() {
            files.push(file);
        }
    }
    ToolReading {
        id: row.id,
        title: row.name,
        note: match row.status {
            ToolStatus::Active => None,
            ToolStatus::Legacy(text) | ToolStatus::Ended(text) => Some(text),
        },
        folders: std::iter::once(own)
            .filter(|own| own.skills > 0 || own.state != FolderState::NotAMirror)
            .chain(others)
            .collect(),
        user,
        files,
    }
}

/// Whether a trace exists that is more than a mirror: `.foo` with nothing but `.foo/skills` shows no use of the tool.
fn is_trace(top: &Path, trace: &str) -> bool {
    let path = top.join(trace);
    match fs::read_dir(&path) {
        Ok(entries) => entries.flatten().any(|entry| entry.file_name() != "skills"),
        Err(_) => path.is_file(),
    }
}

/// The folders with a document.
fn count_skills(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.flatten().filter(|entry| entry.path().join("SKILL.md").is_file()).count()
}

/// Changes of the next sync of a canon.
#[derive(Default)]
struct PendingChanges {
    files: Vec<RepoPath>,
    never_synced: bool,
}

/// The files of mirrors that the next sync of the canon at `root` would change.
fn changes(environment: &Environment, root: &RepoPath) -> Result<PendingChanges, Error> {
    let outcome = sync::run(environment, &SyncRequest::preview(), &Quiet)?;
    let canons = outcome.canons.into_iter();
    let mut changes = PendingChanges::default();
    for canon in canons.filter(|canon| canon.folder == *root) {
        match canon.result {
            sync::CanonResult::Synced(synced) => {
                changes.never_synced |= synced.never_synced;
                changes.files.extend(synced.written);
                changes.files.extend(synced.removed);
                changes.files.extend(synced.refused.into_iter().map(|refusal| refusal.path));
            }
            sync::CanonResult::Failed(error) => return Err(error),
            sync::CanonResult::NotStaged => {}
        }
    }
    Ok(changes)
}
