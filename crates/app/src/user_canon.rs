//! The user canon, `~/.config/canonry`. Its skills are mirrored to directories in the user's home that tools read in every
//! project. With the user's config, its instructions, subagents, commands and MCP servers are written there too.

use crate::Environment;
use crate::configuration::{Configured, Origin, own};
use crate::{Error, ErrorKind};
use canonry_model::canon::Layout;
use canonry_model::config::files::ToolSwitches;
use canonry_model::config::{
    AgentsMdMode, Config, ContextMode, CustomFiles, TOOLS, Target, ToolFilesConfig, ToolRow, is_mirror_path,
};
use canonry_model::tools::tool_formats::ContextForm;
use canonry_text::RepoPath;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The location of the user canon.
struct UserCanonLocation {
    /// The home directory, without links.
    home: PathBuf,
    /// The canon's directory in it.
    root: RepoPath,
}

/// Opens the repository that represents the user's home, and locates the user canon in it.
///
/// # Errors
/// There is no home or no user canon, the canon is outside the home, or canonry's state directory is not usable.
pub fn open(env: &Environment) -> Result<(gix::Repository, Layout), Error> {
    let location = find(env)?;
    let state = env.state.as_ref().ok_or_else(homeless)?;
    let repo = canonry_repo::git::user::open(&state.join("canonry/user.git"), &location.home)?;
    Ok((repo, Layout::new(location.root)))
}

/// The user config, reduced to what exists in a home directory too, and the targets without a known directory for user skills.
///
/// # Errors
/// The config is invalid, or a tool has its files outside the home.
pub fn configure(env: &Environment, layout: Layout) -> Result<(Configured, Vec<Target>), Error> {
    let config = own(env.user_config.as_deref())?.unwrap_or_default();
    let home = env.home.as_deref().and_then(|home| std::fs::canonicalize(home).ok()).ok_or_else(homeless)?;
    let mut folders: BTreeMap<Target, String> = BTreeMap::new();
    let mut left_out = Vec::new();
    for target in &config.targets {
        match user_folder(env, &home, *target)? {
            Some(folder) => drop(folders.insert(*target, folder)),
            None => left_out.push(*target),
        }
    }
    let targets = config.targets.iter().filter(|target| folders.contains_key(target)).copied().collect();
    let files = user_files(&config.files);
    check_homes(env, &home, &files)?;
    let config = Config { targets, files, ..config };
    let config = config.with_mirrors(|target| match folders.get(&target).map(String::as_str) {
        Some(folder) if folder == Target::AGENTS.mirror() => Target::AGENTS,
        Some(folder) => target.with_mirror(folder),
        None => target,
    });
    Ok((Configured { config, layout, origin: Origin::Canon }, left_out))
}

/// The files that have the same form in a home directory, for every project: subagents, commands and MCP servers at the same
/// path, and the instructions at another one. Other files have different meanings there.
fn user_files(given: &ToolFilesConfig) -> ToolFilesConfig {
    let rows = || TOOLS.iter().filter_map(|row| Some((row, row.user?)));
    // A tool without a file of its own reads AGENTS.md.
    let is_on = |row: &ToolRow| match row.own_context() {
        Some(_) => given.tool(row.id).context != ContextMode::Off,
        None => given.agents.context != AgentsMdMode::Off,
    };
    let instructions = rows().filter(|(row, _)| is_on(row)).filter_map(|(row, user)| {
        let context = Some((user.instructions?, ContextForm::Text));
        Some(CustomFiles { name: row.id, context, mcp: None })
    });
    let tools = rows().map(|(row, user)| {
        let ToolSwitches { subagents, commands, mcp, .. } = given.tool(row.id);
        let mcp = mcp && user.has_servers;
        (row.id.to_owned(), ToolSwitches { subagents, commands, mcp, ..ToolSwitches::default() })
    });
    // The pointer is on by default.
    let pointer = ToolSwitches { pointer: Some(false), ..ToolSwitches::default() };
    ToolFilesConfig {
        tools: tools.chain([(Target::ANTIGRAVITY.name().to_owned(), pointer)]).collect(),
        accept_omitted: given.accept_omitted.clone(),
        custom: instructions.collect(),
        ..ToolFilesConfig::default()
    }
}

/// Checks that the tools with files besides skills have them in the usual folder.
fn check_homes(env: &Environment, home: &Path, files: &ToolFilesConfig) -> Result<(), Error> {
    let has_instructions = |name: &str| files.custom.iter().any(|own| own.name == name);
    let is_used = |row: &&ToolRow| files.tool(row.id) != ToolSwitches::default() || has_instructions(row.id);
    for row in TOOLS.iter().filter(is_used) {
        let (Some(variable), Some(user)) = (row.home_variable, row.skills.user) else { continue };
        let folder = user.split('/').next().unwrap_or_default();
        let Some(replaced) = env.tool_homes.get(folder) else { continue };
        if std::fs::canonicalize(replaced).unwrap_or_else(|_| replaced.clone()) != home.join(folder) {
            let message = format!(
                "`{variable}` is {}, and canonry writes a user's other files only into {}",
                replaced.display(),
                home.join(folder).display()
            );
            let help = format!("unset `{variable}` for this run, or switch these files off in your own config");
            return Err(Error::new(ErrorKind::Refused, message).help(help));
        }
    }
    Ok(())
}

/// The folder below the home in which a tool looks for the user's skills; `None` if it is not known.
///
/// # Errors
/// A variable of the tool names a folder outside the home.
fn user_folder(env: &Environment, home: &Path, target: Target) -> Result<Option<String>, Error> {
    let Some(row) = target.row() else { return Ok(None) };
    let Some(user) = row.skills.user else { return Ok(None) };
    let Some((tool_folder, below)) = user.split_once('/') else { return Ok(None) };
    let Some(replaced) = env.tool_homes.get(tool_folder) else { return Ok(Some(user.to_owned())) };
    let real = std::fs::canonicalize(replaced).unwrap_or_else(|_| replaced.clone());
    let inside = real.strip_prefix(home).ok().and_then(Path::to_str).filter(|inside| !inside.is_empty());
    match inside.map(|inside| format!("{inside}/{below}")) {
        Some(folder) if is_mirror_path(&RepoPath::from(folder.as_str())) => Ok(Some(folder)),
        _ => {
            let variable = row.home_variable.unwrap_or(tool_folder);
            let message = format!(
                "`{variable}` is {}, and canonry writes user skills only into hidden folders of your home directory {}",
                replaced.display(),
                home.display()
            );
            let help =
                format!("unset `{variable}` for this run, or remove `{}` from `targets` in your own config", row.id);
            Err(Error::new(ErrorKind::Refused, message).help(help))
        }
    }
}

fn find(env: &Environment) -> Result<UserCanonLocation, Error> {
    let home = env.home.as_ref().ok_or_else(homeless)?;
    let folder = env.user_config.as_deref().and_then(Path::parent).ok_or_else(homeless)?;
    let home = std::fs::canonicalize(home).map_err(|e| {
        Error::new(ErrorKind::Unreadable, format!("your home directory {} is not usable: {e}", home.display()))
    })?;
    let real = std::fs::canonicalize(folder).map_err(|e| {
        Error::new(ErrorKind::Unreadable, format!("you have no user canon: {}: {e}", folder.display()))
            .help(format!("put skills into {}/skills/<name>/SKILL.md", folder.display()))
    })?;
    let below = real.strip_prefix(&home).ok().filter(|below| *below != Path::new(""));
    let root = below.and_then(|below| gix::path::into_bstr(below).ok()).map(|below| RepoPath::new(below.as_ref()));
    let root = root.ok_or_else(|| {
        let message = format!("your user canon {} is outside your home directory {}", real.display(), home.display());
        Error::new(ErrorKind::Unreadable, message)
            .help("move it to ~/.config/canonry, or set XDG_CONFIG_HOME to a directory in your home")
    })?;
    Ok(UserCanonLocation { home, root })
}

fn homeless() -> Error {
    Error::new(ErrorKind::Unreadable, "your home directory is unknown").help("set HOME")
}
