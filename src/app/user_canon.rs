//! The user's own canon, `~/.config/canonry`: its skills are mirrored into the folders below the home that the tools read
//! in every project.

use crate::app::Environment;
use crate::app::configuration::{Configured, Origin, own};
use crate::app::{Error, ErrorKind};
use crate::canon::Layout;
use crate::config::{AntigravityFiles, Config, Target, ToolFilesConfig};
use crate::syntax::RepoPath;
use std::path::{Path, PathBuf};

/// Where the user's own canon lies.
struct Ground {
    /// The home, without links in its path.
    home: PathBuf,
    /// The canon's folder in it.
    root: RepoPath,
}

/// Opens what stands for a repository around the user's own canon, and says where the canon lies in it.
///
/// # Errors
/// No home, no canon, or one outside the home; and where the folder for what is canonry's own cannot be used.
pub fn open(env: &Environment) -> Result<(gix::Repository, Layout), Error> {
    let ground = find(env)?;
    let state = env.state.as_ref().ok_or_else(homeless)?;
    let repo = crate::git::user::open(&state.join("canonry/user.git"), &ground.home)?;
    Ok((repo, Layout::new(ground.root)))
}

/// The user's own config, of which only what concerns skills holds here, and the targets that are left out, since nobody
/// knows where the tool looks for the skills of a user.
///
/// # Errors
/// A config that cannot be used.
pub fn configure(env: &Environment, layout: Layout) -> Result<(Configured, Vec<Target>), Error> {
    let config = own(env.user_config.as_deref())?.unwrap_or_default();
    let (targets, left_out) = config.targets.iter().partition(|target| target.has_user_level());
    // The tools' other files have other places and other meanings below a home.
    let files = ToolFilesConfig {
        antigravity: AntigravityFiles { pointer: false, ..AntigravityFiles::default() },
        ..ToolFilesConfig::default()
    };
    let config = Config { targets, files, ..config };
    Ok((Configured { config, layout, origin: Origin::Canon }, left_out))
}

fn find(env: &Environment) -> Result<Ground, Error> {
    let home = env.home.as_ref().ok_or_else(homeless)?;
    let folder = env.user_config.as_deref().and_then(Path::parent).ok_or_else(homeless)?;
    let home = std::fs::canonicalize(home).map_err(|e| {
        Error::new(ErrorKind::Unreadable, format!("your home, {}, cannot be used: {e}", home.display()))
    })?;
    let real = std::fs::canonicalize(folder).map_err(|e| {
        Error::new(ErrorKind::Unreadable, format!("you have no canon of your own: {}: {e}", folder.display()))
            .help(format!("put skills into {}/skills/<name>/SKILL.md", folder.display()))
    })?;
    let below = real.strip_prefix(&home).ok().filter(|below| *below != Path::new(""));
    let root = below.and_then(|below| gix::path::into_bstr(below).ok()).map(|below| RepoPath::new(below.as_ref()));
    let root = root.ok_or_else(|| {
        let message = format!("your canon, {}, lies outside your home, {}", real.display(), home.display());
        Error::new(ErrorKind::Unreadable, message)
            .help("move it to ~/.config/canonry, or let XDG_CONFIG_HOME name a folder in your home")
    })?;
    Ok(Ground { home, root })
}

fn homeless() -> Error {
    Error::new(ErrorKind::Unreadable, "nothing says where your home is").help("set HOME")
}
