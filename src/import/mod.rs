//! Floor 3: what another tool keeps for agents, taken into the canon: as edits that only add, and as a report of what was
//! taken, what was left, and why. Pure.

mod agentic_stack;
mod basket;
mod config;
mod front;
mod ground;
mod json;
mod origin;
mod outcome;
mod permissions;
mod prompts;
mod reach;
mod ruler;
mod rules;
mod rulesync;
mod secrets;
mod servers;
mod settle;
mod skills;
mod tools;
mod trellis;

pub use ground::{Ground, Look};
pub use origin::Origin;
pub use outcome::{Config, Import, Left, Refused, Taken};

use basket::ImportPlan;

/// Decides what to take.
pub fn import(origin: Origin, ground: &Ground<'_>) -> Import {
    let mut basket = ImportPlan::new(ground);
    match origin {
        Origin::Rulesync => rulesync::take(&mut basket),
        Origin::Ruler => ruler::take(&mut basket),
        Origin::Trellis => trellis::take(&mut basket),
        Origin::AgenticStack => agentic_stack::take(&mut basket),
        Origin::Tools => tools::take(&mut basket),
    }
    if matches!(origin, Origin::Rulesync | Origin::Ruler) && tools::is_there(ground) {
        basket.next.push(format!(
            "what {} made stands where `canonry sync` writes, which refuses to write over it: remove it first, or run \
             `canonry sync --force`, which keeps a copy of each file",
            origin.name()
        ));
    }
    settle::settle(basket, origin)
}
