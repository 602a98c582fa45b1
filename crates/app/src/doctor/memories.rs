//! The memories that tools keep themselves, outside of the canon.

use super::{main_checkout, read};
use crate::Environment;
use crate::plain_repository::PlainRepository;
use canonry_model::config::{MemoryScope, TOOLS, ToolMemory, ToolRow};
use std::fs;
use std::path::{Path, PathBuf};

/// A memory that a tool keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptMemory {
    /// The name in the config.
    pub tool: &'static str,
    /// The name for people.
    pub title: &'static str,
    pub folder: PathBuf,
    pub files: usize,
    pub bytes: u64,
    /// The work trees that share it.
    pub scope: MemoryScope,
}

/// Lists the memories that have files.
pub(super) fn examine(environment: &Environment, repository: &PlainRepository) -> Vec<KeptMemory> {
    let kept = |(row, memory): (&ToolRow, &ToolMemory)| {
        let folder = environment.user_file(&folder(environment, repository, memory)?)?;
        let sizes = sizes(&folder);
        (!sizes.is_empty()).then(|| KeptMemory {
            tool: row.id,
            title: row.name,
            folder,
            files: sizes.len(),
            bytes: sizes.iter().sum(),
            scope: memory.scope,
        })
    };
    let all = TOOLS.iter().flat_map(|row| row.memories.iter().map(move |memory| (row, memory)));
    all.filter_map(kept).collect()
}

/// The folder of a memory, from the home.
fn folder(environment: &Environment, repository: &PlainRepository, memory: &ToolMemory) -> Option<String> {
    let main = main_checkout(repository).filter(|_| memory.scope == MemoryScope::Repository);
    let top = fs::canonicalize(main.as_deref().unwrap_or(&repository.top)).ok()?;
    let top = top.to_str()?;
    let dashed: String = top.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let folder = memory.folder.replace("{path}", &dashed);
    if !folder.contains("{slug}") {
        return Some(folder);
    }
    let names = read(&environment.user_file(".gemini/projects.json")?).ok().flatten()?;
    let names: serde_json::Value = serde_json::from_str(&names).ok()?;
    Some(folder.replace("{slug}", names["projects"][top].as_str()?))
}

/// The sizes of the files below a folder.
fn sizes(folder: &Path) -> Vec<u64> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let of_entry = |entry: fs::DirEntry| match entry.metadata() {
        Ok(meta) if meta.is_dir() => sizes(&entry.path()),
        Ok(meta) if meta.is_file() => vec![meta.len()],
        _ => Vec::new(),
    };
    entries.flatten().flat_map(of_entry).collect()
}
