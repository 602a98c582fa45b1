//! Why something of a mirror cannot be taken into the canon.

use crate::config::Target;
use crate::syntax::RepoPath;

/// Why something cannot be adopted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdoptError {
    /// The path is not below a mirror's root, or nothing stands there.
    #[error("nothing to adopt: no file of a mirror is there")]
    NotInAMirror,
    /// The path is in the folder of a tool that the canon is not mirrored for.
    #[error("`{}` is not among the targets, so {} is no mirror", .target.name(), .target.skills_root())]
    NotATarget {
        /// The tool.
        target: Target,
        /// The targets there are.
        targets: Vec<Target>,
    },
    /// A name that a line of the lock cannot hold.
    #[error("its name holds control characters")]
    ControlCharacters,
    /// A link that leaves the repository.
    #[error("it is a link to `{target}`, outside the repository")]
    LinkOutside {
        /// The link's text.
        target: String,
    },
    /// The mirror and the canon were never the same, or cannot be merged: a link, a binary file, or no version that both
    /// began with.
    #[error("both this file and {canon} hold something of their own")]
    BothChanged {
        /// The file of the canon.
        canon: RepoPath,
    },
    /// The mirror and the canon changed the same lines since the last sync.
    #[error("this file and {canon} change the same lines")]
    Conflict {
        /// The file of the canon.
        canon: RepoPath,
        /// The lines, both ways.
        lines: String,
    },
    /// The file is no copy: the canon's has another form.
    #[error("it is made from {canon}, which has another form")]
    Generated {
        /// The file of the canon.
        canon: RepoPath,
    },
    /// The edit is of something that only this tool has, or stands where something is left out for it.
    #[error(
        "the edit is of what is made for this tool alone, or right beside a part that it does not get: {canon} cannot take it"
    )]
    ToolSpecific {
        /// The file of the canon.
        canon: RepoPath,
    },
    /// It says itself that this tool is to get something else.
    #[error("by its own comments or `canonry-targets` this tool would not get it as it stands here")]
    RendersDifferently {
        /// The file of the canon.
        canon: RepoPath,
    },
    /// Two of the paths are to become the same file of the canon, and differ.
    #[error("{other} would become the same file of the canon, and differs")]
    Ambiguous {
        /// The other path.
        other: RepoPath,
    },
}

impl AdoptError {
    /// What to do.
    pub fn help(&self) -> String {
        match self {
            Self::NotInAMirror => "name a file or a skill's folder in a mirror, such as .claude/skills/NAME".to_owned(),
            Self::NotATarget { target, targets } => {
                let names: Vec<&str> = targets.iter().chain([target]).map(|target| target.name()).collect();
                format!(
                    "say `targets: [{}]` in the config, then adopt it; or move the skill into the canon yourself",
                    names.join(", ")
                )
            }
            Self::ControlCharacters => "rename the file, then adopt it".to_owned(),
            Self::LinkOutside { .. } => "put what it leads to in its place, then adopt it".to_owned(),
            Self::BothChanged { canon } | Self::Conflict { canon, .. } => format!(
                "bring what you want to keep into {canon} yourself (`canonry sync --diff` shows the difference), then run `canonry sync --force`"
            ),
            Self::ToolSpecific { canon } | Self::RendersDifferently { canon } => format!(
                "bring it into {canon}, or into the tool's overlay, yourself (`canonry sync --diff` shows the difference), then run `canonry sync --force`"
            ),
            Self::Generated { canon } => {
                format!("carry what you want to keep over into {canon}, then run `canonry sync --force`")
            }
            Self::Ambiguous { .. } => "adopt one of them, then the other".to_owned(),
        }
    }
}

impl AdoptError {
    /// The lines that are in conflict, both ways.
    pub fn lines(&self) -> Option<&str> {
        match self {
            Self::Conflict { lines, .. } => Some(lines),
            _ => None,
        }
    }
}
