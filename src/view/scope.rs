//! What a survey looks at, and how it is to be taken.

use crate::canon::inventory::SkillFolder;
use crate::canon::io_diagnosis::IoDiagnosis;
use crate::canon::{FileState, Layout};
use crate::config::{Config, Target};
use crate::syntax::RepoPath;

/// What a survey looks at.
pub struct Scope<'a> {
    /// Where the canon is.
    pub layout: &'a Layout,
    /// Which mirrors.
    pub targets: &'a [Target],
    /// Folders of the canon that could not be listed: nobody knows what they hold, so no mirror is removed.
    pub unreadable: &'a [(RepoPath, IoDiagnosis)],
    /// States beyond the lock's that are ours too: those of an unfinished run.
    pub pending: Vec<(RepoPath, FileState)>,
    /// What it is for.
    pub purpose: Purpose,
    /// What is configured of mirrors and skills.
    pub config: &'a Config,
    /// What a look at a skill's documents tells; asked only of skills of which not every mirror has what the canon has.
    pub looks: &'a (dyn Fn(&SkillFolder, Asked) -> Looks + Sync),
}

/// What is asked of a skill's documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Everything.
    All,
    /// Only whether they are marked, which takes no parsing.
    Marks,
}

/// What a look at a skill's documents tells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    /// No tool could read it.
    pub broken: bool,
    /// A tool may have to get something else than the canon's document.
    pub marked: bool,
}

/// What a survey is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To tell what differs. A lock with the conflict of a merge cannot be read, and what git's ids prove to be in step is
    /// not looked at.
    Judge,
    /// To write. Of a lock with a conflict what either side says is ours, and the next lock names all that is.
    Sync,
}
