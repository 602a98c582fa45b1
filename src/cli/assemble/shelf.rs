//! Where the texts come from that an agent's context is made of.

use crate::canon::Layout;
use crate::cli::context::Context;
use crate::cli::error::CliError;
use crate::cli::remembered;
use crate::config::Config;
use crate::syntax::RepoPath;

/// A canon whose texts can be read. A command has git's view of it, a hook has the bare disk.
pub trait Shelf {
    /// Where the canon is.
    fn layout(&self) -> &Layout;

    /// What the team configures.
    fn config(&self) -> &Config;

    /// A document as text; empty where there is none.
    ///
    /// # Errors
    /// It is there and cannot be read.
    fn document(&self, path: &RepoPath) -> Result<String, CliError>;

    /// The log of episodes, or as much of its end as there is time for.
    ///
    /// # Errors
    /// It is there and cannot be read.
    fn log(&self) -> Result<Vec<u8>, CliError>;

    /// The bytes at the end of the log from which episodes are chosen.
    fn reach(&self) -> usize;
}

impl Shelf for Context<'_> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn config(&self) -> &Config {
        &self.config
    }

    fn document(&self, path: &RepoPath) -> Result<String, CliError> {
        remembered::document(self, path)
    }

    fn log(&self) -> Result<Vec<u8>, CliError> {
        remembered::log(self)
    }

    fn reach(&self) -> usize {
        usize::MAX
    }
}
