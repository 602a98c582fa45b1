//! What a command is given from outside: folder, terminal, interruption, output.

use crate::render::human::{Colour, Style};
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The surroundings of a command.
#[derive(Clone, Debug)]
pub struct Env {
    /// The folder it works in.
    pub cwd: PathBuf,
    /// The user's own config, whether it exists or not.
    pub user_config: Option<PathBuf>,
    /// How text for people is set.
    pub style: Style,
    /// Set on Ctrl-C.
    pub cancel: Arc<AtomicBool>,
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
        Ok(Self { cwd: std::env::current_dir()?, user_config: user_config(), style, cancel })
    }
}

/// `$XDG_CONFIG_HOME/canonry/canonry.yaml`, by default below `~/.config`.
fn user_config() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
    let base = std::env::var_os("XDG_CONFIG_HOME").filter(|dir| !dir.is_empty()).map(PathBuf::from).or_else(home)?;
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
