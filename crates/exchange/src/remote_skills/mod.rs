//! Skills and shared files of a canon from other repositories: where they come from, how they are pinned, and which
//! files they may have. Pure.

mod discovery;
mod item;
mod licence;
mod lock;
mod source;
mod tree;

pub use discovery::{ChosenSkills, DiscoveredSkill, SkillChoice, choose, find_skills};
pub use item::{RemoteItem, find_shared_files, is_shared};
pub use licence::{detect_licence, is_licence_file};
pub use lock::{PinnedSkill, SkillsLock};
pub use source::{GivenSource, SkillSource, SkillSourceError, is_commit_id};
pub use tree::{SkillTree, TreeFile};
