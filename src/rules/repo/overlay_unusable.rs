//! See `overlay_unusable.md`.

use crate::finding::{Draft, Place, Severity};
use crate::rules::facts::Facts;
use crate::rules::{Check, Defaults, Drafts, Rule};

pub(super) static RULE: Rule = Rule {
    id: "overlay-unusable",
    summary: "an overlay that cannot be merged into its skill",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("overlay_unusable.md"),
    check: Check::Repo(check),
};

fn check(facts: &Facts, drafts: &mut Drafts) {
    for (path, words) in &facts.unusable_overlays {
        let help = "mend it, or remove it; until then the skill's mirror for this tool stays as it is";
        drafts.push(Draft::new(Place::file(path), words).help(help));
    }
}
