//! Plans what a sync writes into the skill mirrors. Pure.
//!
//! [`DesiredMirrors`] says what the mirrors should hold, [`MirrorState`] what they hold, and [`Lock`] what sync last wrote.
//! [`plan`] turns the three into a [`SyncPlan`].

pub mod adopt;
pub mod adopt_error;
pub mod adopt_skills;
mod canon_file;
mod canon_skill;
pub mod desired;
pub mod document;
pub mod frontmatter_merge;
pub mod lock;
pub mod lock_drift;
pub mod merge;
#[cfg(test)]
mod merge_tests;
mod name_clash;
pub mod overlay;
pub mod overlay_check;
pub mod plan;
pub mod refusal;
pub mod registry;
pub mod repeated;
pub mod sections;
pub mod skipped;
pub mod state;
pub mod target_override;
pub mod tool_names;
pub mod work_tree;
pub mod written;

pub use canon_file::{CanonFile, fold_name};
pub use canon_skill::{CanonSkill, Delivery, WithheldSkill};
pub use desired::{DesiredFile, DesiredMirrors, FolderStatus};
pub use lock::Lock;
pub use lock_drift::LockDrift;
pub use plan::{SyncPlan, plan};
pub use refusal::{Refusal, RefusalReason};
pub use state::{MirrorRoot, MirrorState};
pub use target_override::{OverrideFile, RenderSource, TargetOverride};
