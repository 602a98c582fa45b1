//! Output of `doctor`.

use super::counted;
use canonry_app::doctor::{
    DoctorOutcome, FolderReading, FolderState, HookState, KeptMemory, LastSeen, ToolHealth, ToolProgram, ToolReading,
    ToolReadings, Trust,
};
use canonry_model::config::MemoryScope;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::path::Path;

/// The columns of the table.
const COLUMNS: [&str; 5] = ["tool", "version", "hooks", "trusted", "last hook"];

/// The tools for people: a table, then what to do.
pub fn human(outcome: &DoctorOutcome) -> String {
    let header = COLUMNS.map(str::to_owned);
    let is_in_use = |tool: &&ToolHealth| {
        tool.program != ToolProgram::Missing
            || tool.hooks != HookState::Off
            || tool.last_seen.is_some()
            || outcome.readings.in_use.iter().any(|reading| reading.id == tool.name)
    };
    let tools = outcome.tools.iter().filter(is_in_use).map(|tool| row(tool, &outcome.top));
    let rows: Vec<[String; 5]> = [header].into_iter().chain(tools).collect();
    let mut widths = [0; 5];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: &[String; 5]| {
        let cells: Vec<String> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    let mut text: String = rows.iter().map(line).collect();
    let canonry = outcome.lacks_canonry().then(|| {
        "canonry: it is not on PATH, so that no hook can run it: install it for all programs, not only for this shell\n".to_owned()
    });
    let config = outcome.config_error.iter().map(|error| format!("config: {error}\n"));
    let advice = outcome.tools.iter().flat_map(|tool| {
        let unknown = tool.trust.iter().filter_map(|trust| match trust {
            Trust::Unknown(reason) => Some(format!("whether it trusts the hooks is unknown: {reason}")),
            Trust::Trusted | Trust::Untrusted(_) => None,
        });
        let is_installed = tool.program != ToolProgram::Missing;
        let notes = tool.advice.iter().cloned().chain(unknown.filter(move |_| is_installed));
        notes.map(|note| format!("{}: {note}\n", tool.name))
    });
    text.push_str(&readings(&outcome.readings));
    text.push_str(&memories(&outcome.memories));
    let notes: String =
        canonry.into_iter().chain(config).chain(advice).chain(reading_notes(&outcome.readings)).collect();
    if !notes.is_empty() {
        text.push('\n');
        text.push_str(&notes);
    }
    text
}

/// Readings of each tool in use, one line each.
fn readings(readings: &ToolReadings) -> String {
    let width = readings.in_use.iter().map(|tool| tool.title.chars().count()).max().unwrap_or_default();
    let line = |tool: &ToolReading| {
        let folders = tool.folders.iter().chain(&tool.user).map(folder_text);
        let cells: Vec<String> = folders.chain(tool.files.iter().map(|file| (*file).to_owned())).collect();
        let cells = if cells.is_empty() { "nothing".to_owned() } else { cells.join(", ") };
        format!("{:<width$}  {cells}\n", tool.title)
    };
    let mut text: String = readings.in_use.iter().map(line).collect();
    if !text.is_empty() {
        text.insert_str(0, "\nreads in this repository\n");
    }
    text
}

/// The memories of the tools, one line each.
fn memories(memories: &[KeptMemory]) -> String {
    let width = memories.iter().map(|memory| memory.title.chars().count()).max().unwrap_or_default();
    let line = |memory: &KeptMemory| {
        let KeptMemory { title, folder, files, bytes, scope, .. } = memory;
        let folder = folder.display();
        let files = counted(*files, "file");
        let shared = match scope {
            MemoryScope::Everything => "for all repositories",
            MemoryScope::Repository => "shared by the worktrees",
            MemoryScope::WorkTree => "for this worktree alone",
        };
        format!("{title:<width$}  {folder} ({files}, {bytes} bytes), {shared}\n")
    };
    let mut text: String = memories.iter().map(line).collect();
    if !text.is_empty() {
        text.insert_str(0, "\nkeeps memories outside of the canon\n");
    }
    text
}

/// `.claude/skills (9 skills, 2 files stale)`
fn folder_text(folder: &FolderReading) -> String {
    let state = match folder.state {
        FolderState::NotAMirror | FolderState::Current => String::new(),
        FolderState::Stale(count) => format!(", {} stale", counted(count, "file")),
        FolderState::NeverSynced(_) => return format!("{} (not synced)", folder.path),
        FolderState::Unknown => ", unknown whether current".to_owned(),
    };
    format!("{} ({}{state})", folder.path, counted(folder.skills, "skill"))
}

fn reading_notes(readings: &ToolReadings) -> Vec<String> {
    let error = readings.error.iter().map(|error| format!("mirrors: {error}\n"));
    let stale = readings.is_stale().then(|| {
        let state = if readings.is_never_synced() { "not synced in this clone" } else { "some are stale" };
        format!("mirrors: {state}: run `canonry sync`\n")
    });
    let ended = readings.in_use.iter().filter_map(|tool| Some(format!("{}: {}\n", tool.id, tool.note?)));
    let repeated = readings.repeated.iter();
    let repeated =
        repeated.map(|reader| format!("{}: {}; {}\n", reader.target.name(), reader.effect(), reader.remedy()));
    let limits = readings.limits.iter().map(|limit| format!("{}: {}\n", limit.tool, limit.text));
    error.chain(stale).chain(ended).chain(repeated).chain(limits).collect()
}

fn reading_document(tool: &ToolReading) -> Value {
    let folder = |folder: &FolderReading| {
        let (state, stale) = match folder.state {
            FolderState::NotAMirror => ("not a mirror", 0),
            FolderState::Current => ("current", 0),
            FolderState::Stale(count) | FolderState::NeverSynced(count) => ("stale", count),
            FolderState::Unknown => ("unknown", 0),
        };
        json!({"path": folder.path, "skills": folder.skills, "state": state, "stale_files": stale})
    };
    json!({
        "tool": tool.id,
        "title": tool.title,
        "note": tool.note,
        "folders": tool.folders.iter().map(folder).collect::<Vec<_>>(),
        "user_folder": tool.user.as_ref().map(folder),
        "files": tool.files,
    })
}

fn row(tool: &ToolHealth, top: &Path) -> [String; 5] {
    let version = match &tool.program {
        ToolProgram::Missing => "not installed",
        ToolProgram::Found { version: Some(version), .. } => version,
        ToolProgram::Found { version: None, .. } => "unknown",
    };
    [
        tool.title.to_owned(),
        version.to_owned(),
        hook_word(&tool.hooks).to_owned(),
        tool.trust.as_ref().map_or("-", trust_word).to_owned(),
        tool.last_seen.as_ref().map_or_else(|| "never".to_owned(), |seen| seen_text(seen, top)),
    ]
}

fn seen_text(seen: &LastSeen, top: &Path) -> String {
    let elsewhere = if seen.folder.starts_with(top) { "" } else { ", in another folder" };
    format!("{} ({}{elsewhere})", seen.time, seen.event)
}

fn hook_word(hooks: &HookState) -> &'static str {
    match hooks {
        HookState::Off => "off",
        HookState::LeftOver(_) => "left over",
        HookState::Current => "current",
        HookState::Stale(_) => "stale",
        HookState::Missing => "missing",
        HookState::Unreadable(_) => "unreadable",
    }
}

fn trust_word(trust: &Trust) -> &'static str {
    match trust {
        Trust::Trusted => "yes",
        Trust::Untrusted(_) => "no",
        Trust::Unknown(_) => "unknown",
    }
}

/// `canonry/doctor/v1`
pub fn json(outcome: &DoctorOutcome) -> String {
    let document = json!({
        "schema": "canonry/doctor/v1",
        "repository": outcome.top.to_string_lossy(),
        "canonry": program_path(&outcome.canonry),
        "config_error": outcome.config_error,
        "tools": outcome.tools.iter().map(tool_document).collect::<Vec<_>>(),
        "reads": outcome.readings.in_use.iter().map(reading_document).collect::<Vec<_>>(),
        "unused": outcome.readings.unused,
        "repeated": outcome.readings.repeated.iter().map(|reader| {
            json!({"tool": reader.target.name(), "folders": reader.folders, "remedy": reader.remedy()})
        }).collect::<Vec<_>>(),
        "limits": outcome.readings.limits.iter().map(|limit| {
            json!({"tool": limit.tool, "text": limit.text})
        }).collect::<Vec<_>>(),
        "memories": outcome.memories.iter().map(|memory| {
            let shared_by = match memory.scope {
                MemoryScope::Everything => "all repositories",
                MemoryScope::Repository => "worktrees",
                MemoryScope::WorkTree => "nothing",
            };
            json!({
                "tool": memory.tool,
                "folder": memory.folder.to_string_lossy(),
                "files": memory.files,
                "bytes": memory.bytes,
                "shared_by": shared_by,
            })
        }).collect::<Vec<_>>(),
    });
    format!("{document:#}\n")
}

fn program_path(program: &ToolProgram) -> Option<Cow<'_, str>> {
    match program {
        ToolProgram::Missing => None,
        ToolProgram::Found { path, .. } => Some(path.to_string_lossy()),
    }
}

fn tool_document(tool: &ToolHealth) -> Value {
    let path = program_path(&tool.program);
    let version = match &tool.program {
        ToolProgram::Missing => None,
        ToolProgram::Found { version, .. } => version.as_deref(),
    };
    let (events, error): (&[String], _) = match &tool.hooks {
        HookState::Stale(events) | HookState::LeftOver(events) => (events, None),
        HookState::Unreadable(error) => (&[], Some(error)),
        HookState::Off | HookState::Current | HookState::Missing => (&[], None),
    };
    let trust = tool.trust.as_ref().map(|trust| {
        let reason = match trust {
            Trust::Trusted => None,
            Trust::Untrusted(reason) | Trust::Unknown(reason) => Some(reason),
        };
        json!({"state": trust_word(trust), "reason": reason})
    });
    let last_seen = tool
        .last_seen
        .as_ref()
        .map(|seen| json!({"time": seen.time, "event": seen.event, "folder": seen.folder.to_string_lossy()}));
    json!({
        "tool": tool.name,
        "title": tool.title,
        "installed": path.is_some(),
        "program": path,
        "version": version,
        "hooks": {"file": tool.hook_file, "state": hook_word(&tool.hooks), "events": events, "error": error},
        "trust": trust,
        "last_seen": last_seen,
        "advice": tool.advice,
    })
}
