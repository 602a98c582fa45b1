//! Floor 3: what the mirrors should hold, and what to do about what they hold. Pure.

pub mod actual;
pub mod adopt;
pub mod align;
pub mod beside;
pub mod cause;
mod clash;
mod convert;
pub mod decide;
pub mod desired;
pub mod document;
mod file;
mod folded;
pub mod keys;
pub mod lock;
pub mod merge;
pub mod named;
pub mod overlay;
pub mod reason;
mod roots;
pub mod sections;
pub mod shape;
mod skill;
pub mod take_over;
pub mod variant;
mod want;
mod why;

pub use actual::{Actual, Root};
pub use decide::{Consent, Decision, decide};
pub use desired::{Desired, Standing, Want, desired};
pub use file::CanonFile;
pub use folded::folded;
pub use lock::Lock;
pub use reason::{Reason, Refusal};
pub use shape::{Recipe, Shape, ShapedFile};
pub use skill::{CanonSkill, Flaw};
pub use variant::{Gate, Variant};
