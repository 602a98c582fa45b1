//! See `overlay_unusable.md`.

use crate::finding::{Location, RawFinding, Severity};
use crate::rules::facts::RepoContext;
use crate::rules::{Check, Defaults, RawFindings, Rule};

pub(super) static RULE: Rule = Rule {
    id: "overlay-unusable",
    summary: "an overlay that cannot be merged into its skill",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("overlay_unusable.md"),
    check: Check::Repo(check),
};

fn check(facts: &RepoContext, drafts: &mut RawFindings) {
    for (path, words) in &facts.unusable_overlays {
        let help = "mend it, or remove it; until then the skill's mirror for this tool stays as it is";
        drafts.push(RawFinding::new(Location::file(path), words).help(help));
    }
}
