//! Where the texts come from that an agent's context is made of.

use crate::app::Error;
use crate::app::Workspace;
use crate::app::recorded;
use crate::canon::Layout;
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
    fn document(&self, path: &RepoPath) -> Result<String, Error>;

    /// The log of episodes, or as much of its end as there is time for.
    ///
    /// # Errors
    /// It is there and cannot be read.
    fn log(&self) -> Result<Vec<u8>, Error>;

    /// The bytes at the end of the log from which episodes are chosen.
    fn reach(&self) -> usize;
}

impl Shelf for Workspace {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn config(&self) -> &Config {
        &self.config
    }

    fn document(&self, path: &RepoPath) -> Result<String, Error> {
        recorded::document(self, path)
    }

    fn log(&self) -> Result<Vec<u8>, Error> {
        recorded::log(self)
    }

    fn reach(&self) -> usize {
        usize::MAX
    }
}
