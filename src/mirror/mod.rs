//! Floor 3: what the mirrors should hold, and what to do about what they hold. Pure.

pub mod actual;
pub mod adopt;
pub mod align;
pub mod beside;
pub mod cause;
pub mod decide;
pub mod desired;
pub mod lock;
pub mod merge;
pub mod reason;
pub mod take_over;

pub use actual::{Actual, Root};
pub use decide::{Consent, Decision, decide};
pub use desired::{CanonFile, CanonSkill, Desired, Flaw, Standing, Want, desired, folded};
pub use lock::Lock;
pub use reason::{Reason, Refusal};
