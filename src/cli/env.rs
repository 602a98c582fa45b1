//! What a command is given from outside: folder, terminal, interruption, output.

use crate::render::human::{Colour, Style};
use crate::syntax::RepoPath;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The surroundings of a command.
#[derive(Clone, Debug)]
pub struct Env {
    /// The folder it works in.
    pub cwd: PathBuf,
    /// Which repository it works in.
    pub place: Place,
    /// The folder of the repository whose canon it works on; empty for the repository's own.
    pub base: RepoPath,
    /// The user's own config, whether it exists or not.
    pub user_config: Option<PathBuf>,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Where programs keep what is not the user's to edit, whether it exists or not.
    pub state: Option<PathBuf>,
    /// How text for people is set.
    pub style: Style,
    /// Set on Ctrl-C.
    pub cancel: Arc<AtomicBool>,
}

/// Which repository a command works in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The one around the folder, as git finds it, its environment included.
    Around,
    /// The one around the folder, whatever the environment says: it is one of several.
    Alone,
    /// The user's own canon, which is in none.
    User,
}

/// Columns where the terminal does not tell.
const WIDTH: usize = 100;

impl Env {
    /// From the process.
    ///
    /// # Errors
    /// Where the current folder is gone.
    pub fn of_process() -> io::Result<Self> {
        let cancel = Arc::new(AtomicBool::new(false));
        // A second Ctrl-C ends the process at once, as people expect of one that does not answer.
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&cancel))?;
            signal_hook::flag::register(signal, Arc::clone(&cancel))?;
        }
        let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        let plain = set("NO_COLOR") || !io::stdout().is_terminal();
        let colour = if plain && !set("CLICOLOR_FORCE") { Colour::None } else { Colour::Ansi };
        let width = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).unwrap_or(WIDTH);
        let style = Style { width: width.clamp(40, 160), colour };
        Ok(Self {
            cwd: std::env::current_dir()?,
            place: Place::Around,
            base: RepoPath::default(),
            user_config: user_config(),
            home: folder("HOME"),
            state: folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state"))),
            style,
            cancel,
        })
    }
}

/// A folder that the environment names.
fn folder(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|dir| !dir.is_empty()).map(PathBuf::from)
}

/// `$XDG_CONFIG_HOME/canonry/canonry.yaml`, by default below `~/.config`.
fn user_config() -> Option<PathBuf> {
    let base = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
    Some(base.join("canonry/canonry.yaml"))
}

/// Where results and remarks go.
pub struct Out<'a> {
    stdout: &'a mut dyn Write,
    stderr: &'a mut dyn Write,
}

impl<'a> Out<'a> {
    /// Results to `stdout`, all else to `stderr`.
    pub fn new(stdout: &'a mut dyn Write, stderr: &'a mut dyn Write) -> Self {
        Self { stdout, stderr }
    }

    /// Writes a result. A reader that has gone away is no error: what it wanted it has.
    pub fn result(&mut self, text: &str) {
        let _ = self.stdout.write_all(text.as_bytes()).and_then(|()| self.stdout.flush());
    }

    /// Writes a remark.
    pub fn remark(&mut self, text: &str) {
        let _ = self.stderr.write_all(text.as_bytes()).and_then(|()| self.stderr.flush());
    }
}
