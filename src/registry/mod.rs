//! Floor 3: the canon's skills as a list: for people, for programs, and for an agent that looks for the one that fits. Pure.

pub mod card;
pub mod matching;
pub mod precondition;
pub mod seal;
pub mod text;

pub use card::Card;
pub use matching::{Matched, Why, matches};
pub use precondition::{Need, needs};
pub use text::{index, manifest, recorded, xml};
