//! Why a file of a mirror cannot be adopted into the canon.

use canonry_model::config::Target;
use canonry_text::RepoPath;

/// Why a file of a mirror cannot be adopted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AdoptError {
    /// The path is not below the root of a mirror, or nothing exists there.
    #[error("nothing to adopt; no mirror has a file at this path")]
    NotInAMirror,
    /// The path is in the folder of a tool that is not a target.
    #[error("`{}` is not among the targets, so {} is not a mirror", .target.name(), .target.skills_root())]
    NotATarget {
        target: Target,
        /// The configured targets.
        targets: Vec<Target>,
    },
    /// The lock cannot hold the name.
    #[error("its name contains control characters")]
    ControlCharacters,
    #[error("it is a link to `{target}`, outside the repository")]
    LinkOutside { target: String },
    /// The canon would get a link to itself.
    #[error("it is a link to {target}, the same path in another mirror")]
    LinkToMirror { target: RepoPath },
    /// The two files never were equal, or cannot be merged: a link, a binary file, or no common version.
    #[error("both this file and {canon} have changes of their own")]
    BothChanged { canon: RepoPath },
    #[error("this file and {canon} change the same lines")]
    Conflict {
        canon: RepoPath,
        /// The conflicting lines of both sides.
        lines: String,
    },
    /// The file is generated in another format than its source.
    #[error("it is generated from {canon}, which has another format")]
    Generated { canon: RepoPath },
    /// The edit concerns content that only this tool gets, or is next to a section that this tool does not get.
    #[error(
        "the edit concerns content that only this tool gets, or is next to a section for other tools; {canon} cannot hold it"
    )]
    ToolSpecific { canon: RepoPath },
    /// The comments or the `canonry-targets` of the document select other content for this tool.
    #[error("its own comments or `canonry-targets` give this tool other content")]
    RendersDifferently { canon: RepoPath },
    #[error("this is a file, but {canon} is a folder in the canon")]
    FolderInCanon { canon: RepoPath },
    #[error("this is in a folder, but {canon} is a file in the canon")]
    FileInCanon { canon: RepoPath },
    /// Two paths would become the same canonical file with different content.
    #[error("{other} would become the same file of the canon, with different content")]
    Ambiguous { other: RepoPath },
}

impl AdoptError {
    /// Returns what the user can do.
    pub fn help(&self) -> String {
        match self {
            Self::NotInAMirror => {
                "name a file or the folder of a skill in a mirror, such as .claude/skills/NAME".to_owned()
            }
            Self::NotATarget { target, targets } => {
                let reads = |folder: &&str| targets.iter().any(|other| other.mirror() == *folder);
                // As a target of its own, it would see each skill twice.
                if let Some((tool, folder)) =
                    target.row().and_then(|row| Some((row.name, row.skill_folders().find(reads)?)))
                {
                    return format!(
                        "{tool} also reads {folder}, which is a mirror: move the skill into the canon, and remove it here"
                    );
                }
                let names: Vec<&str> = targets.iter().chain([target]).map(|target| target.name()).collect();
                format!(
                    "set `targets: [{}]` in the config, then adopt it; or move the skill into the canon yourself",
                    names.join(", ")
                )
            }
            Self::ControlCharacters => "rename the file, then adopt it".to_owned(),
            Self::LinkOutside { .. } => "replace the link by the content it leads to, then adopt it".to_owned(),
            Self::LinkToMirror { target } => format!("adopt {target}, or remove the link if nothing is there"),
            Self::BothChanged { canon } | Self::Conflict { canon, .. } => format!(
                "copy what you want to keep into {canon} (`canonry sync --diff` shows the difference) and add `--ours`, or add \
                 `--theirs` to replace {canon} by this file; both back up the other side"
            ),
            Self::ToolSpecific { canon } | Self::RendersDifferently { canon } => format!(
                "copy the edit into {canon} or into the overlay of the tool (`canonry sync --diff` shows the difference), then run `canonry sync --force`"
            ),
            Self::FolderInCanon { .. } | Self::FileInCanon { .. } => "rename it first".to_owned(),
            Self::Generated { canon } => {
                format!("copy what you want to keep into {canon}, then run `canonry sync --force`")
            }
            Self::Ambiguous { .. } => "adopt one of them, then the other".to_owned(),
        }
    }

    /// Returns the conflicting lines of both sides.
    pub fn lines(&self) -> Option<&str> {
        match self {
            Self::Conflict { lines, .. } => Some(lines),
            _ => None,
        }
    }
}
