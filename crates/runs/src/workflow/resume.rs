//! On which definition a run is resumed, if the workflow changed since the run began.
//!
//! | change | basis |
//! |---|---|
//! | none | the definition |
//! | PATCH raised, same structure | the current definition |
//! | MINOR raised | the snapshot of the run |
//! | MAJOR raised, or a lower version | refused |
//! | no version, the same version, or PATCH raised with another structure | refused |

use super::version::{VersionBumpError, WorkflowVersion, check_version_bump, is_same_workflow, version};
use canonry_text::node::Node;
use std::fmt;

/// The definition on which a run is resumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResumeBasis {
    /// The definition has not changed.
    Unchanged,
    /// The current definition: only texts and limits changed.
    Current,
    /// The snapshot that the run began with: the structure changed.
    Snapshot,
    /// A person chooses: finish on the snapshot, begin again, or continue on the current definition.
    Refused(ResumeRefusal),
}

/// Why a run is not resumed on its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResumeRefusal {
    /// The definition changed, and it or the snapshot has no valid version.
    NoVersion,
    /// The definition changed without a new version.
    NotRaised(WorkflowVersion),
    /// The version is lower than that of the snapshot.
    Downgrade { from: WorkflowVersion, to: WorkflowVersion },
    /// Runs in progress cannot continue on the new version.
    Major { from: WorkflowVersion, to: WorkflowVersion },
    /// Only PATCH was raised, but the structure changed.
    Structure { from: WorkflowVersion, to: WorkflowVersion },
}

impl fmt::Display for ResumeRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoVersion => {
                f.write_str("the workflow changed since the run began and has no `workflow_version` to compare")
            }
            Self::NotRaised(version) => {
                write!(f, "the workflow changed since the run began, but its version is still {version}")
            }
            Self::Downgrade { from, to } => {
                write!(f, "the run began with version {from}, but the workflow is now {to}")
            }
            Self::Major { from, to } => {
                write!(
                    f,
                    "the workflow went from {from} to {to}; runs in progress cannot continue on a new MAJOR version"
                )
            }
            Self::Structure { from, to } => {
                write!(f, "the workflow went from {from} to {to}, but more than texts and limits changed")
            }
        }
    }
}

/// Compares the definition that a run began with to the current one.
pub fn resume_basis(snapshot: &Node, current: &Node) -> ResumeBasis {
    let versions = version(snapshot).zip(version(current));
    let is_same = is_same_workflow(snapshot, current);
    let Some((from, to)) = versions else {
        // Without valid versions, the texts of the versions must be the same too.
        let text = |root: &Node| root.get("workflow_version").and_then(Node::spanned_text).map(|text| text.text);
        let is_unchanged = is_same && text(snapshot) == text(current);
        return if is_unchanged { ResumeBasis::Unchanged } else { ResumeBasis::Refused(ResumeRefusal::NoVersion) };
    };
    let refused = ResumeBasis::Refused;
    if to < from {
        refused(ResumeRefusal::Downgrade { from, to })
    } else if to == from && is_same {
        ResumeBasis::Unchanged
    } else if to == from {
        refused(ResumeRefusal::NotRaised(to))
    } else if to.major > from.major {
        refused(ResumeRefusal::Major { from, to })
    } else if to.minor > from.minor {
        ResumeBasis::Snapshot
    } else {
        match check_version_bump(snapshot, current) {
            Some(VersionBumpError::TooSmall(_)) => refused(ResumeRefusal::Structure { from, to }),
            _ => ResumeBasis::Current,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use canonry_text::yaml;
    use proptest::prelude::*;

    const BASE: &str = "workflow: w\nworkflow_version: 1.2.3\nsteps:\n  a: {owner: A, timeout: 1m, next: [{goto: b}]}\n  b: {owner: B, next: [{goto: end}]}\n";

    fn basis(before: &str, now: &str) -> ResumeBasis {
        resume_basis(&yaml::parse(before, 0).unwrap().root, &yaml::parse(now, 0).unwrap().root)
    }

    fn brief(basis: &ResumeBasis) -> &'static str {
        match basis {
            ResumeBasis::Unchanged => "unchanged",
            ResumeBasis::Current => "current",
            ResumeBasis::Snapshot => "snapshot",
            ResumeBasis::Refused(ResumeRefusal::NoVersion) => "no version",
            ResumeBasis::Refused(ResumeRefusal::NotRaised(_)) => "not raised",
            ResumeBasis::Refused(ResumeRefusal::Downgrade { .. }) => "downgrade",
            ResumeBasis::Refused(ResumeRefusal::Major { .. }) => "major",
            ResumeBasis::Refused(ResumeRefusal::Structure { .. }) => "structure",
        }
    }

    #[test]
    fn the_version_decides() {
        let moved = ("goto: end", "goto: a");
        for ((from, to), version, want) in [
            (("", ""), "1.2.3", "unchanged"),
            (("w\n", "'w' # a comment\n"), "1.2.3", "unchanged"),
            (("1m", "2m"), "1.2.3", "not raised"),
            (("1m", "2m"), "1.2.4", "current"),
            (("", ""), "1.2.4", "current"),
            (moved, "1.2.3", "not raised"),
            (moved, "1.2.4", "structure"),
            (moved, "1.3.0", "snapshot"),
            (("1m", "2m"), "1.10.0", "snapshot"),
            (("", ""), "2.0.0", "major"),
            (moved, "2.0.0", "major"),
            (moved, "1.2.2", "downgrade"),
            (("", ""), "1.1.9", "downgrade"),
            (("", ""), "0.9.9", "downgrade"),
            (("", ""), "next", "no version"),
            (("workflow_version: 1.2.3\n", ""), "1.2.3", "no version"),
        ] {
            let now = if from.is_empty() { BASE.to_owned() } else { BASE.replace(from, to) };
            let found = basis(BASE, &now.replace("1.2.3", version));
            assert_eq!(brief(&found), want, "{from} -> {to}, {version}");
        }
        let plain = BASE.replace("workflow_version: 1.2.3\n", "");
        assert_eq!(basis(&plain, &plain), ResumeBasis::Unchanged);
        assert_eq!(brief(&basis(&plain, &plain.replace("1m", "2m"))), "no version");
        let phases =
            "workflow: w\nworkflow_version: 1.0.0\nphases:\n  a: {owner: A}\n  b: {owner: B}\n  c: {owner: C}\n";
        let swapped = phases.replace("b: {owner: B}\n  c: {owner: C}", "c: {owner: C}\n  b: {owner: B}");
        assert_eq!(brief(&basis(phases, &swapped)), "not raised");
        assert_eq!(brief(&basis(phases, &swapped.replace("1.0.0", "1.0.1"))), "structure");
        assert_eq!(brief(&basis("a", "b")), "no version");
    }

    proptest! {
        #[test]
        fn the_same_definition_is_unchanged(text in "([a-z]: |[a-z\\[\\]{},\n -]|workflow_version: 1.2.3\n){0,20}") {
            if let Ok(document) = yaml::parse(&text, 0) {
                prop_assert_eq!(resume_basis(&document.root, &document.root), ResumeBasis::Unchanged);
            }
        }

        #[test]
        fn a_changed_definition_never_counts_as_unchanged(major in 0u64..3, minor in 0u64..4, patch in 0u64..5) {
            let now = BASE.replace("1.2.3", &format!("{major}.{minor}.{patch}")).replace("goto: end", "goto: a");
            prop_assert!(!matches!(basis(BASE, &now), ResumeBasis::Unchanged | ResumeBasis::Current));
        }
    }
}
