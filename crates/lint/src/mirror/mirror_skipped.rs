//! See `mirror_skipped.md`.

use crate::repo_facts::RepoFacts;
use crate::{Check, Defaults, Finding, Rule};
use canonry_mirror::skipped::SkipReason;
use canonry_model::finding::{Location, Severity};

pub(super) static RULE: Rule = Rule {
    id: "mirror-skipped",
    summary: "part of the canon that cannot be mirrored",
    severity: Defaults { team: Severity::Error, spec: Severity::Warning },
    docs: include_str!("mirror_skipped.md"),
    check: Check::Repo(check),
};

fn check(repo: &RepoFacts<'_>, findings: &mut Vec<Finding>) {
    for skipped in repo.survey.iter().flat_map(|survey| &survey.unmirrored) {
        if is_reported_here(&skipped.reason) {
            findings.push(RULE.at(Location::file(&skipped.path), skipped.reason.to_string()));
        }
    }
}

/// Other rules report the other reasons, at the place of the defect.
fn is_reported_here(reason: &SkipReason) -> bool {
    match reason {
        SkipReason::Unreadable
        | SkipReason::FilterFailed { .. }
        | SkipReason::LinksUnsupported
        | SkipReason::Submodule
        | SkipReason::InvalidName
        | SkipReason::FileUnicodeClash { .. } => true,
        // `tool-file-omitted`
        SkipReason::UnusableSource(_)
        | SkipReason::InvalidFrontmatter
        | SkipReason::NameClash { .. }
        | SkipReason::FileNameClash { .. }
        | SkipReason::UnicodeClash { .. }
        | SkipReason::BrokenLink(_)
        | SkipReason::UnresolvedConflict { .. }
        | SkipReason::LinkOutside { .. }
        | SkipReason::ControlCharacters
        | SkipReason::InvalidOverride { .. } => false,
    }
}
