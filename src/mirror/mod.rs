//! Floor 3: what the mirrors should hold, and what to do about what they hold. Pure.

pub mod actual;
pub mod adopt;
pub mod decide;
pub mod desired;
pub mod lock;

pub use actual::{Actual, Root};
pub use decide::{Consent, Decision, Reason, Refusal, decide};
pub use desired::{CanonFile, CanonSkill, Desired, Standing, Want, desired, folded};
pub use lock::Lock;
