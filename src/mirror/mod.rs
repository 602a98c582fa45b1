//! Floor 3: what the mirrors should hold, and what to do about what they hold. Pure.

pub mod adopt;
pub mod adopt_error;
pub mod adopt_skills;
mod clash;
pub mod compare;
mod convert;
pub mod delivery;
pub mod desired;
pub mod document;
mod file;
mod folded;
pub mod frontmatter_merge;
pub mod lock;
pub mod merge;
#[cfg(test)]
mod merge_tests;
pub mod overlay;
pub mod overlay_check;
pub mod plan;
pub mod refusal;
mod roots;
pub mod sections;
mod skill;
mod skipped;
pub mod state;
pub mod target_override;
pub mod tool_names;
mod want;
pub mod work_tree;

pub use delivery::{Delivery, WithheldSkill};
pub use desired::{DesiredFile, DesiredMirrors, FolderStatus, desired_mirrors};
pub use file::CanonFile;
pub use folded::fold_name;
pub use lock::Lock;
pub use plan::{SyncPlan, plan};
pub use refusal::{Refusal, RefusalReason};
pub use skill::{CanonSkill, SkillDefect};
pub use state::{MirrorRoot, MirrorState};
pub use target_override::{OverrideFile, RenderSource, TargetOverride};
