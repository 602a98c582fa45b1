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
pub mod keys;
pub mod lock;
pub mod merge;
pub mod named;
pub mod reason;
mod roots;
pub mod sections;
mod skill;
pub mod take_over;
pub mod variant;

pub use actual::{Actual, Root};
pub use clash::folded;
pub use decide::{Consent, Decision, decide};
pub use desired::{Desired, Standing, Want, desired};
pub use lock::Lock;
pub use reason::{Reason, Refusal};
pub use skill::{CanonFile, CanonSkill, Flaw};
pub use variant::{Gate, Variant};
